# SPDX-License-Identifier: Apache-2.0
"""The operators as functions. With plain tensors they call the operator directly (src/python.cpp), which is faster than
torch.ops. They call torch.ops for subclasses of tensors and for other arguments that torch.ops can convert, and when a
compiler runs them, because a compiler must see an operator."""

from typing import List, Optional, Tuple

import torch
from torch import Tensor

from . import _C

if hasattr(torch, "compiler") and hasattr(torch.compiler, "is_dynamo_compiling"):
    _is_compiling = torch.compiler.is_dynamo_compiling
else:

    def _is_compiling() -> bool:
        return False


def layer_norm(
    input: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
) -> Tensor:
    """As torch.nn.functional.layer_norm."""
    if torch.jit.is_scripting() or _is_compiling():
        return torch.ops.jitnorm.layer_norm(input, normalized_shape, weight, bias, eps)
    else:
        made = _C.layer_norm(input, normalized_shape, weight, bias, eps)
        return torch.ops.jitnorm.layer_norm(input, normalized_shape, weight, bias, eps) if made is None else made


def rms_norm(
    input: Tensor, normalized_shape: List[int], weight: Optional[Tensor] = None, eps: Optional[float] = None
) -> Tensor:
    """As torch.nn.functional.rms_norm. If eps is None, it is the epsilon of the type that is computed in."""
    if torch.jit.is_scripting() or _is_compiling():
        return torch.ops.jitnorm.rms_norm(input, normalized_shape, weight, eps)
    else:
        made = _C.rms_norm(input, normalized_shape, weight, eps)
        return torch.ops.jitnorm.rms_norm(input, normalized_shape, weight, eps) if made is None else made


def add_layer_norm(
    input: Tensor,
    residual: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
) -> Tuple[Tensor, Tensor]:
    """Returns (layer_norm(sum), sum) with sum = input + residual. One pass computes both, with the same bits as an
    addition followed by layer_norm."""
    if torch.jit.is_scripting() or _is_compiling():
        return torch.ops.jitnorm.add_layer_norm(input, residual, normalized_shape, weight, bias, eps)
    else:
        made = _C.add_layer_norm(input, residual, normalized_shape, weight, bias, eps)
        if made is None:
            return torch.ops.jitnorm.add_layer_norm(input, residual, normalized_shape, weight, bias, eps)
        return made


def add_rms_norm(
    input: Tensor,
    residual: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    eps: Optional[float] = None,
) -> Tuple[Tensor, Tensor]:
    """Returns (rms_norm(sum), sum) with sum = input + residual, as add_layer_norm does."""
    if torch.jit.is_scripting() or _is_compiling():
        return torch.ops.jitnorm.add_rms_norm(input, residual, normalized_shape, weight, eps)
    else:
        made = _C.add_rms_norm(input, residual, normalized_shape, weight, eps)
        if made is None:
            return torch.ops.jitnorm.add_rms_norm(input, residual, normalized_shape, weight, eps)
        return made
