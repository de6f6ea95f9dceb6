# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The recipes for CI say the same as one another and as the rest of the tree: recipes.py ROOT

- Both have the same jobs, which docs/ci.md has a row for each, and each job ends by running something on Belay.
- Both install the same packages by the same versions, for each job; of vLLM those of scripts/clients_vllm.sh and docs/vllm.md.
- What a job takes of the repository, its row names; and scripts/try_recipes.py puts a file of examples in its place."""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
faults = []


def read(name):
    return (ROOT / name).read_text()


def expect(holds, text):
    if not holds:
        faults.append(text)


def jobs(text, indent):
    """Each job's text, without comments, by its name."""
    text = re.sub(r"(?m)(^| )#.*$", "", text)
    parts = re.split(rf"(?m)^{' ' * indent}([a-z]+):$", text)[1:]
    found = dict(zip(parts[::2], parts[1::2]))
    return {name: part for name, part in found.items() if name not in ("default", "variables")}


def packages(text):
    """What pip is told of packages: name and version, without quotes."""
    words = re.findall(r"[\w.-]+(?:\[\w+\])?(?:==|<)[\w.]+", text.replace('"', "").replace("'", ""))
    return sorted(set(words))


github = jobs(read("examples/ci/github.yml").partition("\njobs:\n")[2], 2)
gitlab = jobs(read("examples/ci/gitlab-ci.yml"), 0)
page = read("docs/ci.md")
rows = {row[0]: row[2] for row in re.findall(r"(?m)^\| `([a-z]+)` \| (.*?) \| (.*?) \|$", page)}
project = dict(re.findall(r'"([\w.]+)": "(examples/[\w./]+)"', read("scripts/try_recipes.py")))

expect(len(github) >= 4, f"github.yml has {len(github)} jobs")
expect(github.keys() == gitlab.keys(), f"github.yml has {sorted(github)}, gitlab-ci.yml {sorted(gitlab)}")
expect(github.keys() == rows.keys(), f"the recipes have {sorted(github)}, docs/ci.md {sorted(rows)}")
for name in github.keys() & gitlab.keys() & rows.keys():
    expect(packages(github[name]) == packages(gitlab[name]),
           f"{name}: {packages(github[name])} on GitHub, {packages(gitlab[name])} on GitLab")
    taken = set(re.findall(r"`([\w.]+)`", rows[name]))
    for recipe, text in (("github.yml", github[name]), ("gitlab-ci.yml", gitlab[name])):
        runs = re.findall(r"belay (?:run|check) .*", text)
        expect(runs, f"{recipe}: {name} runs nothing on Belay")
        used = {file for file in project if re.search(rf"(?<![\w./]){re.escape(file)}(?![\w])", text)}
        expect(used == taken, f"{recipe}: {name} takes {sorted(used)} of the repository, docs/ci.md says {sorted(taken)}")
for file in project.values():
    expect((ROOT / file).exists(), f"scripts/try_recipes.py: {file} is not there")

if "vllm" in github:
    wanted = set(packages(github["vllm"]))
    for other in ("scripts/clients_vllm.sh", "docs/vllm.md"):
        missing = wanted - set(packages(read(other)))
        expect(not missing, f"{other} does not say {sorted(missing)}, as the recipes do")
for fault in faults:
    print(fault)
print(f"{len(github)} jobs")
sys.exit(1 if faults else 0)
