#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ONNX operator Unique returns the distinct values of its input. ONNX Runtime's for the CPU
# keeps them in a map that is ordered by <, for which a NaN equals everything: whatever meets it
# counts as the same value. Unique of [NaN, 2, NaN] has one value, NaN, with a count of 3: the
# number 2 is gone, and the inverse indices send its place to NaN. NumPy gives [2, NaN]. Seen with
# onnxruntime 1.32.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper


def run(kind, inputs, results, opset=21, **attributes):
    names = [f"x{i}" for i in range(len(inputs))]
    outputs = [f"y{i}" for i in range(len(results))]
    graph = helper.make_graph(
        [helper.make_node(kind, names, outputs, **attributes)],
        "graph",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in zip(names, inputs)
        ],
        [helper.make_tensor_value_info(n, dtype, None) for n, dtype in zip(outputs, results)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 10
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, dict(zip(names, inputs)))


nan = float("nan")
values, _, inverse, counts = run(
    "Unique", [np.array([nan, 2, nan], np.float32)], [TensorProto.FLOAT] + [TensorProto.INT64] * 3
)
print(
    "unique of [nan, 2, nan]:",
    values.tolist(),
    "inverse:",
    inverse.tolist(),
    "counts:",
    counts.tolist(),
)
assert (
    len(values) == 1
    and np.isnan(values[0])
    and inverse.tolist() == [0, 0, 0]
    and counts.tolist() == [3]
), values
(values,) = run("Unique", [np.array([2, 1, nan], np.float32)], [TensorProto.FLOAT])
print("unique of [2, 1, nan]:", values.tolist())
assert values.tolist() == [1.0, 2.0], values
PROGRAM
