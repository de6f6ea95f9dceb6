#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Does what the recipes say, each job in a minimal Debian of its own (minimal_debian.sh): Dockerfile, examples/ci.

    scripts/try_recipes.py [--belay WHAT] [--folder FOLDER] [RECIPE[:JOB]...]

RECIPE is docker, github or gitlab; all are tried unless some are named. WHAT is the recipes' BELAY: what pip knows, or a
wheel of this machine, which the jobs find by its name and version beside the index, as they will find a release; without
it, a wheel that is built from this tree first. The jobs' caches are kept in FOLDER ($HOME/.cache/belay-recipes), so that a
second run finds them. Only what the recipes use is known of Docker and the two services; anything else is an error. Needs
root on Debian and scripts/packages-recipes.txt; the PyTorch jobs take 8 GB, the vllm jobs 12.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
DEBIAN = [ROOT / "scripts/minimal_debian.sh"]
IMAGE = "debian:%s-slim" % re.search("VERSION_CODENAME=(.*)", Path("/etc/os-release").read_text())[1]
PROJECT = {"program.cpp": "examples/silu_backward.cpp", "train.py": "examples/pytorch/mlp.py",
           "generate.py": "examples/vllm/generate.py", "requirements.py": "examples/vllm/requirements.py",
           "mindspore_train.py": "examples/mindspore/train.py"}


class Unknown(Exception):
    """The recipe says something that this program cannot do."""


class Machine:
    """A minimal Debian, with the environment and the shown folders that its commands get."""

    def __init__(self, folder, log):
        self.folder, self.log, self.environment, self.shown, self.directory = folder, log, {}, {}, "/"
        self.remove()
        subprocess.run([*DEBIAN, "make", folder], check=True)

    def run(self, shell, script):
        """The script by the shell, whose words come before it."""
        said = f"\n$ {script.strip()}\n"
        began = time.monotonic()
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(said)
            log.flush()
            shown = [f"{there}::{here}" for here, there in self.shown.items()]
            if "/wheels" in self.shown:
                shown.append("PIP_FIND_LINKS=/wheels")
            variables = [f"{name}={value}" for name, value in self.environment.items()]
            place = f"cd {shlex.quote(self.directory)}\n"
            status = subprocess.run([*DEBIAN, "run", self.folder, *shown, *variables, *shell, place + script],
                                    stdout=log, stderr=log, check=False).returncode
            log.write(f"({time.monotonic() - began:.1f} s, status {status})\n")
        return status == 0

    def copy_tree(self, to):
        """What of this tree git does not ignore."""
        target = Path(f"{self.folder}{to}")
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                               check=True, capture_output=True, text=True).stdout.split("\0")
        for name in filter(None, names):
            if (ROOT / name).exists():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target / name)

    def copy_project(self, to):
        """The repository that the recipes are written for: a program in C++, one in PyTorch, one of vLLM."""
        target = Path(f"{self.folder}{to}")
        target.mkdir(parents=True, exist_ok=True)
        for name, source in PROJECT.items():
            shutil.copy2(ROOT / source, target / name)

    def remove(self):
        subprocess.run([*DEBIAN, "remove", self.folder], check=True)


def know(mapping, *names):
    """That the mapping has no other names: a recipe that grows must not be tried in part."""
    for name in mapping:
        if name not in names:
            raise Unknown(f"'{name}'")


def on_this_debian(image):
    if image != IMAGE:
        raise Unknown(f"the image {image}; this machine makes {IMAGE}")


def expand(text, variables):
    return re.sub(r"\$(\w+|{\w+})", lambda found: variables.get(found[1].strip("{}"), ""), text)


def github_jobs(machines, caches, belay):
    recipe = yaml.safe_load((ROOT / "examples/ci/github.yml").read_text())
    know(recipe, "name", True, "permissions", "env", "jobs")  # "on" is true, in YAML
    for name, job in recipe["jobs"].items():
        know(job, "runs-on", "container", "env", "steps")
        on_this_debian(job["container"])
        yield f"github:{name}", lambda name=name, job=job: github_job(machines(f"github-{name}"), caches, job,
                                                                     {**recipe["env"], **job.get("env", {}), "BELAY": belay})


def github_job(machine, caches, job, environment):
    machine.environment = environment
    machine.directory = "/__w/project"
    Path(f"{machine.folder}{machine.directory}").mkdir(parents=True)
    for step in job["steps"]:
        know(step, "run", "uses", "with")
        action = step.get("uses", "").partition("@")[0]
        if "run" in step:
            if "${{" in step["run"]:
                raise Unknown(step["run"])
            if not machine.run(["sh", "-ec"], step["run"]):
                return False
        elif action == "actions/checkout":
            machine.copy_project(machine.directory)
        elif action == "actions/cache":
            know(step["with"], "path", "key", "restore-keys")
            machine.shown[step["with"]["path"]] = caches / ("github-" + step["with"]["key"].partition("-${{")[0])
        else:
            raise Unknown(action)
    return True


