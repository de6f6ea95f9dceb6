#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# onnx.reference is what the specification's own package runs a model with, and one would take its
# numbers for the right ones where a runtime differs. It follows the formulas to the letter in the
# dtype of the tensors. LogSoftmax is the logarithm of a Softmax: of -200, 0, 100 it gives
# -infinity, -99.983 and 0 for -300, -100 and 0. MeanVarianceNormalization is the mean of the
# squares less the square of the mean: 9999, 10000, 10001, 10000 become -1e9, 0, 1e9, 0 for -1.414,
# 0, 1.414, 0. The ReduceMean of two of int32's greatest number wraps to -1. ONNX Runtime is right
# in all three. Seen with onnx 1.23.2 and onnxruntime 1.32.0.
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
from onnx import helper
from onnx.reference import ReferenceEvaluator

warnings.simplefilter("ignore")


def run(operator, x, **attributes):
    dtype = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node(operator, ["x"], ["y"], **attributes)],
        "one",
        [helper.make_tensor_value_info("x", dtype, x.shape)],
        [helper.make_tensor_value_info("y", dtype, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    answers = ReferenceEvaluator(model).run(None, {"x": x})[0], session.run(None, {"x": x})[0]
    print(operator, "of", x.ravel().tolist(), "reference and runtime:")
    for answer in answers:
        print("   ", answer.ravel().tolist())
    return answers


reference, runtime = run("LogSoftmax", np.array([[-200, 0, 100]], np.float32))
assert np.isneginf(reference[0, 0]) and abs(reference[0, 1] + 99.983) < 0.001, reference
assert runtime.tolist() == [[-300.0, -100.0, 0.0]], runtime

row = np.array([[9999, 10000, 10001, 10000]], np.float32)
reference, runtime = run("MeanVarianceNormalization", row, axes=[1])
assert np.allclose(reference, [[-1e9, 0, 1e9, 0]]), reference
assert np.allclose(runtime, (row - row.mean()) / row.std()), runtime

reference, runtime = run("ReduceMean", np.full(2, 2**31 - 1, np.int32), keepdims=0)
assert reference == -1 and runtime == 2**31 - 1, (reference, runtime)
PROGRAM
