# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Builds the libraries with CMake and puts what it installs, the toolkit root, into the wheel as belay/toolkit.

BELAY_BUILD_FOLDER names a build folder to use; without it, build/wheel is made and kept for the next time.
"""
import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent


def cmake(*words):
    subprocess.run(["cmake", *map(str, words)], check=True)


class BuildWithToolkit(build_py):
    def run(self):
        super().run()
        build = Path(os.environ.get("BELAY_BUILD_FOLDER") or ROOT / "build" / "wheel")
        toolkit = Path(self.build_lib, "belay", "toolkit").resolve()
        if not (build / "CMakeCache.txt").exists():
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            cmake("-S", ROOT, "-B", build, *generator)
        cmake("--build", build, "--target", "toolkit", "--parallel", os.cpu_count() or 1)
        shutil.rmtree(toolkit, ignore_errors=True)
        cmake("--install", build, "--prefix", toolkit)
        # A wheel holds no links; what they lead to would be in it several times.
        for path in sorted(toolkit.rglob("*"), reverse=True):
            if path.is_symlink():
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()) and path.name != "opp":
                path.rmdir()
        # Nor empty folders, and ASCEND_OPP_PATH must name one that exists.
        (toolkit / "opp" / "README").write_text("ASCEND_OPP_PATH names this folder; it holds no operator packages.\n")


class WheelOfThisPlatform(bdist_wheel):
    def get_tag(self):
        """No module is compiled, so any Python 3 will do; the libraries are this platform's."""
        return ("py3", "none", super().get_tag()[2])


class DistributionWithLibraries(Distribution):
    def has_ext_modules(self):
        return True


setup(license="Apache-2.0", license_files=["LICENSE", "NOTICE"], scripts=["python/scripts/belay"],
      distclass=DistributionWithLibraries, cmdclass={"build_py": BuildWithToolkit, "bdist_wheel": WheelOfThisPlatform})
