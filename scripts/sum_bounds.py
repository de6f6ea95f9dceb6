#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes the table of docs/accuracy-sums.md anew: each function that promises "sums in a fixed order", in the row of how
it adds up, with its bound and the tests that hold it.

    scripts/sum_bounds.py            rewrites the page
    scripts/sum_bounds.py --check    fails where the page differs from what would be written

Functions, families and promises are those of docs/operators.md, kernels and tests those of src/tools/places.inc. A function
is in the first row below whose family is its own, whose kernels it has, and whose beginnings of names fit.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/accuracy-sums.md"
# family or *, kernels or *, how it adds up, and how far from the exact value that is before the one rounding at the end.
ROWS = (
    ("with_ranks", "*", "Each rank's product as below and rounded to FLOAT, the ranks' in DOUBLE in their order; tokens of "
     "experts in DOUBLE", "as the product, and 2^-24 of each rank's value; of tokens 2^-50 of the sum of the sizes"),
    ("attention", "attention_kernels", "FLOAT: chains of fused multiply-adds, blocks of 128 rows and 128 keys, exponentials "
     "within 1 ulp", "4e-6 of the value and the greatest size in it, in FLOAT"),
    ("contraction", "contraction_kernels float_dots", "Floats as the products of floats below, small floats and whole numbers "
     "as the products of these", "the bound of the product of the dtype"),
    ("contraction", "float_dots", "Products of small floats, and of whole numbers in INT32, exact; parts, scales and biases in "
     "DOUBLE", "2^-45 of the sum of the sizes; sums of whole numbers exact"),
    ("contraction", "contraction_kernels", "FLOAT: chains of fused multiply-adds in an order that the depth alone determines; "
     "COMPLEX and DOUBLE in DOUBLE", "n 2^-24 of the sum of the sizes of its n terms"),
    ("contraction", "*", "Matrices in DOUBLE", "what the condition of the matrix makes of n 2^-52",
     r"Inverse|LinalgCholesky|LinalgQr|Qr|Slogdet|Svd|TriangularSolve"),
    ("recurrent", "cell_kernels", "FLOAT: products of matrices, and gates within 1 ulp, step by step",
     "3e-6 of the value and 1, in FLOAT, for each step"),
    ("window", "*", "FLOAT, in the order of windows; places of resampling in FLOAT, as PyTorch computes them; elements of DOUBLE "
     "in DOUBLE", "(n + 8) 2^-24 of the sum of the sizes of its n terms", r"Upsample|(Adaptive)?MaxPool\dd?.*Backward"),
    ("rows", "*", "DOUBLE; where p is 2 and rows a and b have n <= 1,024 elements a² + b² - 2ab, if that is at least n 2^-11 of "
     "a² + b²", "(n + 16) 2^-53 or 2^-40 of the value", r"[CP]dist$"),
    ("*", "*", "DOUBLE from the elements on, in an order that the sizes alone determine",
     "(n + 16) 2^-53 of the sum of the sizes of its n terms; exponentials and roots 2^-52 more"),
)
HEAD = """# Sums: the bound of each function
<!-- scripts/sum_bounds.py writes this page. -->

Functions whose row in [operators.md](operators.md) says "sums in a fixed order" give the same bits
at every level, with any number of threads and in any layout, and are as near to the exact value of
their formula, before the one rounding to the dtype of the result, as their row here says. Where a
header names a dtype between, the value is rounded there, too. Each is compared with a reference of
its own over whole tensors by the tests of its row; [accuracy.md](accuracy.md) says what stands
behind the words.

"""
TABLE = "| how it adds up | within | functions | held by |\n|---|---|---|---|\n"


def functions():
    for line in (ROOT / "docs/operators.md").read_text().splitlines():
        found = re.match(r"\| \[(aclnn\w+)\]\([^)]*\) \| ([^|]*) \|", line)
        if found and "sums in a fixed order" in line.split(" | ")[-2]:
            yield found.group(1), found.group(2)


def page():
    places = (ROOT / "src/tools/places.inc").read_text()
    known = {name: (sources, tests) for name, sources, tests in re.findall(r'^\{"(\w+)", "([^"]*)", "([^"]*)"\}', places, re.MULTILINE)}
    rows = collections.defaultdict(list)
    for name, family in functions():
        kernels = {place.split(":")[0] for place in known[name][0].split()}
        row = next(r for r in ROWS if r[0] in (family.split(",")[0], "*") and (r[1] == "*" or kernels.issuperset(r[1].split()))
                   and re.match(r[4] if len(r) > 4 else "", name[5:]))
        rows[row].append(name)
    text = HEAD + "<!-- sums begin -->\n" + TABLE
    for row in ROWS:
        tests = sorted({test for name in rows[row] for test in known[name][1].split() if test.endswith(".c")})
        names = ", ".join(name[5:] for name in sorted(rows[row]))
        text += f"| {row[2]} | {row[3]} | {names} | {', '.join(pathlib.Path(t).stem for t in tests)} |\n"
    return text + "<!-- sums end -->\n"


if __name__ == "__main__":
    wanted = page()
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text() == wanted else f"{PAGE.name} differs from what scripts/sum_bounds.py writes")
    PAGE.write_text(wanted)
