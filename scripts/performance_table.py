#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes the table of docs/performance.md from what the benchmark measured: a row for every operator.

    scripts/performance_table.py build-bench/results/results.json ... docs/performance.md

The rows of the section "family" count. Where several results have the same operator, dtype and size, the last one does.
"""
import json
import sys

BEGIN, END = "<!-- operators begin -->\n", "<!-- operators end -->\n"
DTYPES = ["fp32", "fp16", "bf16", "fp64", "int32", "int64", "int8"]
SIZES = {1 << 14: "16K", 1 << 24: "16M"}
# What other data tell is another case of the operator (the dtype of a conversion, a reduction) and has a row of its own.
USUAL_DATA = ("normal", "in_place")


def number(value):
    """A ratio as in 0.96, 1.04 and 21."""
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def collect(files):
    """{name: {dtype: {size: (picoseconds per element, PyTorch's time / Belay's or None)}}}, in the order of the rows."""
    table = {}
    for path in files:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["rows"]
        for row in rows:
            if row["section"] != "family" or row["elements"] not in SIZES or row["threads"] != 1:
                continue
            name = row["operator"] if row["data"] in USUAL_DATA else f"{row['operator']}, {row['data']}"
            figures = row["figures"]
            torch = figures.get("torch")
            cell = figures["ns"][1] * 1000 / row["elements"], torch[1] if torch else None
            table.setdefault(name, {}).setdefault(row["dtype"], {})[SIZES[row["elements"]]] = cell
    return table


def cell_text(sizes):
    times = " / ".join(f"{sizes[size][0]:.0f}" if size in sizes else "-" for size in SIZES.values())
    ratios = [number(sizes[size][1]) if size in sizes and sizes[size][1] else "-" for size in SIZES.values()]
    return times if set(ratios) == {"-"} else f"{times} ({' / '.join(ratios)})"


def write(table):
    lines = ["| function | " + " | ".join(DTYPES) + " |\n", "|---" + "|---:" * len(DTYPES) + "|\n"]
    for name, dtypes in table.items():
        cells = [cell_text(dtypes[dtype]) if dtype in dtypes else "" for dtype in DTYPES]
        lines.append(f"| {name} | " + " | ".join(cells) + " |\n")
    return "".join(lines)


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    *files, document = arguments
    with open(document, encoding="utf-8") as file:
        text = file.read()
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        sys.exit(f"performance_table.py: {document} has no place for the table")
    table = collect(files)
    if not table:
        sys.exit("performance_table.py: the results have no rows of the section family")
    with open(document, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + write(table) + END + after)


if __name__ == "__main__":
    main(sys.argv[1:])
