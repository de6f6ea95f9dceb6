# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Builds the libraries with CMake and puts what it installs, the toolkit root, into the wheel as belay_npu/latest. It is
called latest because MindSpore finds a root by a folder of that name in the path of a library, and no link can be.

With the package ziglang, which isolated builds bring (pyproject.toml), its compiler builds them against glibc 2.28, so
that the wheel is good for any distribution since 2018, whatever this machine has; BELAY_WHEEL_MACHINE=aarch64 (or
x86_64) builds for another processor. Without ziglang the machine's own compiler does it, for this machine.
BELAY_BUILD_FOLDER names a build folder to use; without it, build/wheel-MACHINE is made and kept for the next time.
BELAY_HOST_COMMAND names a command belay that runs here, to print the manual pages of one for another processor.
BELAY_GLOO_SOURCE names the folder with Gloo's sources (scripts/gloo_sources.sh), which collectives between processes
need: the wheel has them built in. Without it what ziglang builds has no such collectives, as nothing of this machine
may be in it.
"""
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from distutils.command.install_data import install_data

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent
MACHINE = os.environ.get("BELAY_WHEEL_MACHINE") or platform.machine()
BUILD = os.environ.get("BELAY_BUILD_FOLDER")
GLOO = os.environ.get("BELAY_GLOO_SOURCE") and Path(os.environ["BELAY_GLOO_SOURCE"]).resolve()
ZIG = importlib.util.find_spec("ziglang")
GLIBC = (2, 28)


def cmake(*words):
    subprocess.run(["cmake", *map(str, words)], check=True)


def build_version():
    """What this build calls itself, and the commit it is of; cmake/build_version.cmake has the rule."""
    with tempfile.TemporaryDirectory() as folder:
        cmake(f"-DSOURCE={ROOT}", f"-DOUTPUT={folder}/version", "-P", ROOT / "cmake/build_version.cmake")
        version, commit = Path(folder, "version").read_text().split("\n")[:2]
    return version, commit.strip()


VERSION, COMMIT = build_version()


def describe_zig(build):
    """Writes the file that tells CMake of the compiler, and returns its path."""
    toolchain, names = build / "zig.cmake", build / "nm"
    zig = Path(ZIG.submodule_search_locations[0], "zig")
    build.mkdir(parents=True, exist_ok=True)
    names.write_text(f"#!{sys.executable}\n{(ROOT / 'cmake/defined_symbols.py').read_text()}")
    names.chmod(0o755)
    toolchain.write_text(f"""
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {MACHINE})
set(CMAKE_C_COMPILER "{zig}" cc)
set(CMAKE_CXX_COMPILER "{zig}" c++)
set(CMAKE_C_COMPILER_TARGET {MACHINE}-linux-gnu.{GLIBC[0]}.{GLIBC[1]})
set(CMAKE_CXX_COMPILER_TARGET ${{CMAKE_C_COMPILER_TARGET}})
set(CMAKE_NM "{names}" CACHE FILEPATH "")
# No symbols but the exported ones; and the list of operators is a section that nothing names.
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s -Wl,--no-gc-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
""")
    return toolchain


def forget_tools_that_are_gone(build):
    """A build that pip made has the compiler and the ninja that pip had brought for it alone: it is configured again."""
    cache = build / "CMakeCache.txt"
    if not cache.exists():
        return
    tools = re.findall(r"^CMAKE_(?:MAKE_PROGRAM|TOOLCHAIN_FILE|C_COMPILER):[A-Z]+=(/.*)$", cache.read_text(), re.M)
    toolchain = build / "zig.cmake"
    if toolchain.exists():
        tools += re.findall(r'^set\(CMAKE_C_COMPILER "(/.*?)"', toolchain.read_text(), re.M)
    if not all(map(os.path.exists, tools)):
        cache.unlink()
        shutil.rmtree(build / "CMakeFiles", ignore_errors=True)


class BuildWithToolkit(build_py):
    def run(self):
        super().run()
        build = Path(BUILD or ROOT / "build" / f"wheel-{MACHINE}")
        toolkit = Path(self.build_lib, "belay_npu", "latest").resolve()
        forget_tools_that_are_gone(build)
        if not (build / "CMakeCache.txt").exists():
            options = ["-G", "Ninja"] if shutil.which("ninja") else []
            # Lines of the log name files as from here, so that builds in other folders are the same bytes.
            for language, variable in (("C", "CFLAGS"), ("CXX", "CXXFLAGS")):
                options.append(f"-DCMAKE_{language}_FLAGS=-ffile-prefix-map={ROOT}=. {os.environ.get(variable, '')}")
            if ZIG:
                options.append(f"-DCMAKE_TOOLCHAIN_FILE={describe_zig(build)}")
            if GLOO:
                options += ["-DBELAY_GLOO=ON", f"-DBELAY_GLOO_SOURCE={GLOO}"]
            elif ZIG:
                options.append("-DBELAY_GLOO=OFF")
                print("setup.py: BELAY_GLOO_SOURCE names no folder: the wheel has no collectives between processes")
            if "BELAY_HOST_COMMAND" in os.environ:
                options.append(f"-DBELAY_HOST_COMMAND={os.environ['BELAY_HOST_COMMAND']}")
            cmake("-S", ROOT, "-B", build, *options)
        if GLOO and f"BELAY_GLOO_SOURCE:PATH={GLOO}\n" not in (build / "CMakeCache.txt").read_text():
            sys.exit(f"setup.py: {build} was made without BELAY_GLOO_SOURCE={GLOO}; remove it, and try again")
        cmake("--build", build, "--target", "toolkit", "--parallel", os.cpu_count() or 1)
        shutil.rmtree(toolkit, ignore_errors=True)
        cmake("--install", build, "--prefix", toolkit)
        # A wheel holds no links; what they lead to would be in it several times. Nor does it hold empty folders, and
        # clients ask whether runtime, compiler and opp are there.
        for path in [path for path in toolkit.rglob("*") if path.is_symlink()]:
            path.unlink()
        for path in [path for path in toolkit.rglob("*") if path.is_dir() and not any(path.iterdir())]:
            (path / "README").write_text("Some programs ask whether this folder is there; what they may want of it is in\n"
                                         "bin, include and lib64 of the toolkit root.\n")


class SourceOfCommit(sdist):
    """Without git the sources know the commit by a file."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        path = Path(base_dir, "cmake", "commit.txt")
        path.unlink()  # which may be a link to the tree's
        path.write_text((COMMIT or "unknown") + "\n")


