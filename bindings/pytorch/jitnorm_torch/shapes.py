# SPDX-License-Identifier: Apache-2.0
"""The operators for tensors without data: they return results of the right shape and type. torch.compile, torch.export
and fake tensors use them."""

import torch

_meta = torch.library.Library("jitnorm", "IMPL", "Meta")


def _check(input, normalized_shape, *affine, others=(), rows=False):
    """`others` are the call's other tensors. The dispatcher calls these functions if any tensor is on the device meta, so
    that a tensor of another device among them is a mistake: there is no data to compute with. With `rows` the affine ones may
    have dimensions of rows."""
    for tensor in (input, *affine, *others):
        if tensor is not None and tensor.device.type != "meta":
            raise RuntimeError(f"all tensors must be on one device, not on meta and {tensor.device}")
    shape = tuple(normalized_shape)
    if not shape or tuple(input.shape[-len(shape) :]) != shape:
        raise RuntimeError(f"normalized_shape {shape} is not the end of the input's shape {tuple(input.shape)}")
    for place, tensor in enumerate(affine):
        if rows and affine[0] is not None and affine[0].dim() > 1 and len(shape) == 1:
            if place == 0:
                in_rank(tensor.shape, input.shape, False)
            elif tensor is not None and tensor.shape != affine[0].shape:
                of_weight = tuple(affine[0].shape)
                raise RuntimeError(f"the bias must have the weight's shape, {of_weight}, not {tuple(tensor.shape)}")
        elif tensor is not None and tuple(tensor.shape) != shape:
            raise RuntimeError(f"weight and bias must have the shape {shape}, not {tuple(tensor.shape)}")


def _sum(input, residual, normalized_shape, *affine):
    """A tensor that is as the sum."""
    _check(input, normalized_shape, *affine, others=(residual,))
    if residual.shape != input.shape or not residual.dtype.is_floating_point:
        raise RuntimeError("input and residual must have one shape and be of float types")
    return torch.empty(input.shape, dtype=torch.promote_types(input.dtype, residual.dtype), device=input.device)


def _like(tensor, dtype=None):
    return torch.empty(tensor.shape, dtype=dtype or tensor.dtype, device=tensor.device)


def _of_those(tensors, wanted):
    return tuple(_like(tensor) if w and tensor is not None else None for tensor, w in zip(tensors, wanted))


def _result(input, weight, round_normalized):
    rounds = round_normalized and weight is not None
    return _like(input, torch.promote_types(input.dtype, weight.dtype) if rounds else None)


def _statistics(input, normalized_shape):
    rows = input.dim() - len(normalized_shape)
    shape = tuple(input.shape[:rows]) + (1,) * len(normalized_shape)
    return torch.empty(shape, dtype=torch.float32, device=input.device)


