#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Keeps the folders of src in layers, as docs/design-layers.md draws them: no file includes one of a folder above its
own, and, where a build is given, no object calls what an object of a folder above defines, by whatever declaration.
Files of a folder that call one another in a circle are those that the page names, with the reason, and no others.

    scripts/check_layers.py [BUILD]                 says each include, call and circle that should not be; 1 if there is one
    scripts/check_layers.py [BUILD] --plant A B     the same as if file A below src included file B there
    scripts/check_layers.py BUILD --plant-call A B  the same as if the object of A called something of that of B
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
PAGE = ROOT / "docs/design-layers.md"
# Each name of these is defined elsewhere too: libraries that hand calls on, and functions that programs lack.
BESIDE = {"forwarding", "absent", "surroundings", "securec"}


def read_page():
    """The folders from the bottom to the top, and the circles of files that there may be."""
    text = PAGE.read_text()
    drawing = text.split("```text\n", 1)[1].split("```", 1)[0]
    layers = [line.split()[0] for line in drawing.splitlines() if line and not line.startswith(" ")]
    entries = re.split(r"^- ", text.split("\n## Circles of files\n", 1)[1], flags=re.MULTILINE)[1:]
    circles = [set(re.findall(r"`([\w/]+\.c)`", entry)) for entry in entries]
    return layers, circles


def read_includes():
    """file: the files of src that it includes."""
    files = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*") if path.suffix in (".c", ".h")}
    includes = {}
    for file in files:
        named = re.findall(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', (SOURCE / file).read_text(), re.MULTILINE)
        includes[file] = {name for name in named if name in files}
    return includes


def source_of(object_path):
    """The file below src that an object is made of; None for one that is no more, or not ours."""
    folder, rest = re.fullmatch(r"(.*?)/?CMakeFiles/[^/]+\.dir/(.*)\.o", object_path).groups()
    name = os.path.normpath(os.path.join(folder, rest.replace("__/", "../")))
    return name if (SOURCE / name).is_file() and not name.startswith("..") else None


def read_calls(build):
    """file: {file that defines what it uses: the names}."""
    folder = pathlib.Path(build) / "src"
    objects = [path.relative_to(folder).as_posix() for path in folder.rglob("*.o")]
    defines, uses = collections.defaultdict(set), collections.defaultdict(set)
    if not objects:
        sys.exit(f"check_layers.py: there are no objects below {folder}")
    listed = subprocess.run(["nm", "-A", *objects], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in listed.splitlines():
        path, words = line.split(".o:", 1)[0] + ".o", line.split()
        source, kind, name = source_of(path), words[-2], words[-1]
        if source is None or source.split("/")[0] in BESIDE:
            continue
        if kind == "U":
            uses[source].add(name)
        elif kind in "TDBRCVW":
            defines[name].add(source)
    calls = {}
    for source, names in uses.items():
        calls[source] = collections.defaultdict(set)
        for name in names:
            if len(defines[name]) == 1:
                calls[source][next(iter(defines[name]))].add(name)
        calls[source].pop(source, None)
    return calls


def circles_of(graph):
    """The sets of more than one node that can all be reached from one another (Tarjan)."""
    order, lowest, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in order:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], order[other])
        if lowest[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(set(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


def main(arguments):
    build = arguments.pop(0) if arguments and not arguments[0].startswith("--") else None
    layers, allowed = read_page()
    place = {folder: at for at, folder in enumerate(layers)}
    faults = []
    includes = read_includes()
    calls = read_calls(build) if build else {}
    if arguments[:1] == ["--plant"]:
        includes[arguments[1]].add(arguments[2])
    if arguments[:1] == ["--plant-call"]:
        calls[arguments[1]][arguments[2]].add("planted")

    def judge(file, other, what):
        low, high = os.path.dirname(file), os.path.dirname(other)
        for folder in {low, high} - set(place):
            faults.append(f"src/{folder} is in no layer of {PAGE.relative_to(ROOT)}")
            place[folder] = len(place)
        if low != high and place[high] > place[low]:
            faults.append(f"src/{file} {what}, and src/{high} is above src/{low}")

    for file in sorted(includes):
        for other in sorted(includes[file]):
            judge(file, other, f"includes {other}")
    for circle in circles_of(includes):
        faults.append("these include one another: " + ", ".join(sorted(circle)))
    for file in sorted(calls):
        for other in sorted(calls[file]):
            judge(file, other, f"calls {', '.join(sorted(calls[file][other]))} of {other}")
    found = circles_of(calls)
    for circle in found:
        if not any(circle == known for known in allowed):
            faults.append("these call one another: " + ", ".join(sorted(circle)))
    for known in allowed if build else ():
        if not any(known == circle for circle in found):
            faults.append(f"{PAGE.relative_to(ROOT)} lists a circle that is not there: " + ", ".join(sorted(known)))
    for fault in faults:
        print(f"check_layers.py: {fault}", file=sys.stderr)
    count = len({os.path.dirname(file) for file in includes})
    print(f"{count} folders, {len(includes)} files, {len(calls)} objects: {len(faults)} faults, {len(found)} circles of files "
          "that the page names" if build else f"{count} folders, {len(includes)} files: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
