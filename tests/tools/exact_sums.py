#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Sums of belay eval are the exact ones, rounded once: beside fractions, on numbers that cancel and that are far apart.

    exact_sums.py BELAY
"""
import itertools
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

BELAY = sys.argv[1]
# Bits of the significand, and the exponent of the least number and of what is too large.
FORMATS = {"FLOAT16": (11, -24, 16), "BFLOAT16": (8, -133, 128), "FLOAT": (24, -149, 128), "DOUBLE": (53, -1074, 1024)}
draw = random.Random(7)
faults = 0


def rounded(value, dtype):
    """To nearest, ties to even."""
    bits, least, end = FORMATS[dtype]
    if value == 0:
        return Fraction(0)
    exponent = max(math.floor(math.log2(abs(value.numerator)) - math.log2(value.denominator)) - bits - 1, least)
    while abs(value) >= Fraction(2) ** (exponent + bits):
        exponent += 1
    unit = Fraction(2) ** exponent
    result = round(value / unit) * unit  # Python rounds ties to even
    return result if abs(result) < Fraction(2) ** end else math.copysign(math.inf, value)


def number(dtype):
    """One of the dtype: of a few sizes, so that sums cancel, or of any, or next to 0."""
    bits, least, end = FORMATS[dtype]
    kind = draw.randrange(4)
    exponent = (draw.choice((0, bits, -bits, 2 * bits)) if kind < 2 else draw.randrange(least, end // 2) if kind == 2 else least)
    exponent = min(max(exponent, least), end // 2 - 2)
    return rounded(draw.choice((-1, 1)) * Fraction(draw.randrange(1, 2 ** bits)) / 2 ** (bits - 1) * Fraction(2) ** exponent, dtype)


def tensor(dtype, *shape):
    if not shape:
        return number(dtype)
    parts = [tensor(dtype, *shape[1:]) for _ in range(shape[0])]
    if len(shape) == 1 and len(parts) > 2 and draw.randrange(2):
        parts[-1] = -parts[0]  # what is between them is all that is left
    return parts


def text(part):
    return "[" + ",".join(map(text, part)) + "]" if isinstance(part, list) else repr(float(part))


def evaluate(function, **arguments):
    words = [word for name, value in arguments.items() for word in ("--" + name, str(value))]
    environment = {name: value for name, value in os.environ.items() if name != "BELAY_ACCURACY"}
    run = subprocess.run([BELAY, "eval", function, *words], capture_output=True, text=True, check=False, env=environment)
    if run.returncode != 0:
        sys.exit(f"{function} {words}: {run.stderr}")
    return run.stdout.split()


def compare(what, dtype, found, wanted):
    global faults
    wanted = [rounded(value, dtype) for value in wanted]
    values = [float(word) for word in found]
    same = len(values) == len(wanted) and all(
        a == b if isinstance(b, float) or math.isinf(a) else rounded(Fraction(a), dtype) == b for a, b in zip(values, wanted))
    if not same:
        print(f"{what} {dtype}: {found} instead of {[float(value) for value in wanted]}")
        faults += 1


def dot(left, right):
    return sum((a * b for a, b in zip(left, right)), Fraction(0))


def products(dtype):
    rows, depth, columns = draw.randrange(1, 4), draw.choice((1, 3, 7, 300)), draw.randrange(1, 4)
    left, right = tensor(dtype, rows, depth), tensor(dtype, depth, columns)
    wanted = [dot(row, column) for row in left for column in zip(*right)]
    for function in ("mm", "matmul"):
        compare(function, dtype, evaluate(function, self=f"{text(left)}:{dtype}", mat2=f"{text(right)}:{dtype}", cubeMathType=0), wanted)
    vector = tensor(dtype, depth)
    compare("mv", dtype, evaluate("mv", self=f"{text(left)}:{dtype}", vec=f"{text(vector)}:{dtype}", cubeMathType=0),
            [dot(row, vector) for row in left])
    # Batches that are repeated, and a vector in front.
    batch = [tensor(dtype, rows, depth) for _ in range(2)]
    compare("matmul", dtype, evaluate("matmul", self=f"{text(batch)}:{dtype}", mat2=f"{text([right])}:{dtype}", cubeMathType=0),
            [dot(row, column) for part in batch for row in part for column in zip(*right)])
    compare("matmul", dtype, evaluate("matmul", self=f"{text(vector)}:{dtype}", mat2=f"{text(right)}:{dtype}", cubeMathType=0),
            [dot(vector, column) for column in zip(*right)])
    rights = [tensor(dtype, depth, columns) for _ in range(2)]
    compare("batch_mat_mul", dtype, evaluate("aclnnBatchMatMul", self=f"{text(batch)}:{dtype}", mat2=f"{text(rights)}:{dtype}", cubeMathType=0),
            [dot(row, column) for part, other in zip(batch, rights) for row in part for column in zip(*other)])


def reductions(dtype):
    shape = draw.choice(((5,), (2, 3, 4), (3, 700)))
    array = tensor(dtype, *shape)
    dims = sorted(draw.sample(range(len(shape)), draw.randrange(1, len(shape) + 1)))
    groups = {}
    for index in itertools.product(*map(range, shape)):
        element = array
        for i in index:
            element = element[i]
        groups.setdefault(tuple(i for axis, i in enumerate(index) if axis not in dims), []).append(element)
    sums = [sum(group, Fraction(0)) for group in groups.values()]
    count = len(next(iter(groups.values())))
    named = ",".join(str(dim - draw.choice((0, len(shape)))) for dim in dims)
    for keeps in ("true", "false"):
        compare(f"reduce_sum of {shape} along {named}", dtype,
                evaluate("reduce_sum", self=f"{text(array)}:{dtype}", dims=named, keepDims=keeps, dtype=dtype), sums)
        compare(f"mean of {shape} along {named}", dtype,
                evaluate("mean", self=f"{text(array)}:{dtype}", dim=named, keepDim=keeps, dtype=dtype), [total / count for total in sums])
    if len(shape) == 1:
        other = tensor(dtype, *shape)
        compare("dot", dtype, evaluate("dot", self=f"{text(array)}:{dtype}", tensor=f"{text(other)}:{dtype}"), [dot(array, other)])


for dtype in FORMATS:
    for _ in range(6):
        if dtype != "DOUBLE":
            products(dtype)
        reductions(dtype)
# Files whose first index runs fastest.
with tempfile.TemporaryDirectory() as folder:
    matrix = tensor("FLOAT", 3, 5)
    header = b"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 5), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    path = os.path.join(folder, "matrix.npy")
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack("<15f", *(float(matrix[row][column]) for column in range(5) for row in range(3))))
    compare("reduce_sum of a file", "FLOAT", evaluate("reduce_sum", self=path, dims=0, keepDims="false", dtype="FLOAT"),
            [sum(column, Fraction(0)) for column in zip(*matrix)])
    square = tensor("FLOAT", 5, 2)
    compare("matmul of a file", "FLOAT", evaluate("matmul", self=path, mat2=text(square), cubeMathType=0),
            [dot(row, column) for row in matrix for column in zip(*square)])
# Dims are numbers as the library gets them.
for dims, wanted in (("0x1", ["3", "7"]), ("-0x1", ["3", "7"]), ("00", ["4", "6"])):
    found = evaluate("reduce_sum", self="[[1,2],[3,4]]:FLOAT", dims=dims, keepDims="false", dtype="FLOAT")
    if found != wanted:
        print(f"dims {dims}: {found} instead of {wanted}")
        faults += 1
# What infinities and NaN give, and the sign of 0, is as elsewhere.
for values, wanted in (("[1e30,inf]", "inf"), ("[inf,-inf]", "nan"), ("[-0.0,-0.0]", "0"), ("[1,-1]", "0")):
    said = evaluate("reduce_sum", self=f"{values}:FLOAT", dims=0, keepDims="false", dtype="FLOAT")
    plain = subprocess.run([BELAY, "eval", "reduce_sum", "--self", f"{values}:FLOAT", "--dims", "0", "--keepDims", "false", "--dtype", "FLOAT"],
                           env={**os.environ, "BELAY_ACCURACY": "default"}, capture_output=True, text=True, check=False).stdout.split()
    if said != [wanted] or plain != [wanted]:
        print(f"{values}: {said}, and by default {plain}; {wanted} is expected")
        faults += 1
# All that is left of a sum, and nothing of it.
cancelled = ["--self", "[[1152921504606846976,1,-1152921504606846976]]", "--mat2", "[[1],[1],[1]]", "--cubeMathType", "0"]
for function, dtype, words, wanted in (
        ("matmul", "FLOAT", {"self": "[[1152921504606846976,1,-1152921504606846976]]", "mat2": "[[1],[1],[1]]", "cubeMathType": 0}, "1"),
        ("reduce_sum", "DOUBLE", {"self": f"[1,{','.join(['1.1102230246251565e-16'] * 4)}]:DOUBLE", "dims": 0, "keepDims": "false",
                                  "dtype": "DOUBLE"}, "1.0000000000000004"),
        ("reduce_sum", "DOUBLE", {"self": "[1,1e-30,-1,-1e-30]:DOUBLE", "dims": 0, "keepDims": "false", "dtype": "DOUBLE"}, "0")):
    if evaluate(function, **words) != [wanted]:
        print(f"{function} {words}: {evaluate(function, **words)} instead of {wanted}")
        faults += 1
# Programs' own way is still to be had.
by_default = subprocess.run([BELAY, "eval", "matmul", *cancelled], env={**os.environ, "BELAY_ACCURACY": "default"}, capture_output=True, text=True,
                            check=False).stdout.strip()
if by_default != "0":
    print(f"BELAY_ACCURACY=default gives {by_default} instead of what programs get")
    faults += 1
sys.exit(1 if faults else 0)
