#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Integer arithmetic of OpenVINO's CPU device has three rules at once. u8 and i8 saturate (200 + 100
# is 255, 100 * 2 is 127), i32 wraps, and a ReduceSum of i32 is computed in float: 16,777,216 + 1 +
# 1 stays 16,777,216. Who compares with NumPy, PyTorch or ONNX Runtime, where all of them wrap and
# integer sums are exact, gets other numbers for the same graph. Seen with openvino 2026.4.1, device
# CPU on x86-64.
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


byte = run(lambda a, b: operators.add(a, b), np.array([200], np.uint8), np.array([100], np.uint8))
signed = run(
    lambda a, b: operators.multiply(a, b), np.array([100], np.int8), np.array([2], np.int8)
)
word = run(
    lambda a, b: operators.add(a, b), np.array([2**31 - 1], np.int32), np.array([1], np.int32)
)
total = run(lambda a: operators.reduce_sum(a, np.array([0])), np.array([16777216, 1, 1], np.int32))
print(
    "u8 200 + 100:",
    byte,
    "i8 100 * 2:",
    signed,
    "i32 greatest + 1:",
    word,
    "i32 sum of 16777216, 1, 1:",
    total,
)
assert byte[0] == 255 and signed[0] == 127 and word[0] == -(2**31) and total == 16777216
PROGRAM
