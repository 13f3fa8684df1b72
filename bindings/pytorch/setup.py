# SPDX-License-Identifier: Apache-2.0
"""A wheel of jitnorm_torch, in the tree of jitnorm: `pip install ./bindings/pytorch`. CMake builds the package with the
library in it (CMakeLists.txt) and installs it to where setuptools collects the wheel's files. It fits to the PyTorch that is
installed where pip runs (backend.py).

    JITNORM_BUILD   a build folder that is configured already, as seen from the top of the tree; otherwise build/wheel is
                    configured
    CMAKE_ARGS      more arguments for CMake, where it configures build/wheel"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import torch
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
if not (TOP / "src" / "norm" / "problem.hpp").exists():
    sys.exit(f"jitnorm-torch: jitnorm's sources are not around {HERE}: a wheel is made within their tree")
VERSION = re.search(r"project\(jitnorm VERSION ([0-9.]+)", (TOP / "CMakeLists.txt").read_text()).group(1)
BUILD = TOP / os.environ.get("JITNORM_BUILD", "build/wheel")
FILES = BUILD / "python"  # what setuptools writes


class Build(build_ext):
    def run(self):
        if "JITNORM_BUILD" not in os.environ:
            switched_off = ("JITNORM_BUILD_TESTS", "JITNORM_BUILD_BENCHDNN_LITE", "JITNORM_INSTALL")
            self.cmake(
                "--fresh", "-S", TOP, "-B", BUILD, "-D", "JITNORM_BUILD_PYTORCH=ON", "-D", "JITNORM_PYTORCH_REQUIRED=ON",
                "-D", f"JITNORM_TORCH_PYTHON={sys.executable}", "-D", f"CMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}",
                *(f"-D{name}=OFF" for name in switched_off), *shlex.split(os.environ.get("CMAKE_ARGS", "")),
            )  # fmt: skip
        self.cmake("--build", BUILD, "--parallel", str(os.cpu_count()), "--target", "jitnorm_torch")
        shutil.rmtree(self.build_lib, ignore_errors=True)
        self.cmake("--install", BUILD, "--component", "python", "--strip", "--prefix", pathlib.Path(self.build_lib).resolve())

    @staticmethod
    def cmake(*arguments):
        # CMake asks this Python for torch.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        subprocess.run(["cmake", *map(str, arguments)], check=True, env=environment)


FILES.mkdir(parents=True, exist_ok=True)
setup(
    name="jitnorm-torch",
    version=VERSION,
    description="Layer and RMS normalization for PyTorch on CPUs by jitnorm",
    long_description=(HERE / "README.md").read_text(),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.9",
    # C++ programs fit to the minor version of PyTorch that they are compiled with.
    install_requires=["torch == {}.{}.*".format(*torch.__version__.split(".")[:2])],
    packages=[],  # CMake installs them
    ext_modules=[Extension("jitnorm_torch._C", [])],  # so that the wheel is one for this Python and this machine
    cmdclass={"build_ext": Build},
    entry_points={"torch_dynamo_backends": ["jitnorm = jitnorm_torch.compiler:inductor"]},
    options={"build": {"build_base": str(FILES / "build")}, "egg_info": {"egg_base": str(FILES)}},
)
