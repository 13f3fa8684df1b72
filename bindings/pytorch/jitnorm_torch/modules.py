# SPDX-License-Identifier: Apache-2.0
"""LayerNorm and RMSNorm as modules. Their parameters have the names and initial values of those in torch.nn."""

import torch

from .functions import layer_norm, rms_norm


class LayerNorm(torch.nn.LayerNorm):
    def forward(self, input):
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(torch.nn.Module):
    """With plus_one the weight is stored minus one, as Gemma's are, and begins as zeros."""

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None, plus_one=False):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.plus_one = plus_one
        first = torch.full(shape, 0.0 if plus_one else 1.0, device=device, dtype=dtype)
        weight = torch.nn.Parameter(first) if elementwise_affine else None
        self.register_parameter("weight", weight)

    def forward(self, input):
        return rms_norm(input, self.normalized_shape, self.weight, self.eps, self.plus_one)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
