# SPDX-License-Identifier: Apache-2.0
"""The operators as functions. With plain tensors they call the operator directly (src/python.cpp), which is faster than
torch.ops. They call torch.ops for subclasses of tensors and for other arguments that torch.ops can convert, and when a
compiler runs them, because a compiler must see an operator.

All tensors are on the CPU, of float32, bfloat16, float16 or float64, and have any strides. Weights, biases and what
modulates rows may have another of these types than the input; but weights and biases, and a scale and a shift without
them, are float64 only if the input is. Results are contiguous and have the input's shape and, without round_normalized,
its type.
Tensors whose elements overlap, such as sliding windows, and others that primitives do not take as they are, are copied.
A RuntimeError says what does not fit: a shape, a type, a device."""

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
    """As torch.nn.functional.layer_norm: (input - mean) / sqrt(variance + eps) * weight + bias over the last dimensions of
    the input, whose sizes are normalized_shape, as are those of weight and bias. If the last dimension alone is normalized,
    the weight, and a bias with it, may have dimensions of rows before it, each of which is 1 or the input's: a weight for
    each head."""
    if not (torch.jit.is_scripting() or _is_compiling()):
        made = _C.layer_norm(input, normalized_shape, weight, bias, eps)
        if made is not None:
            return made
    return torch.ops.jitnorm.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(
    input: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    eps: Optional[float] = None,
    plus_one: bool = False,
    round_normalized: bool = False,
) -> Tensor:
    """As torch.nn.functional.rms_norm: input / sqrt(mean of squares + eps) * weight over the last dimensions of the input,
    whose sizes are normalized_shape, as are those of the weight. If eps is None, it is the epsilon of the type that is
    computed in: of float64 for float64, of float32 for the others. With plus_one the weight is stored minus one, as
    Gemma's are. With round_normalized the normalized values are rounded to the input's type before they are multiplied by
    the weight, and the result has the type in which PyTorch multiplies the two, as Llama's. The weight may have dimensions
    of rows, as that of layer_norm."""
    if not (torch.jit.is_scripting() or _is_compiling()):
        made = _C.rms_norm(input, normalized_shape, weight, eps, plus_one, round_normalized)
        if made is not None:
            return made
    return torch.ops.jitnorm.rms_norm(input, normalized_shape, weight, eps, plus_one, round_normalized)


def add_layer_norm(
    input: Tensor,
    residual: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
) -> Tuple[Tensor, Tensor]:
    """Returns (layer_norm(sum), sum) with sum = input + residual, which have one shape. One pass computes both, with the same
    bits as an addition followed by layer_norm. If input and residual differ in type, both results have the type in which
    PyTorch adds them: bfloat16 and float32 give float32."""
    if not (torch.jit.is_scripting() or _is_compiling()):
        made = _C.add_layer_norm(input, residual, normalized_shape, weight, bias, eps)
        if made is not None:
            return made
    return torch.ops.jitnorm.add_layer_norm(input, residual, normalized_shape, weight, bias, eps)


def add_rms_norm(
    input: Tensor,
    residual: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    eps: Optional[float] = None,
    plus_one: bool = False,
    round_normalized: bool = False,
) -> Tuple[Tensor, Tensor]:
    """Returns (rms_norm(sum), sum) with sum = input + residual, as add_layer_norm does. If eps is None, it is the epsilon of
    the sum's type, as in rms_norm. round_normalized is that of rms_norm for the sum."""
    if not (torch.jit.is_scripting() or _is_compiling()):
        made = _C.add_rms_norm(input, residual, normalized_shape, weight, eps, plus_one, round_normalized)
        if made is not None:
            return made
    return torch.ops.jitnorm.add_rms_norm(input, residual, normalized_shape, weight, eps, plus_one, round_normalized)


