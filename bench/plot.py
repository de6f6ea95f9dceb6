#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Draws the benchmark's JSON: for each operator and dtype, Belay's and the peers' rates over the number of elements.

usage: plot.py RESULTS.json PICTURE.png
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot


def rates(rows, figure):
    """Elements and GB/s of Belay (figure None) or of what Belay's rate must be divided by the figure for."""
    points = []
    for row in rows:
        figures = row["figures"]
        if figure and figure not in figures:
            continue
        rate = figures["GB/s"][1]
        points.append((row["elements"], rate / figures[figure][1] if figure else rate))
    return sorted(points)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    rows = [row for row in results["rows"] if row["section"] == "throughput" and row["data"] == "normal"]
    panels = sorted({(row["threads"], row["operator"], row["dtype"]) for row in rows})
    if not panels:
        sys.exit("plot.py: the results have no section throughput")
    columns = 4
    lines = (len(panels) + columns - 1) // columns
    figure, axes = pyplot.subplots(lines, columns, figsize=(4.5 * columns, 3.2 * lines), squeeze=False)
    for axis in axes.flat[len(panels):]:
        axis.set_visible(False)
    for axis, panel in zip(axes.flat, panels):
        threads, operator, dtype = panel
        chosen = [row for row in rows if (row["threads"], row["operator"], row["dtype"]) == panel]
        for name, style in ((None, "o-"), ("roofline", "k:"), ("torch", "s--"), ("onednn", "^--")):
            points = rates(chosen, name)
            if points:
                axis.plot(*zip(*points), style, label=name or "Belay", markersize=4)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_title(f"{operator} {dtype}, {threads} thread{'s' if threads > 1 else ''}", fontsize=9)
        axis.grid(alpha=0.3)
    axes.flat[0].legend(fontsize=8)
    figure.supxlabel("elements")
    figure.supylabel("GB/s of what the operator must read and write")
    figure.suptitle(f"Belay {results['belay']} on {results['processor']}, {results['date']}", fontsize=11, y=0.995)
    figure.tight_layout(rect=(0.01, 0.01, 1, 0.98))
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
