# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""MindSpore's older layers, losses, operators and optimizers, which call operators by name: forward and gradient on
Ascend, beside the CPU device in a process of its own.

    belay run PYTHON legacy.py [NAME...]
"""
import os
import pickle
import subprocess
import sys
import tempfile

import numpy as np

PLACE = os.environ.get("LEGACY_PLACE", "Ascend")
import mindspore as ms  # noqa: E402
from mindspore import Parameter, Tensor, nn, ops  # noqa: E402

ms.set_device(PLACE)
draw = np.random.RandomState(7)


def r(*shape, dtype=np.float32):
    return (np.round(draw.randn(*shape) * 8) / 8).astype(dtype)


def p(*shape):
    return np.abs(r(*shape)) + np.float32(0.25)


def i(*numbers):
    return np.array(numbers, np.int32)


cases = {}


def case(name, function, *inputs, grads=True, tolerance=1e-4):
    """The function of tensors, and its gradient for the inputs of floats."""
    cases[name] = (function, inputs, grads, tolerance)


def layer(make):
    """A layer whose parameters are the same everywhere."""
    net = make()
    numbers = np.random.RandomState(3)
    for parameter in net.get_parameters():
        values = numbers.randn(*parameter.shape).astype(np.float32) / 4
        if "variance" in parameter.name:
            values = np.abs(values) + 1
        parameter.set_data(Tensor(values).astype(parameter.dtype))
    return net


def of(make, training=False):
    def call(*inputs):
        net = layer(make)
        net.set_train(training)
        return net(*inputs)
    return call


# Layers.
case("Dense", of(lambda: nn.Dense(4, 3)), r(2, 4))
case("Dense activation", of(lambda: nn.Dense(4, 3, activation="relu")), r(2, 4))
case("Conv2d", of(lambda: nn.Conv2d(2, 3, 3, has_bias=True)), r(1, 2, 5, 5))
case("Conv2d valid", of(lambda: nn.Conv2d(2, 4, 3, 2, pad_mode="valid", group=2)), r(2, 2, 6, 6))
case("Conv2d pad", of(lambda: nn.Conv2d(2, 3, 3, pad_mode="pad", padding=(1, 0, 1, 2), dilation=2)), r(1, 2, 7, 7))
case("Conv2d depthwise", of(lambda: nn.Conv2d(3, 3, 3, pad_mode="pad", padding=1, group=3)), r(1, 3, 5, 5))
case("Conv2dTranspose", of(lambda: nn.Conv2dTranspose(2, 3, 3, 2, pad_mode="same", has_bias=True)), r(1, 2, 4, 4))
case("Conv1d", of(lambda: nn.Conv1d(2, 3, 3, has_bias=True)), r(1, 2, 6))
case("Conv1dTranspose", of(lambda: nn.Conv1dTranspose(2, 3, 3, pad_mode="pad")), r(1, 2, 6))
case("Conv3d", of(lambda: nn.Conv3d(1, 2, 3, pad_mode="valid")), r(1, 1, 4, 4, 4))
case("BatchNorm2d", of(lambda: nn.BatchNorm2d(3), True), r(4, 3, 2, 2))
case("BatchNorm2d eval", of(lambda: nn.BatchNorm2d(3)), r(4, 3, 2, 2), grads=False)
case("BatchNorm1d", of(lambda: nn.BatchNorm1d(3), True), r(6, 3))
case("LayerNorm", of(lambda: nn.LayerNorm((4,))), r(2, 3, 4))
case("LayerNorm two axes", of(lambda: nn.LayerNorm((3, 4), 1, 1)), r(2, 3, 4))
case("GroupNorm", of(lambda: nn.GroupNorm(2, 4)), r(2, 4, 3, 3))
case("MaxPool2d", of(lambda: nn.MaxPool2d(2, 2)), r(1, 2, 4, 4))
case("MaxPool2d same", of(lambda: nn.MaxPool2d(3, 2, pad_mode="same")), r(1, 2, 5, 5))
case("AvgPool2d", of(lambda: nn.AvgPool2d(2, 2)), r(1, 2, 4, 4))
case("AvgPool2d same", of(lambda: nn.AvgPool2d(3, 2, pad_mode="same")), r(1, 2, 6, 6))
case("MaxPool1d", of(lambda: nn.MaxPool1d(2, 2)), r(1, 2, 6))
case("AdaptiveAvgPool2d", of(lambda: nn.AdaptiveAvgPool2d(2)), r(1, 2, 4, 4))
case("Embedding", lambda x: layer(lambda: nn.Embedding(6, 3))(x), i(1, 4, 1), grads=False)
case("Flatten", of(lambda: nn.Flatten()), r(2, 2, 3))
case("PReLU", of(lambda: nn.PReLU(3)), r(2, 3))
case("Dropout eval", of(lambda: nn.Dropout(p=0.5)), r(2, 3))
case("Pad reflect", of(lambda: nn.Pad(((0, 0), (1, 1)), "REFLECT")), r(2, 3))
case("Pad symmetric", of(lambda: nn.Pad(((1, 1), (2, 1)), "SYMMETRIC")), r(2, 3))
case("Pad constant", of(lambda: nn.Pad(((1, 0), (0, 2)))), r(2, 3))
case("ReflectionPad2d", of(lambda: nn.ReflectionPad2d((1, 1, 0, 1))), r(1, 2, 3, 3))
case("ReplicationPad2d", of(lambda: nn.ReplicationPad2d((1, 1, 0, 1))), r(1, 2, 3, 3))
case("ZeroPad2d", of(lambda: nn.ZeroPad2d((1, 1, 0, 1))), r(1, 2, 3, 3))
for name in "ReLU", "ReLU6", "Sigmoid", "Tanh", "ELU", "GELU", "LeakyReLU", "HSwish", "HSigmoid", "LogSigmoid", "SiLU", "Mish", \
        "Softsign", "SeLU", "CELU", "HShrink", "SoftShrink", "Softmax", "LogSoftmax", "FastGelu":
    if hasattr(nn, name):
        case(name, of(getattr(nn, name)), r(2, 5))

# Losses.
one = np.eye(4, dtype=np.float32)[[1, 3]]
case("MSELoss", of(lambda: nn.MSELoss()), r(2, 4), r(2, 4))
case("L1Loss", of(lambda: nn.L1Loss()), r(2, 4), r(2, 4))
case("SmoothL1Loss", of(lambda: nn.SmoothL1Loss()), r(2, 4), r(2, 4))
case("SoftmaxCrossEntropyWithLogits", of(lambda: nn.SoftmaxCrossEntropyWithLogits()), r(2, 4), one)
case("SoftmaxCrossEntropyWithLogits sparse", of(lambda: nn.SoftmaxCrossEntropyWithLogits(True, "mean")), r(2, 4), i(1, 3))
case("BCELoss", of(lambda: nn.BCELoss(reduction="mean")), 1 / (1 + np.exp(-r(2, 4))), one)
case("BCEWithLogitsLoss", of(lambda: nn.BCEWithLogitsLoss()), r(2, 4), one)
case("KLDivLoss", of(lambda: nn.KLDivLoss()), r(2, 4), p(2, 4))
case("NLLLoss", of(lambda: nn.NLLLoss()), r(2, 4), i(1, 3))
case("CrossEntropyLoss", of(lambda: nn.CrossEntropyLoss()), r(2, 4), i(1, 3))
case("HuberLoss", of(lambda: nn.HuberLoss()), r(2, 4), r(2, 4))
case("CosineEmbeddingLoss", of(lambda: nn.CosineEmbeddingLoss()), r(2, 4), r(2, 4), i(1, -1))
case("SoftMarginLoss", of(lambda: nn.SoftMarginLoss()), r(2, 4), np.sign(p(2, 4)))

# Operators.
case("BiasAdd", ops.BiasAdd(), r(2, 3), r(3))
case("AddN", lambda *x: ops.AddN()(x), r(2, 3), r(2, 3), r(2, 3))
case("MatMul", ops.MatMul(transpose_b=True), r(2, 3), r(4, 3))
case("BatchMatMul", ops.BatchMatMul(), r(2, 2, 3), r(2, 3, 2))
for name, axis in ("ReduceSum", 1), ("ReduceMean", (0, 1)), ("ReduceMax", 1), ("ReduceMin", 0), ("ReduceProd", 1):
    case(name, lambda x, name=name, axis=axis: getattr(ops, name)(keep_dims=True)(x, axis), p(3, 4))
case("ReduceSum all", lambda x: ops.ReduceSum()(x), r(3, 4))
case("ReduceAll", lambda x: ops.ReduceAll()(x, 0), r(3, 4) > -1, grads=False)
for exclusive in False, True:
    for reverse in False, True:
        case(f"CumSum {exclusive} {reverse}", lambda x, e=exclusive, v=reverse: ops.CumSum(e, v)(x, 1), r(2, 4))
        case(f"CumProd {exclusive} {reverse}", lambda x, e=exclusive, v=reverse: ops.CumProd(e, v)(x, 1), p(2, 4))
case("TopK", lambda x: ops.TopK(sorted=True)(x, 2), np.array([[3, 1, 2], [4, 6, 5]], np.float32), grads=False)
case("Sort", lambda x: ops.Sort(descending=True)(x), np.array([[3, 1, 2], [4, 6, 5]], np.float32), grads=False)
case("ArgMaxWithValue", lambda x: ops.ArgMaxWithValue(axis=1)(x), np.array([[3, 1, 2], [4, 6, 5]], np.float32), grads=False)
case("Argmax", ops.Argmax(axis=1), np.array([[3, 1, 2], [4, 6, 5]], np.float32), grads=False)
case("Unique", lambda x: ops.Unique()(x), i(3, 1, 3, 7, 1), grads=False)
case("OneHot", lambda x: ops.OneHot()(x, 4, Tensor(1.0), Tensor(0.0)), i(1, 3), grads=False)
case("Gather", lambda x: ops.Gather()(x, Tensor(i(2, 0)), 1), r(2, 3))
case("GatherNd", lambda x: ops.GatherNd()(x, Tensor(np.array([[1, 2], [0, 0]], np.int32))), r(2, 3))
case("GatherD", lambda x: ops.GatherD()(x, 1, Tensor(np.array([[1, 2], [0, 0]], np.int32))), r(2, 3))
case("UnsortedSegmentSum", lambda x: ops.UnsortedSegmentSum()(x, Tensor(i(0, 2, 0)), 3), r(3, 2))
case("ScatterNd", lambda x: ops.ScatterNd()(Tensor(np.array([[1], [1], [0]], np.int32)), x, (3,)), r(3))
case("TensorScatterUpdate", lambda x, u: ops.TensorScatterUpdate()(x, Tensor(np.array([[1, 2]], np.int32)), u), r(2, 3), r(1))
case("TensorScatterAdd", lambda x, u: ops.TensorScatterAdd()(x, Tensor(np.array([[1, 2]], np.int32)), u), r(2, 3), r(1))
case("Slice", lambda x: ops.Slice()(x, (0, 1), (2, 2)), r(2, 3))
case("StridedSlice", lambda x: ops.StridedSlice(shrink_axis_mask=1)(x, (1, 0), (2, 3), (1, 2)), r(2, 3))
case("StridedSlice masks", lambda x: ops.StridedSlice(begin_mask=1, end_mask=2, new_axis_mask=4)(x, (1, 1, 0), (2, 2, 1), (1, 1, 1)), r(2, 3))
case("Stack", lambda *x: ops.Stack(1)(x), r(2, 3), r(2, 3))
case("Unstack", lambda x: ops.Unstack(1)(x), r(2, 3), grads=False)
case("Concat", lambda *x: ops.Concat(1)(x), r(2, 3), r(2, 2))
case("Split", lambda x: ops.Split(1, 2)(x), r(2, 4), grads=False)
case("Tile", lambda x: ops.Tile()(x, (2, 1)), r(2, 3))
case("Transpose", lambda x: ops.Transpose()(x, (1, 0)), r(2, 3))
case("BroadcastTo", lambda x: ops.BroadcastTo((4, 3))(x), r(1, 3))
case("Pad", ops.Pad(((1, 0), (0, 2))), r(2, 3))
case("MirrorPad", lambda x: ops.MirrorPad("SYMMETRIC")(x, Tensor(np.array([[1, 1], [2, 1]]))), r(2, 3))
case("PadV3 edge", lambda x: ops.PadV3("edge")(x, Tensor(i(1, 1, 0, 1)), None), r(1, 2, 3, 3))
case("ReverseV2", ops.ReverseV2(axis=[1]), r(2, 3))
case("L2Normalize", ops.L2Normalize(axis=1), r(2, 3))
case("SquareSumAll", lambda x, y: ops.SquareSumAll()(x, y), r(2, 3), r(2, 3), grads=False)
case("Fill", lambda: ops.fill(ms.float32, (2, 3), 2.5), grads=False)
case("Range", lambda: ops.Range()(Tensor(0, ms.int32), Tensor(7, ms.int32), Tensor(2, ms.int32)), grads=False)
case("LinSpace", lambda: ops.LinSpace()(Tensor(0.0), Tensor(1.0), 5), grads=False)
case("Diag", lambda x: ops.Diag()(x), r(3), grads=False)
case("Cast", lambda x: ops.Cast()(x, ms.int32), 4 * r(2, 3), grads=False)
case("Select", lambda x, y: ops.Select()(Tensor(np.array([[True, False, True]] * 2)), x, y), r(2, 3), r(2, 3))
for name in "Abs", "Exp", "Log", "Sqrt", "Rsqrt", "Square", "Reciprocal", "Neg", "Sin", "Cos", "Atan", "Erf", "Floor", "Rint", \
        "Softplus", "Sinh", "Expm1", "Log1p":
    case(name, getattr(ops, name)(), p(2, 3))
for name in "Add", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "Pow", "FloorDiv", "SquaredDifference", "DivNoNan", "Atan2", "Xdivy":
    case(name, getattr(ops, name)(), p(2, 3), p(3) + np.float32(0.5))
for align in False, True:
    case(f"ResizeNearestNeighbor {align}", lambda x, a=align: ops.ResizeNearestNeighbor((5, 7), a)(x), r(1, 2, 3, 4))
    case(f"ResizeBilinearV2 {align}", lambda x, a=align: ops.ResizeBilinearV2(a)(x, Tensor(i(5, 7))), r(1, 2, 3, 4))
case("ResizeBilinearV2 half", lambda x: ops.ResizeBilinearV2(False, True)(x, Tensor(i(5, 7))), r(1, 2, 3, 4))
case("interpolate nearest", lambda x: ops.interpolate(x, size=(5, 7), mode="nearest"), r(1, 2, 3, 4))
case("interpolate bilinear", lambda x: ops.interpolate(x, size=(5, 7), mode="bilinear"), r(1, 2, 3, 4))
case("SpaceToDepth", ops.SpaceToDepth(2), r(1, 2, 4, 4))
case("DepthToSpace", ops.DepthToSpace(2), r(1, 8, 2, 2))
case("NMSWithMask", ops.NMSWithMask(0.5), np.array([[0, 0, 10, 10, 0.9], [0, 0, 10, 9, 0.7], [20, 20, 30, 30, 0.6]], np.float32),
     grads=False)
case("LSTM", lambda x: layer(lambda: nn.LSTM(3, 2))(x)[0], r(4, 2, 3), tolerance=2e-2)
case("GRU", lambda x: layer(lambda: nn.GRU(3, 16))(x)[0], r(4, 2, 3), tolerance=2e-2)
case("RNN", lambda x: layer(lambda: nn.RNN(3, 2))(x)[0], r(4, 2, 3), tolerance=2e-2)


def trained(make):
    """Parameters after three steps of an optimizer."""
    def call(x, y):
        net = layer(lambda: nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2)))
        loss = nn.WithLossCell(net, nn.MSELoss())
        step = nn.TrainOneStepCell(loss, make(net.trainable_params()))
        step.set_train()
        for _ in range(3):
            step(x, y)
        return [Tensor(value.asnumpy()) for value in net.trainable_params()]
    return call


for name, make in {
    "SGD": lambda q: nn.SGD(q, 0.1), "SGD momentum": lambda q: nn.SGD(q, 0.1, 0.9, 0.1, 0.01),
    "SGD nesterov": lambda q: nn.SGD(q, 0.1, 0.9, nesterov=True), "Momentum": lambda q: nn.Momentum(q, 0.1, 0.9),
    "Adam": lambda q: nn.Adam(q, 0.1), "Adam nesterov": lambda q: nn.Adam(q, 0.1, use_nesterov=True),
    "Adam amsgrad": lambda q: nn.Adam(q, 0.1, use_amsgrad=True),
    "AdamWeightDecay": lambda q: nn.AdamWeightDecay(q, 0.1, weight_decay=0.1), "RMSProp": lambda q: nn.RMSProp(q, 0.1, momentum=0.9),
    "RMSProp centered": lambda q: nn.RMSProp(q, 0.1, centered=True, epsilon=1e-3), "Adagrad": lambda q: nn.Adagrad(q, learning_rate=0.1),
    "Adadelta": lambda q: nn.Adadelta(q), "AdaMax": lambda q: nn.AdaMax(q, 0.1), "FTRL": lambda q: nn.FTRL(q, learning_rate=0.1),
    "ASGD": lambda q: nn.ASGD(q, 0.1), "Rprop": lambda q: nn.Rprop(q, 0.1), "ProximalAdagrad": lambda q: nn.ProximalAdagrad(q),
    "LARS": lambda q: nn.LARS(nn.Momentum(q, 0.1, 0.9)), "Lamb": lambda q: nn.Lamb(q, 0.1),
}.items():
    case("optimizer " + name, trained(make), r(5, 3), r(5, 2), grads=False, tolerance=1e-3)


def flat(result):
    return [x.asnumpy() for x in (result if isinstance(result, (tuple, list)) else (result,)) if x is not None]


def compute(name):
    function, inputs, grads, _ = cases[name]
    tensors = [Tensor(x) for x in inputs]
    found = flat(function(*tensors))
    places = [k for k, x in enumerate(inputs) if x.dtype == np.float32]
    if grads and places:
        weights = [Tensor((np.arange(x.size).reshape(x.shape) % 7 - 2.5).astype(np.float32)) for x in found]

        def weighed(*x):
            out = function(*x)
            out = out if isinstance(out, (tuple, list)) else (out,)
            total = 0
            for part, weight in zip(out, weights):
                total = total + ops.ReduceSum()(ops.Mul()(ops.Cast()(part, ms.float32), weight))
            return total
        found += flat(ms.grad(weighed, grad_position=tuple(places))(*tensors))
    return found


def compute_all(names):
    found = {}
    for name in names:
        try:
            found[name] = compute(name)
        except Exception as error:  # what it says is the result
            said = str(error).strip().splitlines() or [""]
            found[name] = f"{type(error).__name__}: " + next((x for x in said if "Execution_Error" in x), said[0])
    return found


names = sys.argv[1:] or list(cases)
if PLACE == "CPU":
    with open(os.environ["LEGACY_RESULTS"], "wb") as file:
        pickle.dump(compute_all(names), file)
    os._exit(0)
os.chdir(tempfile.mkdtemp())  # MindSpore makes folders where it runs
with tempfile.NamedTemporaryFile() as file:
    child = subprocess.Popen([sys.executable, os.path.abspath(__file__), *names],
                             env=dict(os.environ, LEGACY_PLACE="CPU", LEGACY_RESULTS=file.name))
    ours = compute_all(names)
    assert child.wait() == 0
    theirs = pickle.load(open(file.name, "rb"))
bad = unknown = 0
for name in names:
    mine, wanted, tolerance = ours[name], theirs[name], cases[name][3]
    if isinstance(wanted, str):
        unknown += not isinstance(mine, list)
        print(f"{name}: the CPU device says {wanted.splitlines()[0][:150]}" + ("" if isinstance(mine, list) else f"; ours {mine[:300]}"))
    elif isinstance(mine, str):
        bad += 1
        print(f"{name}: {mine[:600]}")
    else:
        for k, (x, y) in enumerate(zip(mine, wanted)):
            if x.shape != y.shape or not np.allclose(x.astype(np.float64), y.astype(np.float64), tolerance, tolerance):
                bad += 1
                print(f"{name}: result {k}: {x.flatten()[:8]} {x.shape} instead of {y.flatten()[:8]} {y.shape}")
                break
print(f"{len(names)} cases, {bad} wrong, {unknown} that neither device computes")
sys.stdout.flush()
os._exit(bad != 0)
