#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime's ReduceMax on the CPU answers NaN when the NaN comes first and the greatest number
# when it comes later; TopK of the same data puts the NaN first in both cases, and ArgMax points at
# the number. MaxPool of a window that holds nothing but NaN answers the least finite float, which
# no element was. One would guess one rule for all: NaN wins as in NumPy, or never as in C's fmaxf.
# Seen with onnxruntime 1.32.0.
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
first = run("ReduceMax", [np.array([nan, 1, 3], np.float32)], [TensorProto.FLOAT], keepdims=0)[0]
later = run("ReduceMax", [np.array([1, nan, 3], np.float32)], [TensorProto.FLOAT], keepdims=0)[0]
top = run(
    "TopK",
    [np.array([1, nan, 3], np.float32), np.array([1])],
    [TensorProto.FLOAT, TensorProto.INT64],
)
place = run("ArgMax", [np.array([1, nan, 3], np.float32)], [TensorProto.INT64], keepdims=0)[0]
pool = run("MaxPool", [np.full((1, 1, 2), nan, np.float32)], [TensorProto.FLOAT], kernel_shape=[2])[
    0
]
print(
    "ReduceMax:", first, later, "TopK:", top[0], "ArgMax:", place, "MaxPool of NaN:", pool.ravel()
)
assert np.isnan(first) and later == 3.0 and np.isnan(top[0][0]) and place == 2
assert pool.ravel()[0] == np.finfo(np.float32).min, pool
PROGRAM