class SharedWithManAndShells(install_data):
    """Manual pages and completion once more where they are looked for: in share of what the command is in bin of."""

    def run(self):
        share = Path(self.get_finalized_command("build_py").build_lib, "belay_npu", "latest", "share")
        self.data_files = [(f"share/{path.relative_to(share).parent}", [str(path)])
                           for name in ("man", "bash-completion", "zsh") for path in (share / name).rglob("*") if path.is_file()]
        super().run()


class WheelOfThisPlatform(bdist_wheel):
    def get_tag(self):
        """No module is compiled, so any Python 3 will do; the libraries are this platform's."""
        linux = f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{MACHINE}" if ZIG and not BUILD else super().get_tag()[2]
        return ("py3", "none", linux)


class DistributionWithLibraries(Distribution):
    def has_ext_modules(self):
        return True

    def has_data_files(self):
        return True


setup(version=VERSION, license="Apache-2.0 AND MIT" + (" AND BSD-3-Clause" if GLOO else ""), license_files=["LICENSE", "NOTICE"], scripts=["python/scripts/belay", "python/scripts/belay-npu"],
      distclass=DistributionWithLibraries, cmdclass={"build_py": BuildWithToolkit, "sdist": SourceOfCommit, "bdist_wheel": WheelOfThisPlatform,
                                                   "install_data": SharedWithManAndShells})
