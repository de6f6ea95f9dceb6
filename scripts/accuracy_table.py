#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes what a proof found into docs/accuracy.md, between the comments that mark its tables.

    scripts/accuracy_table.py build-proof/proof/report.json build-proof/proof/conversions.txt ... docs/accuracy.md

Of several reports that tell of the same sweep with the same kernel, the one counts that tried more. Rows of the table about
sweeps that no report tells of stay. Files that end with .txt are about conversions.
"""
import itertools
import json
import re
import sys

BEGIN, END = "<!-- table begin -->\n", "<!-- table end -->\n"
DTYPES = {"fp16": "FLOAT16", "bf16": "BFLOAT16", "fp32": "FLOAT", "fp64": "DOUBLE"}
SWEEPS = ["pairs", "line", "tuples"]
HEAD = ("| operator | dtype | sweep | accuracy | levels | inputs of each | not nearest | greatest error | kernels |\n"
        "|---|---|---|---|---|---|---|---|---|\n")


def operator_name(stem):
    return "aclnn" + "".join(word.capitalize() for word in stem.split("_"))


# What a report's fields for attributes stand for, where the operator has any.
ATTRIBUTES = {
    "leaky_relu": {"slope": "slope"}, "leaky_relu_backward": {"slope": "slope"},
    "swish": {"slope": "beta"}, "swish_backward": {"slope": "beta"},
    "smooth_l1_loss": {"beta": "beta"}, "smooth_l1_loss_backward": {"beta": "beta", "N": "N"},
    "threshold_backward": {"slope": "threshold"},
    "add": {"slope": "alpha"}, "sub": {"slope": "alpha"},
    "adds": {"slope": "other", "beta": "alpha"}, "subs": {"slope": "other", "beta": "alpha"},
    "muls": {"slope": "other"}, "divs": {"slope": "other"},
}


def place_of(result):
    """The input of the greatest error, as bits, with the attributes that count for the operator."""
    text = f"{result['greatest_error_ulp']:.6f} ulp at {' '.join(result['input'])}"
    for field, name in ATTRIBUTES.get(result["operator"], {}).items():
        text += f" {name} {result[field]}"
    return text


def sum_up(results):
    """One row for all sets of attributes of a sweep with one kernel."""
    worst = max(results, key=lambda result: result.get("greatest_error_ulp", -1))
    sweep = results[0]["sweep"]
    if len(results) > 1:
        sweep += f", {len(results)} sets of attributes"
    elif results[0]["attributes"]:
        sweep += ", " + results[0]["attributes"]
    wrong = sum(result["wrong"] for result in results)
    has_error = worst.get("greatest_error_ulp", 0) > 0
    return {
        "sweep": sweep,
        "tried": sum(result["tried"] for result in results),
        "wrong": wrong,
        "error": place_of(worst) if has_error else "",
        "kernels": results[0]["kernels"][:8],
    }


def joined(names, order):
    return ", ".join(name for name in order if name in names)


def table(results):
    def subject(result):
        return result["operator"], result["dtype"], result["sweep"]

    rows = []
    results = sorted(results, key=lambda r: (r["operator"], list(DTYPES).index(r["dtype"]), SWEEPS.index(r["sweep"])))
    for (operator, dtype, _), of_sweep in itertools.groupby(results, subject):
        merged = {}
        of_sweep = sorted(of_sweep, key=lambda r: (r["accuracy"], r["isa"]))
        for kernel, group in itertools.groupby(of_sweep, lambda r: (r["accuracy"], r["isa"])):
            row = sum_up(list(group))
            merged.setdefault(tuple(row.values()), []).append(kernel)
        # Rows say what holds for every accuracy with every level that they name.
        lines = {}
        for values, kernels in merged.items():
            for accuracy in {accuracy for accuracy, _ in kernels}:
                levels = joined({isa for name, isa in kernels if name == accuracy},
                                ["baseline", "avx2", "avx512", "neon"])
                lines.setdefault((values, levels), set()).add(accuracy)
        for (values, levels), accuracies in sorted(lines.items(), key=lambda item: (sorted(item[1]), item[0][1])):
            sweep, tried, wrong, error, fingerprint = values
            rows.append(f"| {operator_name(operator)} | {DTYPES[dtype]} | {sweep} | "
                        f"{joined(accuracies, ['default', 'exact'])} | {levels} | {tried:,} | {wrong:,} | {error} | "
                        f"{fingerprint} |\n")
    return rows


def results_of(report_paths):
    """Parts of sweeps, of runs that were cut short, count with what they tried."""
    most = {}
    for path in report_paths:
        with open(path) as file:
            results = json.load(file)["results"]
        for result in results:
            subject = tuple(result[name] for name in ("operator", "dtype", "sweep", "attributes", "accuracy", "isa"))
            if result["tried"] > most.get(subject, {"tried": 0})["tried"]:
                most[subject] = result
    return list(most.values())


def subject_of(row):
    """Operator, dtype and kind of sweep of a row."""
    operator, dtype, sweep = (cell.strip() for cell in row.split("|")[1:4])
    return operator, list(DTYPES.values()).index(dtype), SWEEPS.index(sweep.split(",")[0])


CONVERSIONS_BEGIN, CONVERSIONS_END = "<!-- conversions begin -->\n", "<!-- conversions end -->\n"
CONVERSIONS_HEAD = "| from | elements | to | levels | wrong | kernels |\n|---|---|---|---|---|---|\n"
CONVERSION = re.compile(r"(\w+) cast (\w+) +to (\w+) +(\w+) +(all|random) +tried +(\d+) wrong (\d+)")


def conversion_rows(paths):
    """A row for each dtype that was converted; what has few elements was given each of them many times."""
    found = {}
    for path in paths:
        with open(path) as file:
            for line in filter(None, map(CONVERSION.match, file)):
                kernels, source, target, level, kind, tried, wrong = line.groups()
                row = found.setdefault(source, {"targets": set(), "levels": set(), "wrong": 0})
                row["targets"].add(target)
                row["levels"].add(level)
                row["wrong"] += int(wrong)
                row["kernels"] = kernels
                many = int(tried) if kind == "random" or int(tried) > 1 << 16 else 1 << (8 if source[-1] in "8L" else 16)
                row["elements"] = f"{'all ' if kind == 'all' else ''}{many:,}"
    return [f"| {source} | {row['elements']} | {len(row['targets'])} dtypes | "
            f"{joined(row['levels'], ['baseline', 'avx2', 'avx512', 'neon'])} | {row['wrong']:,} | {row['kernels']} |\n"
            for source, row in found.items()]


def main(report_paths, document_path):
    with open(document_path) as file:
        document = file.read()
    before, rest = document.split(BEGIN)
    old, after = rest.split(END)
    rows = table(results_of(path for path in report_paths if not path.endswith(".txt")))
    told = {subject_of(row) for row in rows}
    rows += [row for row in old[len(HEAD):].splitlines(keepends=True) if subject_of(row) not in told]
    converted = conversion_rows(path for path in report_paths if path.endswith(".txt"))
    if converted:
        between, rest = after.split(CONVERSIONS_BEGIN)
        after = (between + CONVERSIONS_BEGIN + CONVERSIONS_HEAD + "".join(converted) + CONVERSIONS_END +
                 rest.split(CONVERSIONS_END)[1])
    with open(document_path, "w") as file:
        file.write(before + BEGIN + HEAD + "".join(sorted(rows, key=subject_of)) + END + after)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:-1], sys.argv[-1])
