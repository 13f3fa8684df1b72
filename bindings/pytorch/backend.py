# SPDX-License-Identifier: Apache-2.0
"""How pip makes the wheel (pyproject.toml): by setuptools, with the packages of the environment that pip installs into, even
where pip isolates the build. The wheel fits to the PyTorch that is there, and where setuptools is there, too, nothing is
fetched."""

import importlib.util
import os
import shutil
import subprocess
import sys


def path_of_environment():
    """Python's path as it is without pip's isolation, which a variable of the environment asks for."""
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", "import os, sys; print(os.pathsep.join(sys.path[1:]))"]
    return subprocess.run(command, env=outside, check=True, text=True, stdout=subprocess.PIPE).stdout.strip().split(os.pathsep)


sys.path += [folder for folder in path_of_environment() if folder not in sys.path]


def need(is_there, what):
    if not is_there:
        sys.exit(f"jitnorm-torch: {what}")


def need_all():
    need(importlib.util.find_spec("torch"), f"{sys.executable} has no PyTorch, which comes first: pip install torch, or Debian's "
         "python3-torch and a virtual environment with --system-site-packages")  # fmt: skip
    need(shutil.which("cmake"), "CMake is missing: pip install cmake, or Debian's package cmake")
    need(shutil.which(os.environ.get("CXX", "c++")), "a C++ compiler is missing: Debian's package g++")
    need(shutil.which("ninja") or shutil.which("make"), "make or Ninja is missing: Debian's package make")


def get_requires_for_build_wheel(config_settings=None):
    need_all()
    return [name for name in ("setuptools", "wheel") if not importlib.util.find_spec(name)]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    from setuptools import build_meta

    return build_meta.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    need_all()
    from setuptools import build_meta

    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    sys.exit("jitnorm-torch: there is no source distribution, a wheel is made in jitnorm's tree")
