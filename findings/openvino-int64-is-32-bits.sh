#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model of OpenVINO whose inputs and outputs are i64 or f64 keeps those dtypes at its ends, and
# computes in i32 and f32 between them on the CPU. Nothing warns: 2 ** 40 that passes through a
# Concat comes out as 0 in an int64 array, 2 ** 33 equals 2 ** 34, 100,000 squared is 1,410,065,408,
# and 1e200 in float64 becomes float32's greatest number. Identifiers and hashes in a model change
# on the way. Seen with openvino 2026.4.1, device CPU on x86-64, with the precision hint f32.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 openvino==2026.4.1
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import numpy as np
import openvino
from openvino import opset15 as operators


def run(build, *inputs):
    parameters = [operators.parameter(list(x.shape), x.dtype) for x in inputs]
    model = openvino.Model([build(*parameters)], parameters)
    compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return list(compiled(list(inputs)).values())[0]


moved = run(lambda a, b: operators.concat([a, b], 0), np.array([2**40]), np.array([5]))
equal = run(lambda a, b: operators.equal(a, b), np.array([2**33]), np.array([2**34]))
square = run(lambda a, b: operators.multiply(a, b), np.array([100000]), np.array([100000]))
wide = run(lambda a, b: operators.multiply(a, b), np.array([1e200]), np.array([1.0]))
print(
    "concat:",
    moved,
    moved.dtype,
    "2**33 == 2**34:",
    equal,
    "100000 squared:",
    square,
    "1e200:",
    wide,
    wide.dtype,
)
assert moved.tolist() == [0, 5] and moved.dtype == np.int64
assert equal.tolist() == [True] and square.tolist() == [1410065408]
assert wide.dtype == np.float64 and wide[0] == np.finfo(np.float32).max, wide
PROGRAM
