#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes the table of docs/ascendc-names.md: the names of AscendC that kernels can use, each with its header and the
tests that use it, behind the sentence of those that are not there. A name is what the headers declare in namespace
AscendC, or define as a macro; what is there for the headers alone begins with a small letter, and is left out.

    scripts/ascendc_names.py            writes the table
    scripts/ascendc_names.py --check    fails where it is not the one that would be written

Either prints the names that no test has.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/ascendc-names.md"
BEGIN, END = "<!-- names begin -->\n", "<!-- names end -->\n"
# Words of the dialect, and parts of other headers.
INTERNAL = {"Where", "Pipes", "Buffers", "Bursts", "Lanes", "Side", "Pending", "Same", "Value", "Taken", "Step", "Conversion",
            "NearestConversion", "MemoryInTurn", "PowerOf", "PowerBy", "State"}
# What kernels elsewhere use and is not there: names and headers, how the page says them, and forms of what is there.
ABSENT = ("ASSERT_MSG", "KERNEL_LOG", "block_idx", "DisableDmaAtomic", "Mean", "CumSum", "Swish", "Clamp", "LayerNorm", "Std",
          "kernel_tiling/kernel_tiling.h", "lib/matmul_intf.h")
ABSENT_SHOWN = {"LayerNorm": "`LayerNorm` (with configurations, too)", "Std": "`Std::min` and its kin"}
ABSENT_FORMS = "`Gelu`'s third template argument"


def absent_sentence():
    """The names that are not there, of which none may be."""
    headers = "".join(path.read_text() for path in (ROOT / "include/ascendc").glob("*.h"))
    for name in ABSENT:
        if (ROOT / "include" / name).exists() or re.search(rf"\b{re.escape(name)}\b", headers):
            sys.exit(f"scripts/ascendc_names.py: {name} is there, and ABSENT says that it is not")
    names = ", ".join(ABSENT_SHOWN.get(name, f"`{name}`") for name in ABSENT)
    return textwrap.fill(f"Not there either: {names}; {ABSENT_FORMS}.", 100, break_long_words=False) + "\n\n"


def names_of(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = set(re.findall(r"^#define ([A-Z]\w+)", text, re.M))
    found |= set(re.findall(r"^(?:template <[^;{]*?>\s*)?(?:struct|enum class|enum) (\w+)", text, re.M))
    found |= set(re.findall(r"^(?:template <[^;{]*?>\s*)?(?:inline |constexpr )*[\w:<>*& ]+?\b([A-Z]\w+)\(", text, re.M))
    found |= set(re.findall(r"^BELAY_(?:OF|FUNCTION|REDUCTION)\w*\((\w+)", text, re.M))
    found |= set(re.findall(r"^using ([A-Z]\w+) =", text, re.M))
    for name in re.findall(r"^BELAY_EXTREMES\((\w+)", text, re.M):
        found |= {"WholeReduce" + name, "Reduce" + name}
    return {name for name in found if name[0].isupper() and not name.startswith(("BELAY_", "ASCENDC_", "CHIP_"))} - INTERNAL


def main():
    tests = {path: path.read_text() for path in sorted((ROOT / "tests/kernel").glob("ascendc_*.cpp"))}
    tests |= {path: path.read_text() for path in sorted((ROOT / "tests/kernel").glob("ascendc_*.h"))}
    rows, untested = [], []
    for header in sorted((ROOT / "include/ascendc").glob("*.h")):
        if header.name in ("host.h", "chip.h", "launch.h", "maths.h", "qualifiers.h", "formula.h", "half.h"):
            continue
        for name in sorted(names_of(header.read_text())):
            users = [path.stem for path, text in tests.items() if re.search(rf"\b{name}\b", text)]
            rows.append(f"| `{name}` | `ascendc/{header.name}` | {', '.join(users) or 'no test'} |\n")
            if not users:
                untested.append(name)
    table = absent_sentence() + "| name | header | tests |\n|---|---|---|\n" + "".join(rows)
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    written = before + BEGIN + table + END + after
    if "--check" not in sys.argv:
        PAGE.write_text(written)
    elif written != page:
        sys.exit("docs/ascendc-names.md: the table is not what scripts/ascendc_names.py writes")
    print(f"{len(rows)} names, {len(rows) - len(untested)} with a test; without: {', '.join(untested)}")


main()