def _layer_norm_forward(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    _check(input, normalized_shape, weight, bias, rows=True)
    return _like(input), _statistics(input, normalized_shape), _statistics(input, normalized_shape)


def _layer_norm_backward(grad_output, input, normalized_shape, mean, rstd, weight, output_mask, grad_input=None):
    _check(input, normalized_shape, weight, others=(grad_output, mean, rstd, grad_input), rows=True)
    shape, dtype = normalized_shape, torch.promote_types(input.dtype, torch.float32)
    if weight is not None:
        shape, dtype = weight.shape, weight.dtype
    return (
        _like(input) if output_mask[0] else None,
        _like(weight) if output_mask[1] and weight is not None else None,
        torch.empty(tuple(shape), dtype=dtype, device=input.device) if output_mask[2] else None,
    )


def _rms_norm_forward(input, normalized_shape, weight=None, eps=None, plus_one=False, round_normalized=False):
    _check(input, normalized_shape, weight, rows=True)
    return _result(input, weight, round_normalized), _statistics(input, normalized_shape)


def _rms_norm_backward(
    grad_output, input, normalized_shape, rstd, weight, output_mask, grad_input=None, plus_one=False, round_normalized=False
):
    _check(input, normalized_shape, weight, others=(grad_output, rstd, grad_input), rows=True)
    return (
        _like(input) if output_mask[0] else None,
        _like(weight) if output_mask[1] and weight is not None else None,
    )


def _add_layer_norm_forward(input, residual, normalized_shape, weight=None, bias=None, eps=1e-5):
    made = _sum(input, residual, normalized_shape, weight, bias)
    return (made, _like(made), _statistics(input, normalized_shape), _statistics(input, normalized_shape))


def _add_rms_norm_forward(
    input, residual, normalized_shape, weight=None, eps=None, plus_one=False, round_normalized=False
):
    made = _sum(input, residual, normalized_shape, weight)
    return _result(made, weight, round_normalized), made, _statistics(input, normalized_shape)


def in_rank(shape, of_input, batches):
    """The shape of a parameter with the input's number of dimensions: it broadcasts to the input's rows, but may lack the
    last dimension of rows if `batches` is true."""
    readings = [(1,) * (len(of_input) - len(shape)) + tuple(shape)] if shape else []
    if batches and len(shape) == len(of_input) - 1:
        readings.insert(0, (*shape[:-1], 1, *shape[-1:]))
    for full in readings:
        fits = len(full) == len(of_input) and all(a in (1, b) for a, b in zip(full, of_input))
        if fits and full[-1] == of_input[-1]:
            return full
    raise RuntimeError(f"a shape {tuple(shape)} does not fit to the input's, {tuple(of_input)}")


def _check_rows(input, parameters, batches, vectors=(), others=()):
    _check(input, tuple(input.shape[-1:]), *vectors, others=(*parameters, *others))
    for tensor in parameters:
        if tensor is not None:
            in_rank(tensor.shape, input.shape, batches)


def _check_gated(input, gate, weight, others=()):
    _check_rows(input, (weight,), False, others=(gate, *others))
    if gate is not None and gate.shape != input.shape:
        raise RuntimeError(f"the gate must have the shape {tuple(input.shape)}, not {tuple(gate.shape)}")


def _ada_layer_norm_forward(input, scale, shift, weight=None, bias=None, eps=1e-5):
    _check_rows(input, (scale, shift), True, (weight, bias))
    return _like(input), _statistics(input, input.shape[-1:]), _statistics(input, input.shape[-1:])


def _ada_layer_norm_backward(grad_output, input, scale, shift, mean, rstd, weight, bias, output_mask):
    _check_rows(input, (scale, shift), True, (weight, bias), (grad_output, mean, rstd))
    return _of_those((input, scale, shift, weight, bias), output_mask)


def _quantized(input, normalized_shape, scale):
    if scale is not None and (scale.numel() != 1 or scale.dtype != torch.float32):
        raise RuntimeError("the scale of an int8 result must be one float32")
    output = torch.empty(input.shape, dtype=torch.int8, device=input.device)
    return output, _statistics(input, normalized_shape) if scale is None else _like(scale)


def _rms_norm_int8(input, normalized_shape, weight=None, eps=None, plus_one=False, scale=None):
    _check(input, normalized_shape, weight, others=(scale,))
    return _quantized(input, normalized_shape, scale)


def _ada_layer_norm_int8(input, scale, shift, weight=None, bias=None, eps=1e-5, output_scale=None):
    _check_rows(input, (scale, shift), True, (weight, bias), (output_scale,))
    return _quantized(input, input.shape[-1:], output_scale)


def _gated_rms_norm_forward(input, gate=None, weight=None, eps=1e-6, norm_before_gate=True, round_normalized=False):
    _check_gated(input, gate, weight)
    promotes = round_normalized and not (gate is not None and norm_before_gate)
    return _result(input, weight, promotes), _statistics(input, input.shape[-1:])


def _gated_rms_norm_backward(
    grad_output, input, rstd, gate, weight, output_mask, norm_before_gate=True, round_normalized=False
):
    _check_gated(input, gate, weight, (grad_output, rstd))
    return _of_those((input, gate, weight), output_mask)


def _without_statistics(forward, results):
    def run(*arguments):
        made = forward(*arguments)
        return made[0] if results == 1 else made[:results]

    return run


for _function in (
    _ada_layer_norm_backward,
    _ada_layer_norm_int8,
    _gated_rms_norm_backward,
    _layer_norm_backward,
    _rms_norm_backward,
    _rms_norm_int8,
):
    _meta.impl(_function.__name__[1:], _function)

for _name, _function, _results in (  # how many results NAME has of those of NAME_forward
    ("ada_layer_norm", _ada_layer_norm_forward, 1),
    ("add_layer_norm", _add_layer_norm_forward, 2),
    ("add_rms_norm", _add_rms_norm_forward, 2),
    ("gated_rms_norm", _gated_rms_norm_forward, 1),
    ("layer_norm", _layer_norm_forward, 1),
    ("rms_norm", _rms_norm_forward, 1),
):
    _meta.impl(_name + "_forward", _function)
    _meta.impl(_name, _without_statistics(_function, _results))
