# SPDX-License-Identifier: Apache-2.0
"""LayerNorm and RMSNorm as modules. Their parameters have the names and initial values of those in torch.nn."""

from typing import Optional, Sequence, Union

import torch
from torch import Tensor

from .functions import layer_norm, rms_norm


class LayerNorm(torch.nn.LayerNorm):
    """torch.nn.LayerNorm by functions.layer_norm, which says what tensors it takes."""

    def forward(self, input: Tensor) -> Tensor:
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(torch.nn.Module):
    """As torch.nn.RMSNorm (PyTorch 2.4) by functions.rms_norm, which says what tensors it takes. With plus_one the weight is
    stored minus one, as Gemma's are, and begins as zeros; with round_normalized it computes what Llama's does."""

    def __init__(
        self,
        normalized_shape: Union[int, Sequence[int]],
        eps: Optional[float] = None,
        elementwise_affine: bool = True,
        device: Union[torch.device, str, None] = None,
        dtype: Optional[torch.dtype] = None,
        plus_one: bool = False,
        round_normalized: bool = False,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.plus_one = plus_one
        self.round_normalized = round_normalized
        weight = torch.nn.Parameter(torch.empty(shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.weight is not None:
            torch.nn.init.constant_(self.weight, 0.0 if self.plus_one else 1.0)

    def forward(self, input: Tensor) -> Tensor:
        return rms_norm(input, self.normalized_shape, self.weight, self.eps, self.plus_one, self.round_normalized)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
