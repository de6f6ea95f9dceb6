# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The wheel and the source distribution: made from the build that is tested, installed by pip, and used there."""
import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

source = Path(os.environ["BELAY_SOURCE"])
packages = source / "python"

PROGRAM = """
import sys, acl, belay_npu, numpy
assert acl.__file__.startswith(sys.argv[1]) and belay_npu.__file__.startswith(sys.argv[1]), (acl, belay_npu)
assert belay_npu.__version__ == sys.argv[2], belay_npu.__version__
assert belay_npu.silu_backward(1.0, 0.0) == 0.5
assert acl.init() == 0
for line in open("/proc/self/maps"):
    assert "libopapi" not in line or sys.argv[1] in line, line
"""


def environment(**more):
    """As of a user who has set nothing up."""
    ours = ("LD_LIBRARY_PATH", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if name not in ours and not name.startswith("ASCEND_")}
    return {**kept, **more}


def build(kind, folder, output):
    """Calls the hook that pip and build call, in a process of its own, as it changes much of its process."""
    program = f"import sys; from setuptools import build_meta; print(build_meta.build_{kind}(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", program, str(output)], cwd=folder, capture_output=True, text=True,
                          env=environment(BELAY_BUILD_FOLDER=os.environ["BELAY_BUILD"]))
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return output / done.stdout.strip().split("\n")[-1]


def build_version(tree, folder, **more):
    """What a build of the tree calls itself."""
    subprocess.run(["cmake", f"-DSOURCE={tree}", f"-DOUTPUT={folder}/version", "-P", source / "cmake/build_version.cmake"],
                   check=True, env=environment(**more))
    return Path(folder, "version").read_text().split("\n")[0]


def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {info.filename: info for info in archive.infolist()}


@unittest.skipUnless(shutil.which("git"), "there is no git")
class Version(unittest.TestCase):
    def test_a_release_is_the_commit_with_its_tag_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            def git(*words, tree="tree"):
                return subprocess.run(["git", "-C", f"{folder}/{tree}", "-c", "user.name=A", "-c", "user.email=a@b", *words],
                                      check=True, capture_output=True, env=environment(GIT_CONFIG_GLOBAL="/dev/null")).stdout

            def called(tree="tree"):
                return build_version(f"{folder}/{tree}", folder, BELAY_RELEASE="")

            def archived(name):
                Path(folder, name).mkdir()
                subprocess.run(["tar", "x", "-C", f"{folder}/{name}"], check=True, input=git("archive", "HEAD"))
                return called(name)

            tree = Path(folder, "tree")
            for path in (".gitattributes", "cmake/commit.txt", "python/acl/__init__.py"):
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_text((source / path).read_text())
            (tree / "cmake/commit.txt").write_text("$Format:%h %D$\n")  # which the tree's own is not, in an archive
            (tree / "python/acl/__init__.py").write_text('__version__ = "1.2.3"\n')
            self.assertEqual(called(), "1.2.3.dev0")
            git("init", "-q")
            git("add", ".")
            git("commit", "-qm", "Begin")
            of_commit = "1.2.3.dev0+g" + git("log", "-1", "--format=%h").decode().strip()
            self.assertEqual(called(), of_commit)
            self.assertEqual(archived("archive"), of_commit)
            git("tag", "v1.2.30")
            self.assertEqual(called(), of_commit)
            git("tag", "v1.2.3")
            self.assertEqual(called(), "1.2.3")
            self.assertEqual(archived("release"), "1.2.3")
            (tree / "python/more.py").write_text("")
            self.assertEqual(called(), "1.2.3")  # what git does not know is no part of it
            (tree / "python/acl/__init__.py").write_text('__version__ = "1.2.3"\nchanged = True\n')
            self.assertEqual(called(), of_commit)
            git("clone", "-q", "--depth", "1", "--no-tags", f"file://{tree}", f"{folder}/shallow")
            self.assertTrue(called("shallow").startswith("1.2.3.dev0+g"), called("shallow"))


