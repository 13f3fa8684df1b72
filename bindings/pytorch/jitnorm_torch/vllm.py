# SPDX-License-Identifier: Apache-2.0
"""vLLM's operators rms_norm and fused_add_rms_norm (vllm.ir) by jitnorm, on CPUs: register() once, before a model is built,
for example in a function that the entry point vllm.general_plugins names, and give `jitnorm` priority."""

from typing import Any, Optional, Tuple

import torch
from torch import Tensor

from .functions import add_rms_norm, rms_norm

NAME = "jitnorm"
_TYPES = (torch.float32, torch.bfloat16, torch.float16)


def _are_taken(*tensors: Optional[Tensor]) -> bool:
    return all(t is None or (t.device.type == "cpu" and t.dtype in _TYPES) for t in tensors)


def takes_rms_norm(x: Tensor, weight: Optional[Tensor], epsilon: float, variance_size: Optional[int] = None) -> bool:
    return variance_size is None and _are_taken(x, weight)


def takes_fused_add_rms_norm(
    x: Tensor, x_residual: Tensor, weight: Optional[Tensor], epsilon: float, variance_size: Optional[int] = None
) -> bool:
    """Both have one type there: the sum is stored in it."""
    return variance_size is None and _are_taken(x, weight) and x.dtype == x_residual.dtype and x.shape == x_residual.shape


def norm(x: Tensor, weight: Optional[Tensor], epsilon: float, variance_size: Optional[int] = None) -> Tensor:
    """Rounded before the weight, as vLLM's own: the result has the type in which PyTorch multiplies the two."""
    if variance_size is not None:
        raise ValueError("jitnorm normalizes by the variance of whole rows")
    return rms_norm(x, [x.shape[-1]], weight, epsilon, round_normalized=True)


def add_norm(
    x: Tensor, x_residual: Tensor, weight: Optional[Tensor], epsilon: float, variance_size: Optional[int] = None
) -> Tuple[Tensor, Tensor]:
    """(normalized, sum): the sum is normalized as it is stored, after rounding."""
    if variance_size is not None:
        raise ValueError("jitnorm normalizes by the variance of whole rows")
    return add_rms_norm(x, x_residual, [x.shape[-1]], weight, epsilon, round_normalized=True)


def register(ir: Any = None) -> None:
    """`ir` is vllm.ir, which is imported if it is not given."""
    if ir is None:
        from vllm import ir  # type: ignore[import-not-found,import,no-redef]
    ir.ops.rms_norm.register_impl(NAME, supports_args=takes_rms_norm)(norm)
    ir.ops.fused_add_rms_norm.register_impl(NAME, supports_args=takes_fused_add_rms_norm)(add_norm)
