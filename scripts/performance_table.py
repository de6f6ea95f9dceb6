#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes the tables of docs/performance.md from what the benchmark measured: operators, products, other shapes.

    scripts/performance_table.py build-bench/results/results.json ... docs/performance.md

The rows of the sections "family" and "shapes" with one thread count; a table that gets no rows stays as it is. Where
several results have the same operator, dtype and size, the last one counts.
"""
import json
import sys

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
        if name.replace("Inplace", "") != name and name.replace("Inplace", "") in table:
            continue  # what works in place is the same loop with one stream of memory less
        cells = [cell_text(dtypes[dtype]) if dtype in dtypes else "" for dtype in DTYPES]
        lines.append(f"| {name} | " + " | ".join(cells) + " |\n")
    return "".join(lines)


def shapes(files):
    """The rows of the section "shapes", with one thread; later files replace rows of earlier ones."""
    found = {}
    for path in files:
        with open(path, encoding="utf-8") as file:
            for row in json.load(file)["rows"]:
                if row["section"] == "shapes" and row["threads"] == 1:
                    found[row["operator"], row["dtype"], row["layout"], row["elements"]] = row["figures"]
    return found


def median(figures, name):
    return number(figures[name][1]) if name in figures else "-"


def write_products(found):
    lines = ["| product | dtype | us | GFLOP/s | PyTorch / Belay |\n|---|---|---:|---:|---:|\n"]
    for (operator, dtype, shape, _), figures in found.items():
        if "GFLOP/s" in figures:
            lines.append(f"| {operator} {shape} | {dtype} | {figures['ns'][1] / 1000:.0f} | {figures['GFLOP/s'][1]:.0f} | "
                         f"{median(figures, 'torch')} |\n")
    return "".join(lines) if len(lines) > 1 else ""


def write_shapes(found):
    sizes = {1 << 10: "1K", 1 << 14: "16K", 1 << 20: "1M", 1 << 24: "16M"}
    table = {}
    for (operator, _, axis, elements), figures in found.items():
        if "GFLOP/s" not in figures:
            cell = (f"{figures['ns'][1] * 1000 / elements:.0f} ({median(figures, 'torch')}, "
                    f"{median(figures, 'roofline')})")
            table.setdefault(f"{operator}, {axis.replace('_', ' ')}", {})[elements] = cell
    lines = ["| operator | " + " | ".join(sizes.values()) + " |\n|---" + "|---:" * len(sizes) + "|\n"]
    for name, cells in table.items():
        lines.append(f"| {name} | " + " | ".join(cells.get(size, "") for size in sizes) + " |\n")
    return "".join(lines) if table else ""


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    *files, document = arguments
    with open(document, encoding="utf-8") as file:
        text = file.read()
    found = shapes(files)
    operators = collect(files)
    tables = {"operators": write(operators) if operators else "", "products": write_products(found),
              "shapes": write_shapes(found)}
    if not any(tables.values()):
        sys.exit("performance_table.py: the results have no rows of the sections family and shapes")
    for name, table in tables.items():
        before, begin, rest = text.partition(f"<!-- {name} begin -->\n")
        _, end, after = rest.partition(f"<!-- {name} end -->\n")
        if not end:
            sys.exit(f"performance_table.py: {document} has no place for the table of {name}")
        if table:
            text = before + begin + table + end + after
    with open(document, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