def gitlab_jobs(machines, caches, belay):
    recipe = yaml.safe_load((ROOT / "examples/ci/gitlab-ci.yml").read_text())
    default, variables = recipe.pop("default"), recipe.pop("variables")
    know(default, "image", "before_script")
    on_this_debian(default["image"])
    for name, job in recipe.items():
        know(job, "variables", "cache", "script")
        yield f"gitlab:{name}", lambda name=name, job=job: gitlab_job(machines(f"gitlab-{name}"), caches, default, job,
                                                                     {**variables, **job.get("variables", {}), "BELAY": belay})


def gitlab_job(machine, caches, default, job, variables):
    machine.directory = "/builds/project"
    machine.environment = {"CI_PROJECT_DIR": machine.directory}
    machine.environment.update((name, expand(value, machine.environment)) for name, value in variables.items())
    machine.copy_project(machine.directory)
    know(job["cache"], "key", "paths")
    for path in job["cache"]["paths"]:
        machine.shown[f"{machine.directory}/{path}"] = caches / f"gitlab-{job['cache']['key']}"
    return machine.run(["bash", "-eo", "pipefail", "-c"], "\n".join(default["before_script"] + job["script"]))


def docker_jobs(machines, _caches, _belay):
    yield "docker:image", lambda: docker_image(machines)


def docker_image(machines):
    text = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", (ROOT / "Dockerfile").read_text()))
    stages, arguments, machine = {}, {}, None
    for line in filter(None, text.splitlines()):
        verb, _, rest = line.partition(" ")
        words = shlex.split(rest) if verb not in ("RUN", "CMD") else []
        if verb == "ARG":
            arguments.update([words[0].split("=", 1)])
        elif verb == "FROM":
            on_this_debian(expand(words[0], arguments))
            machine = stages[words[2] if len(words) == 3 else ""] = machines("docker-" + ("".join(words[2:]) or "image"))
            machine.environment["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        elif verb == "RUN":
            if not machine.run(["sh", "-c"], rest):
                return False
        elif verb == "ENV":
            machine.environment.update(expand(word, machine.environment).split("=", 1) for word in words)
        elif verb == "WORKDIR":
            machine.directory = words[0]
            Path(f"{machine.folder}{words[0]}").mkdir(parents=True, exist_ok=True)
        elif verb == "COPY" and words[0] == ".":
            machine.copy_tree(words[1])
        elif verb == "COPY" and words[0].startswith("--from="):
            source = stages[words[0].partition("=")[2]].folder
            subprocess.run(["cp", "-a", f"{source}{words[1]}", f"{machine.folder}{words[2]}"], check=True)
        elif verb == "CMD":
            command = shlex.join(json.loads(rest))
        else:
            raise Unknown(line)
    return machine.run(["sh", "-c"], command) and machine.run(["sh", "-ec"], """
        du -shx / && ls "$ASCEND_HOME_PATH"/lib64/libbelay_gloo.so && python -c 'import acl, belay_npu, numpy as n
assert belay_npu.silu_backward(n.ones(3, "f"), n.zeros(3, "f")).tolist() == [0.5] * 3'""")


def build_wheel(machine):
    """A wheel of this tree, and where it lies in this machine's folders."""
    machine.copy_tree("/source")
    if not machine.run(["sh", "-ec"], "apt-get update -qq && apt-get install -y -qq --no-install-recommends "
                                      "python3-pip\npip wheel -q --no-deps -w /wheels /source"):
        sys.exit(f"no wheel can be built: {machine.log}")
    return next(Path(f"{machine.folder}/wheels").glob("belay_npu-*.whl"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--belay")
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache/belay-recipes")
    parser.add_argument("recipe", nargs="*", default=["docker", "github", "gitlab"])
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    made = []

    def machine(name, shared=True):
        log = folder / f"{name}.log"
        log.unlink(missing_ok=True)
        made.append(Machine(folder / f"machine-{name}", log))
        if shared:
            made[-1].shown["/wheels"] = folder / "wheels"
        return made[-1]

    (folder / "wheels").mkdir(exist_ok=True)
    belay = options.belay

    def offered(wheel):
        """A wheel among those that the jobs see, and what pip is to be asked for."""
        name, version = Path(shutil.copy2(wheel, folder / "wheels")).name.split("-")[:2]
        return f"{name.replace('_', '-')}=={version}"

    if belay and os.path.isfile(belay):
        belay = offered(belay)
    wanted = re.compile("|".join(re.escape(name) + "(:.*)?" for name in options.recipe))
    failures = 0
    try:
        if not belay and any(not name.startswith("docker") for name in options.recipe):
            belay = offered(build_wheel(machine("wheel", shared=False)))
            made.pop().remove()
        jobs = [job for make in (docker_jobs, github_jobs, gitlab_jobs)
                for job in make(machine, folder / "cache", belay)]
        for name, job in jobs:
            if not wanted.fullmatch(name):
                continue
            began = time.monotonic()
            try:
                good, why = job(), ""
            except Unknown as unknown:
                good, why = False, f": {unknown} is not known here"
            print(f"{'passed' if good else 'FAILED'}  {name:16} {time.monotonic() - began:6.0f} s{why}", flush=True)
            if not good:
                failures += 1
                print("".join(Path(made[-1].log).read_text(errors="replace").splitlines(True)[-12:]) if made else "")
            while made:
                made.pop().remove()
    finally:
        while made:
            made.pop().remove()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
