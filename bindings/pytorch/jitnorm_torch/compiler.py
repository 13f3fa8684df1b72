# SPDX-License-Identifier: Apache-2.0
"""A backend for torch.compile: Inductor, with the normalizations of an unchanged model on jitnorm."""

import copy
from typing import Any, Callable, Dict, List, Optional, Sequence

import torch
from torch import Tensor

from . import functions

_TYPES = (torch.float32, torch.bfloat16, torch.float16)


def _takes(input: Tensor) -> bool:
    """As the override (override() in __init__.py): what is left is PyTorch's."""
    return input.device.type == "cpu" and input.dtype in _TYPES


def _layer_norm(
    input: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    run = functions.layer_norm if _takes(input) else torch.nn.functional.layer_norm
    return run(input, normalized_shape, weight, bias, eps)


def _rms_norm(
    input: Tensor, normalized_shape: List[int], weight: Optional[Tensor] = None, eps: Optional[float] = None
) -> Tensor:
    ours = _takes(input) and (weight is None or weight.dtype == input.dtype)
    run = functions.rms_norm if ours else torch.nn.functional.rms_norm
    return run(input, normalized_shape, weight, eps)


class _LayerNorm(torch.nn.LayerNorm):
    def forward(self, input: Tensor) -> Tensor:
        return _layer_norm(input, list(self.normalized_shape), self.weight, self.bias, self.eps)


def _functions() -> Dict[object, Callable[..., Tensor]]:
    found: Dict[object, Callable[..., Tensor]] = {}
    for namespace in (torch, torch.nn.functional):
        for name, own in (("layer_norm", _layer_norm), ("rms_norm", _rms_norm)):
            if hasattr(namespace, name):  # rms_norm came with PyTorch 2.4
                found[getattr(namespace, name)] = own
    return found


def replace(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Replaces layer_norm and rms_norm by jitnorm's in a graph of Dynamo and in the graphs within it, those of
    checkpoints and of branches, and returns the graph. Whether a call is one that jitnorm takes is decided when the
    graph is traced: CPU tensors of float32, bfloat16 and float16."""
    own = _functions()
    for part in list(graph.modules()):
        if isinstance(part, torch.fx.GraphModule):
            _replace_in_one(part, own)
    return graph


def _replace_in_one(graph: torch.fx.GraphModule, own: Dict[object, Callable[..., Tensor]]) -> None:
    changed = False
    for node in graph.graph.nodes:
        if node.op == "call_function" and node.target in own:
            node.target = own[node.target]
            changed = True
        elif node.op == "call_module":  # up to PyTorch 2.4
            parent, _, name = node.target.rpartition(".")
            holder = graph.get_submodule(parent)
            module = getattr(holder, name)
            if type(module) is torch.nn.LayerNorm:
                module = copy.copy(module)  # with the same parameters; the model's own module stays as it is
                module.__class__ = _LayerNorm
                setattr(holder, name, module)
                changed = True
    if changed:
        graph.recompile()


def inductor(
    graph: torch.fx.GraphModule, inputs: Sequence[Tensor], *, options: Optional[Dict[str, Any]] = None
) -> Callable[..., Any]:
    """torch.compile(model, backend=jitnorm_torch.inductor), or backend="jitnorm" if the package was installed by pip. Inductor
    compiles the model, but calls jitnorm for torch.nn.LayerNorm, torch.nn.RMSNorm and their functions, forward and
    backward. PyTorch 2. `options` are Inductor's, as torch.compile takes them."""
    from torch._inductor.compile_fx import compile_fx

    compiled: Callable[..., Any] = compile_fx(replace(graph), list(inputs), config_patches=options)
    return compiled
