# SPDX-License-Identifier: Apache-2.0
"""jitnorm for PyTorch: layer and RMS normalization on CPUs, as functions, as modules, and in the place of PyTorch's own.

    import jitnorm_torch
    jitnorm_torch.override()          # from here on nn.LayerNorm of any model runs on jitnorm
"""

import contextlib
import pathlib

import torch

torch.ops.load_library(str(pathlib.Path(__file__).with_name("libjitnorm_torch.so")))

from . import shapes  # noqa: E402,F401  (needs the operators)
from .modules import LayerNorm, RMSNorm  # noqa: E402

__all__ = ["LayerNorm", "RMSNorm", "add_layer_norm", "add_rms_norm", "layer_norm", "override", "overridden", "restore", "rms_norm"]

layer_norm = torch.ops.jitnorm.layer_norm
rms_norm = torch.ops.jitnorm.rms_norm
# (the normalized sum, the sum): a transformer's x = x + residual, then norm(x), in one pass, with the bits of two
add_layer_norm = torch.ops.jitnorm.add_layer_norm
add_rms_norm = torch.ops.jitnorm.add_rms_norm


def override():
    """From now on PyTorch's native_layer_norm and its backward are jitnorm's, for CPU tensors of float32, bfloat16 and
    float16, in all threads; other types stay PyTorch's. Statistics are float32 whatever the data is."""
    torch.ops.jitnorm._override(True)


def restore():
    """PyTorch's own native_layer_norm again."""
    torch.ops.jitnorm._override(False)


@contextlib.contextmanager
def overridden():
    """override() for the length of a with statement. Do not nest."""
    override()
    try:
        yield
    finally:
        restore()
