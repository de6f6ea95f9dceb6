#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The mistakes that the tests of belay check plant, with the reports as they are printed.

    scripts/checker_table.py BUILD            writes docs/checker-examples.md: one of each kind
    scripts/checker_table.py BUILD --all      prints all of them
    scripts/checker_table.py BUILD --compare  fails where the page says something else

Every program is run with its mistake, which must be reported by the rule of its name, and mended, where it has such a
form, which must have no report. Addresses, offsets and folders are left out, so that the page is the same everywhere.
"""
import os
import re
import resource
import subprocess
import sys
import sysconfig
import textwrap

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(SOURCE, "docs", "checker-examples.md")
WIDTH = 96
HEAD = """# Mistakes and their reports

What [`belay check`](checker.md) prints for mistakes that its tests plant, one of each kind; the
names are those of the tests. Written by `scripts/checker_table.py build`, which runs the programs,
mended too: then they have no report. With `--all` it prints all {count} of them. `0x..` and `+0x..`
stand for addresses and offsets, and callers (`from`) and the summary are left out. What the reports
mean and how to mend each is on the pages that [checker.md](checker.md#checks) names.
"""

# The mistakes of one program: its source, what is said of it, the checks that it is run with, how to run it, and
# which of its mistakes the page shows.
PROGRAMS = (
    ("misuse.c", "Calls that fail", "report", "test_check_misuse",
     "DC-001 DC-001-kind DC-002 DC-003-twice DC-004-less DC-004-over DC-005 DC-006 DC-006-kind DC-008-twice DC-009 "
     "DC-014 DC-015 DC-016 DC-019 DC-021 DC-021-callback DC-023-dtype"),
    ("touched.cpp", "Memory", "mem,race", "test_check_touched",
     "DC-007 DC-007-write DC-008 DC-009 DC-009-before DC-011"),
    ("unordered.cpp", "Order and contents", "race,init,num", "test_check_unordered",
     "DC-012-read-after-write DC-012-event-too-early DC-012-workspace DC-011-read-back "
     "DC-008-freed DC-013-freed-host DC-010-operator DC-010-rest DC-022-infinite DC-022-nan"),
    ("collectives.cpp", "Collectives", "report,race,init", "test_check_collectives",
     "DC-025-different-sides"),
    ("left_behind.cpp", "What is left", "leak,order", "test_check_left_behind",
     "memory tensors event executor communicator group first_phase workspace reset"),
    ("unordered.py", "Python", "race,init", None, "early unwritten"),
    ("touched.py", "Python: memory", "mem,race", None, "device"),
    ("left_behind.py", "Python: what is left", "leak,order,report", None, "memory free"),
)
# Programs that show what is no mistake, or that their mended form still leaves something for another rule.
NO_MISTAKE = re.compile(r"^(none.*|loop|exit|abort)$")


def mistakes_of(source):
    """The names of all mistakes of a program, as its source has them."""
    text = ""
    for part in (source, "misuse_operators.c") if source == "misuse.c" else (source,):
        with open(os.path.join(SOURCE, "tests", "check", part), encoding="utf-8") as file:
            text += file.read()
    if source.endswith(".py"):
        names = re.findall(r'"(\w+)": \w+', text)
    else:
        names = re.findall(r'\{"([\w-]+)", *\w+\}', text)
    return [name for name in names if not NO_MISTAKE.match(name)]


def run(build, checks, program, source, name, mended):
    """The lines of belay check, and its exit status."""
    command = [os.path.join(build, "bin", "belay"), "check", "--only", checks]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("BELAY_", "ASCEND_"))}
    if program:
        command += [os.path.join(build, "bin", program), name]
    else:
        environment["PYTHONPATH"] = os.path.join(SOURCE, "python")
        environment["LD_LIBRARY_PATH"] = os.path.join(build, "lib64")
        command += [sys.executable, "-B", os.path.join(SOURCE, "tests", "check", source), name]
    done = subprocess.run(command + ["mended"] * mended, env=environment, capture_output=True, text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    return [line for line in done.stderr.splitlines() if line.startswith("belay check: ")], done.returncode


def plain(line):
    """A line without what differs from machine to machine."""
    line = re.sub(r"\+0x[0-9a-f]+( in \w+)?", "+0x..", line)
    line = re.sub(r"\b0x[0-9a-f]{5,}\b", "0x..", line)
    line = line.replace(os.path.join(SOURCE, "tests", "check", ""), "")
    line = re.sub(r"at [\w./-]*lib[\w.+-]*\+0x\.\.", "at libc.so.6+0x..", line)
    return "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent=" " * 8, break_long_words=False,
                                   break_on_hyphens=False))


def report_of(build, checks, program, source, name):
    """The report of a mistake; fails where it is none, or where the mended program has one."""
    lines, status = run(build, checks, program, source, name, False)
    rules = [line for line in lines if re.match(r"belay check: DC-", line)]
    rule = name[:6] if name.startswith("DC-") else "DC-0"
    if status == 0 or not rules or rule not in rules[0]:
        sys.exit(f"{source}: {name} is not reported: {lines}")
    if program != "test_check_misuse" and not name.startswith("exit_"):
        mended, status = run(build, checks, program, source, name, True)
        if status != 0 or mended != ["belay check: 0 reports"]:
            sys.exit(f"{source}: {name} mended has reports: {mended}")
    end = next(i for i, line in enumerate(lines) if re.match(r"belay check: (\d+ reports?|signal)", line))
    return [plain(line) for line in lines[:end] if not re.match(r"belay check:  +from ", line)]


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--all"], ["--compare"]):
        sys.exit(__doc__)
    if sys.argv[2:] == ["--compare"] and (sys.version_info > (3, 15) or sysconfig.get_config_var("Py_GIL_DISABLED")):
        sys.exit(77)  # the checker tells no lines of this interpreter
    build, all_of_them = os.path.abspath(sys.argv[1]), sys.argv[2:] == ["--all"]
    count, page = 0, []
    for source, title, checks, program, shown in PROGRAMS:
        page += [f"\n## {title}: tests/check/{source}\n", "<!-- run by: tests/check/page.sh -->", "```text"]
        names = mistakes_of(source)
        missing = set(shown.split()) - set(names)
        if missing or not names:
            sys.exit(f"{source} has no {missing}")
        for name in names:
            count += 1
            if all_of_them or name in shown.split():
                page += [f"# {name}"] + report_of(build, checks, program, source, name)
        page += ["```"]
    body = "\n".join(page)
    text = f"{HEAD.format(count=count)}\n<!-- reports begin -->\n{body}\n<!-- reports end -->\n"
    if all_of_them:
        print(text)
    elif sys.argv[2:]:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != text:
                sys.exit(f"{PAGE} is not what the programs print now: scripts/checker_table.py BUILD writes it")
    else:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)


main()
