# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The wheel and the source distribution: made, installed, and used from where they were installed."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

source = Path(os.environ["BELAY_SOURCE"])
packages = source / "python"

PROGRAM = """
import sys, acl, belay, numpy
assert acl.__file__.startswith(sys.argv[1]) and belay.__file__.startswith(sys.argv[1]), (acl, belay)
assert belay.__version__ == sys.argv[2], belay.__version__
assert belay.silu_backward(1.0, 0.0) == 0.5
assert acl.init() == 0
"""


def build(kind, folder, output):
    """Calls the hook that pip and build call, in a process of its own, as it changes much of its process."""
    program = f"import sys; from setuptools import build_meta; print(build_meta.build_{kind}(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", program, str(output)], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return output / done.stdout.strip().split("\n")[-1]


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


class Package(unittest.TestCase):
    version = re.search(r"project\(Belay VERSION (\S+)", (source / "CMakeLists.txt").read_text())[1]

    @classmethod
    def setUpClass(cls):
        with contextlib.ExitStack() as stack:
            cls.work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            cls.addClassCleanup(stack.pop_all().close)
        # Building writes beside the sources.
        shutil.copytree(packages, cls.work / "python",
                        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        cls.wheel = build("wheel", cls.work / "python", cls.work)
        cls.sdist = build("sdist", cls.work / "python", cls.work)

    def run_in(self, folder):
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        subprocess.run([sys.executable, "-c", PROGRAM, str(folder), self.version], check=True, env=environment,
                       cwd=self.work)

    def test_the_wheel_is_for_every_system_and_has_all_modules(self):
        self.assertEqual(self.wheel.name, f"belay-{self.version}-py3-none-any.whl")
        expected = {str(path.relative_to(packages)) for path in packages.glob("*/*.py")}
        found = contents(self.wheel)
        self.assertEqual({name for name in found if name.endswith(".py")}, expected)
        for name in expected:
            self.assertEqual(found[name], (packages / name).read_bytes())
        for name in ("LICENSE", "NOTICE"):
            places = [path for path in found if re.fullmatch(rf"belay-[^/]+\.dist-info/(licenses/)?{name}", path)]
            self.assertEqual([found[path] for path in places], [(source / name).read_bytes()])

    def test_the_wheel_works_where_it_is_installed(self):
        folder = self.work / "installed"
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(folder)
        self.run_in(folder)

    def test_the_source_distribution_makes_the_same_wheel(self):
        self.assertEqual(self.sdist.name, f"belay-{self.version}.tar.gz")
        with tarfile.open(self.sdist) as archive:
            for member in archive.getmembers():
                self.assertTrue(member.isfile() or member.isdir(), f"{member.name} is a link")
            archive.extractall(self.work / "sdist")
        output = self.work / "again"
        output.mkdir()
        again = build("wheel", self.work / "sdist" / f"belay-{self.version}", output)
        self.assertEqual(contents(again), contents(self.wheel))

    def test_without_the_libraries_the_import_says_where_they_are_looked_for(self):
        environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        environment["PYTHONPATH"] = str(packages)
        environment["ASCEND_HOME_PATH"] = "/nowhere"
        done = subprocess.run([sys.executable, "-c", "import acl"], env=environment, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("libascendcl.so cannot be opened", done.stderr)
        self.assertIn("/nowhere/lib64/libascendcl.so", done.stderr)
        environment["ASCEND_HOME_PATH"] = os.environ["BELAY_BUILD"]
        subprocess.run([sys.executable, "-c", "import acl, belay"], env=environment, check=True)


if __name__ == "__main__":
    unittest.main()