def ada_layer_norm(
    input: Tensor,
    scale: Tensor,
    shift: Tensor,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
) -> Tensor:
    """Returns (layer_norm(input) * weight + bias) * (1 + scale) + shift, normalized over the last dimension and rounded
    once. Scale and shift have the input's dimensions, of which those of rows may be 1: (batch, 1, columns) for a
    modulation of each batch, (batch, frames, 1, columns) for one of each frame, the input's shape for one of each token.
    Without the last dimension of rows they are for each batch: (batch, columns). Otherwise they may lack the first
    dimensions, as PyTorch broadcasts: (columns,), or (tokens, columns) for one of each token's place. If there are as
    many tokens as batches, (batch, columns) is for each batch: write (1, tokens, columns) for the other. Strides are
    taken as they are, so chunks of a larger tensor are not copied, unless the elements of a row do not follow each other.

    Forward is one pass. Backward is one pass, too, which finds the input's gradient and, for each modulation, the two sums
    of which the other gradients consist; what is left are operations of PyTorch on tensors as small as scale and shift."""
    if not (torch.jit.is_scripting() or _is_compiling()):
        made = _C.ada_layer_norm(input, scale, shift, weight, bias, eps)
        if made is not None:
            return made
    return torch.ops.jitnorm.ada_layer_norm(input, scale, shift, weight, bias, eps)


def rms_norm_int8(
    input: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    eps: Optional[float] = None,
    plus_one: bool = False,
    scale: Optional[Tensor] = None,
) -> Tuple[Tensor, Tensor]:
    """Returns (q, s), where q is rms_norm(input) / s, rounded to int8 in the same pass, and q * s is about rms_norm(input).
    s is `scale`, one float32, or, without one, the largest magnitude of each row divided by 127, with the input's shape,
    but 1 for the normalized dimensions. There are no gradients."""
    return torch.ops.jitnorm.rms_norm_int8(input, normalized_shape, weight, eps, plus_one, scale)


def ada_layer_norm_int8(
    input: Tensor,
    scale: Tensor,
    shift: Tensor,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
    output_scale: Optional[Tensor] = None,
) -> Tuple[Tensor, Tensor]:
    """Returns (q, s) of ada_layer_norm(input, scale, shift, weight, bias, eps), where s is `output_scale` or found, as
    rms_norm_int8 does."""
    return torch.ops.jitnorm.ada_layer_norm_int8(input, scale, shift, weight, bias, eps, output_scale)


def gated_rms_norm(
    input: Tensor,
    gate: Optional[Tensor],
    weight: Optional[Tensor] = None,
    eps: float = 1e-6,
    norm_before_gate: bool = True,
    round_normalized: bool = False,
) -> Tensor:
    """Returns rms_norm(input) * weight * silu(gate), normalized over the last dimension and rounded once, or, if
    norm_before_gate is False, rms_norm(input * silu(gate)) * weight. Without a gate, which has the input's shape, there is no
    factor silu(gate).
    The weight may have row dimensions, each of which is 1 or the input's. So groups of columns are normalized by giving
    them a dimension: input.view(..., groups, -1), gate.view(..., groups, -1), weight.view(groups, -1).
    With round_normalized the normalized value is rounded to the input's type, its product with the weight to the type of
    both, and with a gate after the norm their product once more, to the input's type: as Qwen3-Next, Bamba and Mamba 2 do.

    Forward is one pass. Backward multiplies by the gate and finds the gate's gradient by operations of PyTorch, in float32
    (or float64). If norm_before_gate is True, it rounds the gradient of the normalized values to the input's type before
    the pass that finds the gradients of input and weight. Otherwise it computes input * silu(gate) once more."""
    if not (torch.jit.is_scripting() or _is_compiling()):
        made = _C.gated_rms_norm(input, gate, weight, eps, norm_before_gate, round_normalized)
        if made is not None:
            return made
    return torch.ops.jitnorm.gated_rms_norm(input, gate, weight, eps, norm_before_gate, round_normalized)
