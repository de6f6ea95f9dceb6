#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a graph whose tensors are all FLOAT16 one expects every node to give FLOAT16. ONNX Runtime's
# CPU has few kernels for it and computes most nodes in float32 between casts that it puts in
# itself; of two casts that meet between nodes it removes both, so that what flows there is float32,
# also with all optimisations off. 2048 + 1 + 1 is 2050, where each sum rounded gives 2048; 1000 *
# 1000 / 1000 is 1000, not infinity, so that a model which overflows on a device passes here. Made
# an output, the tensor in between is 2048 while the next node still goes on from 2049: output and
# what was used differ. Casts that stand in the model do round. ONNX's reference evaluator gives
# 2048 and infinity. Seen with onnxruntime 1.32.0 and onnx 1.23.2.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import warnings

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

warnings.simplefilter("ignore")
half = TensorProto.FLOAT16


def run(operators, first, outputs):
    """Two operators on first and 1, or on first alone: what the reference and the runtime give."""
    a = np.array([first], np.float16)
    feed = {"a": a, "b": a if first == 1000 else np.ones(1, np.float16)}
    nodes = [
        helper.make_node(operators[0], ["a", "b"], ["between"]),
        helper.make_node(operators[1], ["between", "b"], ["result"]),
    ]
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info(name, half, [1]) for name in feed],
        [helper.make_tensor_value_info(name, half, [1]) for name in outputs],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return [
        [float(x[0]) for x in answers]
        for answers in (ReferenceEvaluator(model).run(None, feed), session.run(None, feed))
    ]


sums = run(("Add", "Add"), 2048, ["result"])
shown = run(("Add", "Add"), 2048, ["between", "result"])
quotient = run(("Mul", "Div"), 1000, ["result"])
print("2048 + 1 + 1: reference and runtime", sums)
print("with the tensor in between as an output:", shown)
print("1000 * 1000 / 1000:", quotient)
assert sums == [[2048.0], [2050.0]], sums
assert shown == [[2048.0, 2048.0], [2048.0, 2050.0]], shown
assert quotient == [[float("inf")], [1000.0]], quotient
PROGRAM
