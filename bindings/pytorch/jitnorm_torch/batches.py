# SPDX-License-Identifier: Apache-2.0
"""The operators for torch.vmap (PyTorch 2.5 and later; before, vmap calls an operator for each sample and warns).

Rows are independent of each other. So a batch of calls is one call with one more dimension of rows, with the same bits (but for
the operators of PyTorch in gated_rms_norm's backward). That does not hold for what the rows of a call share: if weights
are batched, or gradients of weights are wanted, which are sums over the rows of one sample, the operator is called for
each sample."""

from typing import Any, Dict, NamedTuple, Optional, Tuple

import torch

from .shapes import in_rank


class _Operator(NamedTuple):
    rows: Tuple[int, ...]  # the places of the arguments that have rows
    mask: Optional[int] = None  # the place of output_mask
    shared: int = 0  # from which of its places on gradients are those of what rows share
    modulations: Tuple[int, ...] = ()  # the places of those of `rows` that may lack dimensions of the input


OPERATORS = {
    "layer_norm": _Operator((0,)),
    "layer_norm_forward": _Operator((0,)),
    "layer_norm_backward": _Operator((0, 1, 3, 4, 7), 6, 1),
    "rms_norm": _Operator((0,)),
    "rms_norm_forward": _Operator((0,)),
    "rms_norm_backward": _Operator((0, 1, 3, 6), 5, 1),
    "add_layer_norm": _Operator((0, 1)),
    "add_layer_norm_forward": _Operator((0, 1)),
    "add_rms_norm": _Operator((0, 1)),
    "add_rms_norm_forward": _Operator((0, 1)),
    "ada_layer_norm": _Operator((0, 1, 2), modulations=(1, 2)),
    "ada_layer_norm_forward": _Operator((0, 1, 2), modulations=(1, 2)),
    "ada_layer_norm_backward": _Operator((0, 1, 2, 3, 4, 5), 8, 3, (2, 3)),
    "gated_rms_norm": _Operator((0, 1)),
    "gated_rms_norm_forward": _Operator((0, 1)),
    "gated_rms_norm_backward": _Operator((0, 1, 2, 3), 5, 2),
}


def rule(name: str, size: int, dims: Tuple[Any, ...], *arguments: Any) -> Tuple[Any, Any]:
    """Calls the operator on a batch of `size` samples. dims[i] is the batch dimension of argument i, None if it has none.
    Returns the results and their batch dimensions."""
    what, run = OPERATORS[name], getattr(torch.ops.jitnorm, name)
    is_batched = [isinstance(argument, torch.Tensor) and dim is not None for argument, dim in zip(arguments, dims)]
    moved = [a.movedim(dim, 0) if batched else a for a, dim, batched in zip(arguments, dims, is_batched)]
    shares = what.mask is not None and any(arguments[what.mask][what.shared :])
    if shares or any(batched and i not in what.rows for i, batched in enumerate(is_batched)):
        samples = [run(*(a[i] if batched else a for a, batched in zip(moved, is_batched))) for i in range(size)]
        if isinstance(samples[0], torch.Tensor):
            return torch.stack(samples), 0
        made = tuple(None if of_all[0] is None else torch.stack(of_all) for of_all in zip(*samples))
    else:
        for i in what.rows:
            if i < len(moved) and moved[i] is not None and not is_batched[i]:
                moved[i] = moved[i].expand(size, *moved[i].shape)
        shapes = [moved[i].shape for i in what.modulations]
        for i in what.modulations:  # one more dimension would change how a shape with fewer is read
            moved[i] = moved[i].reshape(size, *in_rank(moved[i].shape[1:], moved[0].shape[1:], True))
        made = run(*moved)
        if isinstance(made, torch.Tensor):
            return made, 0
        if what.mask is not None:
            for i, shape in enumerate(shapes, 1):
                made = (*made[:i], None if made[i] is None else made[i].reshape(shape), *made[i + 1 :])
    return made, tuple(None if one is None else 0 for one in made)


def _register(name: str) -> None:
    def run(info: Any, dims: Tuple[Any, ...], *arguments: Any) -> Tuple[Any, Any]:
        return rule(name, info.batch_size, dims, *arguments)

    torch.library.register_vmap("jitnorm::" + name, run)


if hasattr(torch.library, "register_vmap"):
    for _name in OPERATORS:
        _register(_name)
