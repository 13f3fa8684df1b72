# SPDX-License-Identifier: Apache-2.0
"""jitnorm for PyTorch: layer and RMS normalization on CPUs, as functions, as modules, and in place of PyTorch's own.

    import jitnorm_torch
    jitnorm_torch.override()          # from here on nn.LayerNorm of any model runs on jitnorm
"""

import contextlib

import torch

from . import _C, shapes  # noqa: F401  (first the operators, then their shapes)
from .functions import add_layer_norm, add_rms_norm, layer_norm, rms_norm
from .modules import LayerNorm, RMSNorm

__all__ = ["LayerNorm", "RMSNorm", "add_layer_norm", "add_rms_norm", "layer_norm", "override", "overridden", "restore", "rms_norm"]


def override():
    """Replaces PyTorch's native_layer_norm and its backward by jitnorm's, in all threads, for CPU tensors of float32,
    bfloat16 and float16. PyTorch still computes other types. The statistics of these three types are float32."""
    torch.ops.jitnorm._override(True)


def restore():
    """Ends the override: PyTorch uses its own native_layer_norm again."""
    torch.ops.jitnorm._override(False)


@contextlib.contextmanager
def overridden():
    """Overrides PyTorch's native_layer_norm inside a with statement; afterwards it is as it was before."""
    before = torch.ops.jitnorm._override(True)
    try:
        yield
    finally:
        torch.ops.jitnorm._override(before)