class Package(unittest.TestCase):
    version = re.search(r'PACKAGE_VERSION "(.*?)"', Path(os.environ["BELAY_BUILD"], "cmake/BelayConfigVersion.cmake")
                        .read_text())[1]

    @classmethod
    def setUpClass(cls):
        with contextlib.ExitStack() as stack:
            cls.work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            cls.addClassCleanup(stack.pop_all().close)
        # Building writes beside the sources, of which there is thus a copy: what a source distribution holds.
        tree = cls.work / "tree"
        shutil.copytree(source, tree, ignore=lambda folder, names: [
            name for name in names if name in ("__pycache__", ".git") or name.endswith(".egg-info")
            or (Path(folder) == source and (name.startswith("build") or name == "out"))])
        # What is no release says so, and by which commit where it knows that.
        cls.built = build_version(tree, cls.work)
        cls.sdist = build("sdist", tree, cls.work)
        with tarfile.open(cls.sdist) as archive:
            cls.links = [member.name for member in archive.getmembers() if not (member.isfile() or member.isdir())]
            archive.extractall(cls.work / "sdist")
        cls.unpacked = cls.work / "sdist" / cls.sdist.name[:-len(".tar.gz")]
        cls.wheel = build("wheel", cls.unpacked, cls.work)
        cls.installed = cls.work / "installed"
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile",
                        "--prefix", str(cls.installed), str(cls.wheel)], check=True,
                       env=environment(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_ROOT_USER_ACTION="ignore"))
        cls.modules = next(cls.installed.rglob("acl/__init__.py")).parents[1]
        cls.command = next(cls.installed.rglob("bin/belay"))

    def test_the_wheel_is_for_this_platform_and_any_python_3_and_has_all_modules(self):
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        self.assertEqual(self.wheel.name, f"belay_npu-{self.built}-py3-none-{platform}.whl")
        self.assertRegex(self.built, rf"^{re.escape(self.version)}(\.dev0(\+g[0-9a-f]+)?)?$")
        # hccl is a module of the toolkit's folder alone, which belay run names to programs.
        expected = {str(path.relative_to(packages)) for path in packages.glob("*/*.py") if path.parent.name != "hccl"}
        found = {name for name in names(self.wheel) if name.endswith(".py") and "belay_npu/latest/" not in name}
        self.assertEqual(found, expected)
        for name in ("LICENSE", "NOTICE"):
            text = self.modules / "belay_npu/latest/share/doc/belay" / name
            self.assertEqual(text.read_bytes(), (source / name).read_bytes())

    def test_the_wheel_has_each_file_of_the_toolkit_once(self):
        root = self.work / "root"
        subprocess.run(["cmake", "--install", os.environ["BELAY_BUILD"], "--prefix", str(root)], check=True,
                       stdout=subprocess.DEVNULL)
        expected = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()
                    and not any(part.is_symlink() for part in (path, *path.parents))}
        found = {name.split("belay_npu/latest/", 1)[1] for name in names(self.wheel) if "belay_npu/latest/" in name}
        readmes = {name for name in found - expected if name.endswith("/README")}
        self.assertEqual(found - readmes, expected)
        # torch_npu asks for these three, of which a wheel could not hold an empty one.
        for folder in ("runtime", "compiler", "opp"):
            self.assertTrue((self.modules / "belay_npu/latest" / folder).is_dir(), folder)

    def test_modules_and_command_work_where_they_are_installed_with_nothing_set_up(self):
        ready = environment(PYTHONPATH=str(self.modules))
        subprocess.run([sys.executable, "-c", PROGRAM, str(self.installed), self.version], check=True, env=ready,
                       cwd=self.work)
        done = subprocess.run([self.command, "info"], env=ready, capture_output=True, text=True, check=True)
        places = [line for line in done.stdout.split("\n") if line.startswith("library")]
        self.assertTrue(places and all(str(self.installed) in line for line in places), done.stdout)
        done = subprocess.run([self.command, "run", sys.executable, "-c", PROGRAM, str(self.installed), self.version],
                              env=ready, cwd=self.work, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_libraries_are_loaded_from_a_folder_called_latest(self):
        """MindSpore looks for that name in the path of a library, whose root it takes to be before it."""
        program = "import acl; print([line.split()[-1] for line in open('/proc/self/maps') if 'libascendcl' in line][0])"
        done = subprocess.run([self.command, "run", sys.executable, "-c", program], cwd=self.work, check=True,
                              env=environment(PYTHONPATH=str(self.modules)), capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), str(self.modules / "belay_npu/latest/lib64/libascendcl.so"))

    def test_the_other_project_called_belay_keeps_its_module_and_its_command(self):
        """Whichever is installed first: belay is then that project's, belay-npu is this one's."""
        tree = self.work / "other"
        (tree / "belay").mkdir(parents=True)
        (tree / "belay/__init__.py").write_text("def main():\n    print('the other one', __import__('sys').argv[1:])\n")
        (tree / "setup.py").write_text("from setuptools import setup\nsetup(name='belay', version='99', packages=['belay'], "
                                       "entry_points={'console_scripts': ['belay = belay:main']})\n")
        other = build("wheel", tree, self.work)
        for order in ((other, self.wheel), (self.wheel, other)):
            prefix = self.work / f"both-{order.index(other)}"
            for wheel in order:
                subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                                "--no-compile", "--ignore-installed", "--prefix", str(prefix), str(wheel)], check=True,
                               env=environment(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_ROOT_USER_ACTION="ignore"))
            modules = next(prefix.rglob("belay_npu/__init__.py")).parents[1]
            ready = environment(PYTHONPATH=str(modules), PYTHONDONTWRITEBYTECODE="1")

            def says(*words):
                return subprocess.run(words, env=ready, capture_output=True, text=True, check=True).stdout.strip()
            bin_folder = next(prefix.rglob("bin/belay-npu")).parent
            self.assertEqual(says(bin_folder / "belay", "run", "x"), "the other one ['run', 'x']", order)
            self.assertEqual(says(bin_folder / "belay-npu", "prefix"), str(modules / "belay_npu/latest"), order)
            self.assertEqual(says(sys.executable, "-c", "import belay, belay_npu; belay.main(); "
                                  "print(belay_npu.silu_backward(1.0, 0.0))"), "the other one []\n0.5", order)

    def test_man_and_shells_find_their_files_beside_the_command(self):
        share = self.command.parent.parent / "share"
        for name in ("man/man1/belay.1", "man/man1/belay-run.1", "bash-completion/completions/belay",
                     "zsh/site-functions/_belay"):
            self.assertTrue((share / name).is_file(), name)

    def test_programs_compile_against_the_installed_toolkit(self):
        root = self.modules / "belay_npu" / "latest"
        line = 'cd "$1" && . ./set_env.sh && cc "$2" $(pkg-config --cflags --libs belay) -o "$3" && "$3"'
        subprocess.run(["sh", "-ec", line, "sh", str(root), str(source / "tests/install/program.c"),
                        str(self.work / "user")], check=True, env=environment())

    def test_the_source_distribution_has_what_cmake_needs(self):
        self.assertRegex(self.sdist.name, rf"^belay[-_]npu-{re.escape(self.built)}\.tar\.gz$")  # setuptools 69 turned to _
        self.assertEqual(self.links, [])
        done = subprocess.run(["cmake", "-S", self.unpacked, "-B", self.work / "configured", "-DBELAY_EXAMPLES=ON"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for folder in ("src", "include", "cmake", "docs", "third_party", "python/hccl"):
            ours = {str(path.relative_to(source)) for path in (source / folder).rglob("*") if path.is_file()}
            theirs = {str(path.relative_to(self.unpacked)) for path in (self.unpacked / folder).rglob("*")
                      if path.is_file()}
            self.assertEqual(ours, theirs)

    def test_the_bill_of_materials_has_the_files_their_checksums_and_what_they_need(self):
        folder = self.work / "release"
        folder.mkdir()
        for path in (self.sdist, self.wheel):
            shutil.copy(path, folder)
        done = subprocess.run([sys.executable, "-B", source / "scripts/bill_of_materials.py", folder, self.version, "0"],
                              capture_output=True, text=True, check=True)
        bill = json.loads(done.stdout)
        self.assertEqual((bill["spdxVersion"], bill["creationInfo"]["created"]), ("SPDX-2.3", "1970-01-01T00:00:00Z"))
        packages = {package["name"]: package for package in bill["packages"]}
        names_of = {package["SPDXID"]: name for name, package in packages.items()}
        self.assertEqual(len(names_of), len(packages))
        for path in (self.sdist, self.wheel):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            self.assertEqual(packages[path.name]["checksums"], [{"algorithm": "SHA256", "checksumValue": digest}])
        relations = {(names_of.get(relation["spdxElementId"]), relation["relationshipType"],
                      names_of[relation["relatedSpdxElement"]]) for relation in bill["relationships"]}
        self.assertEqual(relations & {(None, "DESCRIBES", path.name) for path in (self.sdist, self.wheel)},
                         {(None, "DESCRIBES", path.name) for path in (self.sdist, self.wheel)})
        # What others wrote, with the licence and the version that it has in the tree.
        header = (source / "third_party/yyjson/yyjson.h").read_text()
        version = re.search(r"^#define YYJSON_VERSION_STRING \"(.*)\"$", header, re.MULTILINE).group(1)
        self.assertEqual(packages["yyjson"]["externalRefs"][0]["referenceLocator"], f"pkg:github/ibireme/yyjson@{version}")
        for path in (self.sdist, self.wheel):
            self.assertIn((path.name, "CONTAINS", "yyjson"), relations)
            self.assertIn("MIT", packages[path.name]["licenseDeclared"])
        needs = {need for name, kind, need in relations if (name, kind) == (self.wheel.name, "DEPENDS_ON")}
        self.assertTrue({"libc.so.6", "numpy"} <= needs, needs)
        self.assertFalse([need for need in needs if "ascendcl" in need or "opapi" in need], needs)

    def test_without_the_libraries_the_import_says_where_they_are_looked_for(self):
        nowhere = environment(PYTHONPATH=str(packages), ASCEND_HOME_PATH="/nowhere")
        done = subprocess.run([sys.executable, "-c", "import acl"], env=nowhere, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        # As clients guard it.
        self.assertIn("\nImportError: libascendcl.so cannot be opened", done.stderr)
        self.assertIn("/nowhere/lib64/libascendcl.so", done.stderr)
        found = environment(PYTHONPATH=str(packages), ASCEND_HOME_PATH=os.environ["BELAY_BUILD"])
        subprocess.run([sys.executable, "-c", "import acl, belay_npu"], env=found, check=True)


if __name__ == "__main__":
    # What this Python makes wheels with; nothing is fetched.
    missing = [name for name in ("pip", "setuptools", "wheel") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {sys.executable} makes no wheels without {', '.join(missing)}")
        sys.exit(77)
    unittest.main()
