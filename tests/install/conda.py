# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The recipe for conda: its form is conda-build's, its version the tree's, and what it copies is there.

    conda.py SOURCE              looks at packaging/conda/meta.yaml
    conda.py SOURCE BUILD WORK   also does what its script and its tests say, in a folder WORK as conda-build's, with the
                                 build folder BUILD for the one that the script makes
"""
import os
import pathlib
import re
import subprocess
import sys

# What conda-build knows of each section (its documentation of meta.yaml); a misspelt key does nothing there.
KNOWN = {
    "package": {"name", "version"},
    "source": {"path", "url", "sha256"},
    "build": {"number", "skip", "script", "script_env", "detect_binary_files_with_prefix", "missing_dso_whitelist"},
    "requirements": {"build", "host", "run"},
    "test": {"imports", "commands", "requires", "files", "source_files"},
    "about": {"home", "dev_url", "doc_url", "summary", "description", "license", "license_family", "license_file"},
    "extra": {"recipe-maintainers"},
}
source = pathlib.Path(sys.argv[1])
recipe = source / "packaging/conda/meta.yaml"
text = recipe.read_text()
faults = []


def rendered():
    """The recipe as {section: {key: scalar or list}}, without templates: the YAML that recipes are written in, no more."""
    values = dict(re.findall(r'{% set (\w+) = "(.*?)" %}', text))
    plain = re.sub(r"{{ *(\w+) *}}", lambda match: values[match[1]], text)
    plain = re.sub(r"{{ *(\w+)\(\"(\w+)\"\) *}}", r"\1-\2", plain)
    sections, section, key, block = {}, None, None, False
    for line in plain.splitlines():
        if re.match(r"\s*#|{%|\s*$", line):
            continue
        indent, line = len(line) - len(line.lstrip()), re.sub(r"\s+# .*$", "", line.strip())
        if indent == 0:
            section = sections.setdefault(line[:-1], {})
        elif indent == 2:
            key, value = re.fullmatch(r"([\w-]+):\s*(.*)", line).groups()
            section[key], block = value or [], value == "|"
        elif not block:
            section[key].append(line[2:].strip('"') if line.startswith('- "') else line[2:])
    return sections


def expect(good, fault):
    if not good:
        faults.append(fault)


sections = rendered()
for section, keys in sections.items():
    expect(section in KNOWN, f"conda-build knows no section {section}")
    faults += [f"conda-build knows no {section}/{key}" for key in keys if key not in KNOWN.get(section, keys)]
version = re.search(r'^__version__ = "(.*)"$', (source / "python/acl/__init__.py").read_text(), re.MULTILINE)[1]
expect(sections["package"]["version"] == version, f"its version is {sections['package']['version']}, and the tree's {version}")
name = re.search(r'^name = "(.*)"$', (source / "pyproject.toml").read_text(), re.MULTILINE)[1]
expect(sections["package"]["name"] == name, f"its name is not {name}")
root = (recipe.parent / sections["source"]["path"]).resolve()
expect(root == source.resolve(), f"its source is {root}")
for path in [*sections["about"]["license_file"], *re.findall(r"\bpython/[\w/-]+", " ".join(sections["build"]["script"]))]:
    expect((source / path).exists(), f"{path} is not there")
for part in ("host", "run"):
    expect(any(line.split()[0] == "python" for line in sections["requirements"][part]), f"{part} has no python")

if len(sys.argv) > 2:
    build, work = (pathlib.Path(path).resolve() for path in sys.argv[2:])
    prefix, packages = work / "prefix", work / "prefix/lib/python3/site-packages"
    packages.mkdir(parents=True)
    environment = {**os.environ, "PREFIX": str(prefix), "SP_DIR": str(packages)}
    for line in sections["build"]["script"]:
        line = line.replace("build-conda", str(build))
        if not re.match(r"cmake (-S|--build)", line):  # BUILD is that
            subprocess.run(["sh", "-ec", line], cwd=source, env=environment, check=True, stdout=subprocess.DEVNULL)
    for command in ("belay", "belay-npu"):  # as conda-build writes the interpreter into the first line
        path = prefix / "bin" / command
        path.write_text(path.read_text().replace("#!python", f"#!{sys.executable}", 1))
    environment.update(PATH=f"{prefix}/bin:{os.environ['PATH']}", PYTHONPATH=str(packages))
    for module in sections["test"]["imports"]:
        subprocess.run([sys.executable, "-c", f"import {module}"], env=environment, check=True)
    for line in sections["test"]["commands"]:
        subprocess.run(["sh", "-ec", line], cwd=work, env=environment, check=True, stdout=subprocess.DEVNULL)
for fault in faults:
    print(f"packaging/conda/meta.yaml: {fault}", file=sys.stderr)
sys.exit(1 if faults else 0)
