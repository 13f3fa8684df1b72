# SPDX-License-Identifier: Apache-2.0
"""jitnorm for PyTorch: layer and RMS normalization on CPUs, as functions, as modules, and in place of PyTorch's own.

    import jitnorm_torch
    jitnorm_torch.override()          # from here on the normalizations of unchanged models run on jitnorm
"""

import contextlib
from typing import Iterator

from . import _needs  # noqa: F401  (first of all: it says what is missing)

import torch

from . import _C, batches, shapes  # noqa: F401  (first the operators, then what else is registered for them)
from .classes import DEFAULT, Entry, Wanted, checked, enter, leave, report, switch
from .compiler import inductor
from .functions import (ada_layer_norm, ada_layer_norm_int8, add_layer_norm, add_rms_norm, gated_rms_norm, layer_norm,
                        rms_norm, rms_norm_int8)
from .modules import LayerNorm, RMSNorm

__all__ = ["Entry", "LayerNorm", "RMSNorm", "ada_layer_norm", "ada_layer_norm_int8", "add_layer_norm", "add_rms_norm",
           "gated_rms_norm", "inductor", "layer_norm", "override", "overridden", "report", "restore", "rms_norm",
           "rms_norm_int8"]

__version__: str = _C.version


def override(classes: Wanted = DEFAULT) -> None:
    """Puts jitnorm in the place of PyTorch's native_layer_norm and its backward, and of _fused_rms_norm where PyTorch has
    it (2.9 and later: torch.nn.RMSNorm), in all threads, for CPU tensors of float32, bfloat16 and float16. The statistics
    of these three types are float32. PyTorch still computes

    - other types, float64 among them;
    - what torch.compile and its default backend, Inductor, have compiled: Inductor makes loops of its own of a layer_norm
      or rms_norm. It calls jitnorm's operators, functions and modules as they are, and inductor() is a backend that puts
      them in place of PyTorch's;
    - torch.nn.RMSNorm before 2.9, which is a chain of other operators, and of an input whose type is not the weight's;
    - RMS normalizations within torch.compile, torch.export and tensors with a dispatch of their own in Python, and their
      second and forward-mode derivatives.

    Beside that, module classes whose forward computes a normalization in operators of PyTorch are executed by the operator
    that has their results, with their roundings: those of Hugging Face's transformers, or, with `classes`, of other
    packages, given by their names, or as classes, or "all". Which of them are, report() says. Classes that are imported
    later are found by PyTorch 2; before, call override() again."""
    wanted = checked(classes)
    torch.ops.jitnorm._switch_override(True)
    switch(wanted)


def restore() -> None:
    """Ends what override() began: PyTorch computes all by itself again. A thread that is within overridden() leaves the
    override on until it is at the end of its with statement."""
    torch.ops.jitnorm._switch_override(False)
    switch(None)


@contextlib.contextmanager
def overridden(classes: Wanted = DEFAULT) -> Iterator[None]:
    """Does what override() does inside a with statement. It is for all threads, and ends with the last with statement of
    any thread, unless override() was called."""
    wanted = checked(classes)
    torch.ops.jitnorm._scope_override(True)
    enter(wanted)
    try:
        yield
    finally:
        leave(wanted)
        torch.ops.jitnorm._scope_override(False)
