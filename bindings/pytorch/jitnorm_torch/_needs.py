# SPDX-License-Identifier: Apache-2.0
"""Says what is missing where the package cannot be imported. Imported first."""

import importlib
import importlib.metadata
import re


def _built_with() -> str:
    """The minor version of PyTorch that the wheel was made for, such as "2.14"; empty if there is no wheel."""
    try:
        requirements = importlib.metadata.requires("jitnorm-torch") or []
    except importlib.metadata.PackageNotFoundError:
        requirements = []
    return next((found[1] for found in (re.match(r"torch\W*([0-9]+\.[0-9]+)\.", r) for r in requirements) if found), "")


try:
    import torch
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    wanted = f"'torch == {_built_with()}.*'" if _built_with() else "torch"
    raise ModuleNotFoundError(f"jitnorm_torch needs PyTorch: pip install {wanted}", name="torch") from None

def _fits(built_with: str, version: str) -> bool:
    """Whether the version is of that minor version: 2.14.0 is not of 2.1."""
    return not built_with or version.split(".")[:2] == built_with.split(".")


if not _fits(_built_with(), torch.__version__):
    raise ImportError(f"jitnorm_torch was made for PyTorch {_built_with()}, but this is {torch.__version__}: install it again, "
                      "beside this PyTorch")

try:
    importlib.import_module("._C", __package__)
except ImportError as error:
    if "libgomp" in str(error):
        reason = "the runtime of OpenMP is missing, Debian's package libgomp1"
    elif isinstance(error, ModuleNotFoundError):
        reason = "it has no module for this version of Python; install it again, with this Python"
    else:
        reason = f"it does not fit to PyTorch {torch.__version__}; install it again, beside this PyTorch"
    raise ImportError(f"jitnorm_torch: {reason} ({error})", name=error.name, path=error.path) from error
