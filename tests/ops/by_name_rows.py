#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes by_name_rows.h: calls of operators by name, with results that PyTorch's CPU or a formula gives.

    TORCH_DEVICE_BACKEND_AUTOLOAD=0 python3 tests/ops/by_name_rows.py >tests/ops/by_name_rows.h
"""
import math

import torch
import torch.nn.functional as F

from by_name_text import Any_, Host, Place, r, row, write

torch.manual_seed(1)
a, b, p = r(2, 3), r(2, 3), r(2, 3).abs() + 0.25
u = r(2, 3).clamp(-0.875, 0.875)
i0, i1 = torch.tensor([7, -3, 12], dtype=torch.int32), torch.tensor([2, 5, -6], dtype=torch.int32)
for kind, f, x in [
    ("Abs", torch.abs, a), ("Acos", torch.acos, u), ("Acosh", torch.acosh, p + 1), ("Asin", torch.asin, u),
    ("Asinh", torch.asinh, a), ("Atan", torch.atan, a), ("Atanh", torch.atanh, u), ("Ceil", torch.ceil, a),
    ("Cos", torch.cos, a), ("Cosh", torch.cosh, a), ("Erf", torch.erf, a), ("Erfc", torch.erfc, a),
    ("Erfinv", torch.erfinv, u), ("Exp", torch.exp, a), ("Expm1", torch.expm1, a), ("Floor", torch.floor, a),
    ("Inv", torch.reciprocal, p), ("Invert", torch.bitwise_not, i0),
    ("IsFinite", torch.isfinite, torch.tensor([1.0, math.inf, math.nan])),
    ("IsInf", torch.isinf, torch.tensor([1.0, math.inf, math.nan])), ("Log", torch.log, p), ("Log1p", torch.log1p, p),
    ("LogicalNot", torch.logical_not, torch.tensor([True, False])), ("Neg", torch.neg, a),
    ("Reciprocal", torch.reciprocal, p), ("Relu", torch.relu, a), ("Rint", torch.round, a), ("Round", torch.round, a),
    ("Rsqrt", torch.rsqrt, p), ("Selu", F.selu, a), ("Sigmoid", torch.sigmoid, a), ("Sign", torch.sign, a),
    ("Sin", torch.sin, a), ("Sinh", torch.sinh, a), ("Softsign", F.softsign, a), ("Sqrt", torch.sqrt, p),
    ("Square", torch.square, a), ("Tan", torch.tan, u), ("Tanh", torch.tanh, a), ("Trunc", torch.trunc, a),
    ("Gelu", lambda x: F.gelu(x, approximate="tanh"), a), ("Mish", F.mish, a), ("HardSwish", F.hardswish, a),
    ("FastGelu", lambda x: x * torch.exp(0.851 * (x - x.abs())) / (1 + torch.exp(-1.702 * x.abs())), a),
    ("Relu6", F.relu6, 4 * a), ("Softplus", F.softplus, a),
]:
    row(kind, [x], [f(x)])
row("Swish", [a], [a * torch.sigmoid(a)], scale=1.0)
row("Swish", [a], [a * torch.sigmoid(2 * a)], scale=2.0)
row("Elu", [a], [F.elu(a, 0.5)], alpha=0.5)
row("LeakyRelu", [a], [F.leaky_relu(a, 0.1)], negative_slope=0.1)
row("Adds", [a], [a + 2.5], value=2.5)
row("Muls", [a], [a * 2.5], value=2.5)
row("Cast", [a], [a.int()], dst_type=3)
row("Cast", [a], [a.half()], dst_type=1)

for kind, f, x, y in [
    ("Add", torch.add, a, b[0]), ("AddV2", torch.add, a, b), ("Sub", torch.sub, a, b), ("Mul", torch.mul, a, b[:, :1]),
    ("Div", torch.div, a, p), ("RealDiv", torch.div, a, p), ("Maximum", torch.maximum, a, b),
    ("Minimum", torch.minimum, a, b), ("Pow", torch.pow, p, b), ("FloorDiv", torch.floor_divide, i0, i1),
    ("FloorMod", torch.remainder, i0, i1), ("Mod", torch.fmod, i0, i1), ("Atan2", torch.atan2, a, p),
    ("Equal", torch.eq, i0, torch.tensor([7, 3, 12], dtype=torch.int32)),
    ("NotEqual", torch.ne, i0, torch.tensor([7, 3, 12], dtype=torch.int32)), ("Greater", torch.gt, a, b),
    ("GreaterEqual", torch.ge, a, a), ("Less", torch.lt, a, b), ("LessEqual", torch.le, a, b),
    ("LogicalAnd", torch.logical_and, a > 0, b > 0), ("LogicalOr", torch.logical_or, a > 0, b > 0),
    ("BitwiseAnd", torch.bitwise_and, i0, i1), ("BitwiseOr", torch.bitwise_or, i0, i1),
    ("BitwiseXor", torch.bitwise_xor, i0, i1), ("SquaredDifference", lambda x, y: (x - y) ** 2, a, b),
]:
    row(kind, [x, y], [f(x, y)])
for kind in "Select", "SelectV2":
    row(kind, [a > 0, a, b], [torch.where(a > 0, a, b)])
row("ClipByValue", [a, torch.tensor(-0.5), torch.tensor(0.75)], [a.clamp(-0.5, 0.75)])
row("Lerp", [a, b, p], [torch.lerp(a, b, p)])
row("Addcmul", [a, b, p, torch.tensor(0.5)], [a + 0.5 * b * p])
row("Addcdiv", [a, b, p, torch.tensor([0.5])], [a + 0.5 * b / p])
row("MaskedFill", [a, a > 0, torch.tensor(9.0)], [a.masked_fill(a > 0, 9.0)])
row("AddN", [a, b, p], [a + b + p], N=3)
image, bias3 = r(2, 3, 2, 2), r(3)
row("BiasAdd", [image, bias3], [image + bias3.view(1, 3, 1, 1)], data_format="NCHW")
row("BiasAdd", [a, bias3], [a + bias3], data_format="NCHW")
row("BiasAddGrad", [image], [image.sum((0, 2, 3))], data_format="NCHW")
row("BiasAddGrad", [a], [a.sum(0)], data_format="NCHW")

y = p
row("SqrtGrad", [y, b], [0.5 * b / y])
row("RsqrtGrad", [y, b], [-0.5 * b * y**3])
row("ReciprocalGrad", [y, b], [-b * y * y])
row("SigmoidGrad", [u, b], [b * u * (1 - u)])
row("TanhGrad", [u, b], [b * (1 - u * u)])
row("ReluGrad", [b, a], [b * (a > 0)])
row("EluGrad", [b, u], [torch.where(u > 0, b, b * (u + 1))])


def gradient(f, x, g):
    x = x.detach().clone().requires_grad_()
    f(x).backward(g)
    return x.grad


row("LeakyReluGrad", [b, a], [gradient(lambda x: F.leaky_relu(x, 0.1), a, b)], negative_slope=0.1)
row("SoftplusGrad", [b, a], [gradient(F.softplus, a, b)])
row("GeluGrad", [b, a, a], [gradient(lambda x: F.gelu(x, approximate="tanh"), a, b)])
row("FastGeluGrad", [b, a], [gradient(lambda x: x * torch.sigmoid(1.702 * x), a, b)])
row("MishGrad", [b, a], [gradient(F.mish, a, b)])
row("SwishGrad", [b, a, a], [gradient(lambda x: x * torch.sigmoid(x), a, b)], scale=1.0)
row("HardSwishGrad", [b, a], [gradient(F.hardswish, a, b)])

row("SoftmaxV2", [a], [a.softmax(-1)], axes=[-1])
row("SoftmaxV2", [a], [a.softmax(0)], axes=[0])
row("SoftmaxGrad", [a.softmax(-1), b], [gradient(lambda x: x.softmax(-1), a, b)], axes=[-1])
row("LogSoftmaxV2", [a], [a.log_softmax(-1)], axes=[-1])
row("LogSoftmaxGrad", [b, a.log_softmax(-1)], [gradient(lambda x: x.log_softmax(-1), a, b)], axis=[-1])
scores, hidden = r(1, 1, 2, 32), torch.zeros(1, 1, 2, 32, dtype=torch.bool)
hidden[..., 16:] = True
scaled = lambda x: (x * 0.5).masked_fill(hidden, -10000.0).softmax(-1)
row("ScaledMaskedSoftmax", [scores, hidden], [scaled(scores)], scale=0.5, fixed_triu_mask=False)
grad = r(1, 1, 2, 32)
row("ScaledMaskedSoftmaxGrad", [grad, scaled(scores), hidden], [gradient(scaled, scores, grad)], scale=0.5,
    fixed_triu_mask=False)
labels = b.softmax(-1)
row("SoftmaxCrossEntropyWithLogits", [a, labels], [-(labels * a.log_softmax(-1)).sum(-1), a.softmax(-1) - labels])
logs, target = a.log_softmax(-1), b.softmax(-1)
for reduction in "none", "mean", "sum", "batchmean":
    row("KLDiv", [logs, target], [F.kl_div(logs, target, reduction=reduction)], reduction=reduction)
row("KlDivLossGrad", [torch.tensor(1.0), logs, target],
    [gradient(lambda x: F.kl_div(x, target, reduction="sum"), logs, torch.tensor(1.0))], reduction="sum")
row("L2Normalize", [a], [a / a.square().sum(1, keepdim=True).clamp_min(1e-4).sqrt()], axis=[1], eps=1e-4)

x, gamma, beta, eps = r(2, 4), r(4), r(4), 1e-5
mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
normal = F.layer_norm(x, (4,), gamma, beta, eps)
row("LayerNorm", [x, gamma, beta], [normal, mean, variance], begin_norm_axis=-1, begin_params_axis=-1, epsilon=eps)
row("LayerNormV3", [x, gamma, beta], [normal, mean, (variance + eps).rsqrt()], begin_norm_axis=1, begin_params_axis=1,
    epsilon=eps)
dy = r(2, 4)
eps7 = 1e-7
unit = (x - mean) * (variance + eps7).rsqrt()
row("LayerNormGrad", [dy, x, variance, mean, gamma],
    [gradient(lambda x: F.layer_norm(x, (4,), gamma, beta, eps7), x, dy), (dy * unit).sum(0), dy.sum(0)])
x = r(4, 2, 1, 2)
gamma, beta, mean, variance = r(2), r(2), r(2), r(2).abs() + 0.5
row("BNInfer", [x, gamma, beta, mean, variance], [F.batch_norm(x, mean, variance, gamma, beta, False, 0.1, eps)],
    epsilon=eps)
row("BNTrainingReduce", [x], [x.sum((0, 2, 3)), x.square().sum((0, 2, 3))])
after_mean, after_variance = mean.clone(), variance.clone()
normal = F.batch_norm(x, after_mean, after_variance, gamma, beta, True, 0.1, eps)
batch_mean, batch_variance = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
row("BNTrainingUpdate", [x, x.sum((0, 2, 3)), x.square().sum((0, 2, 3)), gamma, beta, mean, variance],
    [normal, after_mean, after_variance, batch_mean, batch_variance], epsilon=eps, factor=0.1)
dy = r(4, 2, 1, 2)
unit = (x - batch_mean.view(1, 2, 1, 1)) * (batch_variance.view(1, 2, 1, 1) + eps).rsqrt()
scale_grad, offset_grad = (dy * unit).sum((0, 2, 3)), dy.sum((0, 2, 3))
row("BNTrainingUpdateGrad", [dy, x, batch_mean, batch_variance], [scale_grad, offset_grad], epsilon=eps)
row("BNTrainingReduceGrad", [dy, x, scale_grad, offset_grad, gamma, batch_mean, batch_variance],
    [gradient(lambda x: F.batch_norm(x, None, None, gamma, beta, True, 0.1, eps), x, dy)], epsilon=eps)

x = r(2, 3, 2)
for kind, f in [("ReduceSum", torch.sum), ("ReduceMean", torch.mean), ("ReduceMax", torch.amax), ("ReduceMin", torch.amin)]:
    row(kind, [x, Host([1])], [f(x, (1,))], keep_dims=False)
    row(kind, [x, Host([0, 2], torch.int32)], [f(x, (0, 2), keepdim=True)], keep_dims=True)
    row(kind, [x, Host([])], [f(x, (0, 1, 2)).reshape(1)], keep_dims=False)
    row(kind + "D", [x], [f(x, (0, 1))], axes=[0, 1], keep_dims=False)
lengths = torch.tensor([[3.0, 0, -4, 12], [-1, 1, 2, -2]])
row("LpNormV2", [lengths], [torch.linalg.vector_norm(lengths, 1.0, 1)], p=1.0, axes=[1], keepdim=False)
row("ReduceAll", [x > -1, Host([1])], [(x > -1).all(1)], keep_dims=False)
row("ReduceAllD", [x > -1], [(x > -1).all(1)], axes=[1], keep_dims=False)
row("ReduceAny", [x > 1, Host([1])], [(x > 1).any(1)], keep_dims=False)
row("ReduceAnyD", [x > 1], [(x > 1).any(1)], axes=[1], keep_dims=False)
row("ReduceProd", [x, Host([1])], [x.prod(1)], keep_dims=False)
distinct = torch.tensor([[3.0, 1, 2], [-1, 5, 4]])
row("ArgMaxV2", [distinct, Host([1])], [distinct.argmax(1).int()])
row("ArgMin", [distinct, Host([1])], [distinct.argmin(1).int()])
row("ArgMaxD", [distinct], [distinct.argmax(1).int()], dimension=1)
row("ArgMinD", [distinct], [distinct.argmin(0).int()], dimension=0)
row("ArgMaxWithValue", [distinct], [distinct.argmax(1).int(), distinct.amax(1)], dimension=1, keep_dims=False)
row("ArgMinWithValue", [distinct], [distinct.argmin(1, keepdim=True).int(), distinct.amin(1, keepdim=True)], dimension=1,
    keep_dims=True)
row("ArgMaxGrad", [torch.zeros(2, 3), torch.tensor([1, 2], dtype=torch.int32), torch.tensor([5.0, 6])],
    [torch.tensor([[0.0, 5, 0], [0, 0, 6]])], dimension=1)
row("TopK", [distinct, Host([2], torch.int32)], [distinct.topk(2)[0], distinct.topk(2)[1].int()], sorted=True)
row("TopKV2", [distinct, Host([2], torch.int32)], [distinct.topk(2)[0], distinct.topk(2)[1].int()], sorted=True)
order = distinct.sort(1, descending=True)
row("Sort", [distinct], [order[0], order[1].int()], axis=-1, descending=True)
row("SortV2", [distinct], [distinct.sort(1)[0]], axis=1, descending=False)
row("Cumsum", [a, Host([1])], [a.cumsum(1)], exclusive=False, reverse=False)
row("Cumsum", [a, Host([1])], [a.flip(1).cumsum(1).flip(1)], exclusive=False, reverse=True)
row("CumsumD", [a], [a.cumsum(0)], axis=0)
row("Cumprod", [a, Host([1])], [a.cumprod(1)], exclusive=False, reverse=False)
row("Cumprod", [a, Host([1])], [a.flip(1).cumprod(1).flip(1)], exclusive=False, reverse=True)
square = torch.tensor([[2.0, 0], [0, 3]])
row("Svd", [square], [torch.tensor([3.0, 2]), Any_(square), Any_(square)], full_matrices=False, compute_uv=True)

m, n = r(2, 3), r(3, 4)
row("MatMul", [m, n], [m @ n], transpose_x1=False, transpose_x2=False)
row("MatMul", [m.t().contiguous(), n.t().contiguous(), bias4 := r(4)], [m @ n + bias4], transpose_x1=True, transpose_x2=True)
row("MatMulV2", [m, n, None, None], [m @ n], transpose_x1=False, transpose_x2=False)
m, n = r(2, 2, 3), r(2, 3, 2)
row("BatchMatMul", [m, n], [m @ n], adj_x1=False, adj_x2=False)
row("BatchMatMul", [m, n.transpose(1, 2).contiguous()], [m @ n], adj_x1=False, adj_x2=True)
row("BatchMatMulV2", [m.transpose(1, 2).contiguous(), n], [m @ n], adj_x1=True, adj_x2=False)
x, w, c = r(1, 2, 4, 4), r(3, 2, 3, 3), r(3)
conv = dict(strides=[1, 1, 2, 1], pads=[1, 1, 0, 1], dilations=[1, 1, 1, 1], groups=1, data_format="NCHW")
padded = lambda x: F.pad(x, (0, 1, 1, 1))
forward = lambda x, w: F.conv2d(padded(x), w, None, (2, 1))
row("Conv2D", [x, w], [forward(x, w)], **conv)
row("Conv2D", [x, w, c], [forward(x, w) + c.view(1, 3, 1, 1)], **conv)
dy = r(*forward(x, w).shape)
row("Conv2DBackpropInput", [Host([1, 2, 4, 4], torch.int32), w, dy], [gradient(lambda x: forward(x, w), x, dy)], **conv)
row("Conv2DBackpropFilter", [x, Host([3, 2, 3, 3], torch.int32), dy], [gradient(lambda w: forward(x, w), w, dy)], **conv)
w2 = r(2, 3, 2, 2)
row("Conv2DTranspose", [Host([1, 3, 5, 5], torch.int32), x, w2, c], [F.conv_transpose2d(x, w2, c)],
    output_padding=[0, 0, 0, 0], strides=[1, 1, 1, 1], pads=[0, 0, 0, 0], dilations=[1, 1, 1, 1], groups=1,
    data_format="NCHW")
x, w = r(1, 1, 3, 3, 3), r(2, 1, 2, 2, 2)
conv = dict(strides=[1] * 5, pads=[0] * 6, dilations=[1] * 5, groups=1, data_format="NCDHW")
row("Conv3D", [x, w], [F.conv3d(x, w)], **conv)
dy = r(1, 2, 2, 2, 2)
row("Conv3DBackpropInput", [Host([1, 1, 3, 3, 3], torch.int32), w, dy], [gradient(lambda x: F.conv3d(x, w), x, dy)], **conv)
row("Conv3DBackpropFilter", [x, Host([2, 1, 2, 2, 2], torch.int32), dy], [gradient(lambda w: F.conv3d(x, w), w, dy)], **conv)
x = r(1, 1, 4, 4)
pool = dict(ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="VALID", data_format="NCHW")
row("MaxPool", [x], [F.max_pool2d(x, 2)], **pool)
row("AvgPool", [x], [F.avg_pool2d(x, 2)], **pool)
dy = r(1, 1, 2, 2)
row("AvgPoolGrad", [Host([1, 1, 4, 4], torch.int32), dy], [gradient(lambda x: F.avg_pool2d(x, 2), x, dy)], **pool)


def same(tensor, pool, **filled):
    """A pool of windows of 3 by 2 each 2 by 2 with padding SAME, of 5 by 5 elements: 1 above and below, 0 and 1 beside."""
    return pool(F.pad(tensor, (0, 1, 1, 1), **filled), (3, 2), 2)


def same_mean(value):
    return same(value, F.avg_pool2d) / same(torch.ones_like(value), F.avg_pool2d)


def same_max(value):
    return same(value, F.max_pool2d, value=-math.inf)


odd, dodd = r(1, 2, 5, 5), r(1, 2, 3, 3)
around = {"ksize": [1, 1, 3, 2], "strides": [1, 1, 2, 2], "padding": "SAME", "data_format": "NCHW"}
row("MaxPool", [odd - 3], [same_max(odd - 3)], **around)
row("AvgPool", [odd], [same_mean(odd)], **around)
row("AvgPoolGrad", [Host([1, 2, 5, 5], torch.int32), dodd], [gradient(same_mean, odd, dodd)], **around)
tied = torch.round(odd)
row("MaxPoolGrad", [x, F.max_pool2d(x, 2), dy], [gradient(lambda x: F.max_pool2d(x, 2), x, dy)], **pool)
row("MaxPoolGrad", [x * 0, F.max_pool2d(x * 0, 2), dy], [gradient(lambda x: F.max_pool2d(x, 2), x * 0, dy)], **pool)
row("MaxPoolGrad", [tied, same_max(tied), dodd], [gradient(same_max, tied, dodd)], **around)
row("CustAdaptiveAvgPool2D", [x], [F.adaptive_avg_pool2d(x, (2, 2))], output_size=[2, 2])
row("CustAdaptiveAvgPool2DGrad", [dy, Host([1, 1, 4, 4])], [gradient(lambda x: F.adaptive_avg_pool2d(x, (2, 2)), x, dy)])
row("ResizeNearestNeighborV2", [dy, Host([4, 4], torch.int32)], [F.interpolate(dy, (4, 4))], align_corners=False,
    half_pixel_centers=False)
row("ResizeBilinearV2", [dy, Host([3, 3], torch.int32)],
    [F.interpolate(dy, (3, 3), mode="bilinear", align_corners=True)], align_corners=True, half_pixel_centers=False)
row("ResizeBilinearV2", [dy, Host([4, 4], torch.int32)],
    [F.interpolate(dy, (4, 4), mode="bilinear", align_corners=False)], align_corners=False, half_pixel_centers=True)

for kind in "TensorMove", "Flatten", "Squeeze", "Unsqueeze":
    row(kind, [a], [a])
row("Identity", [a], [a])
row("ExpandDims", [a, Host([0])], [a[None]])
row("Reshape", [a, Host([3, 2])], [a.reshape(3, 2)])
row("Assign", [a, b], [Place(0, b)])
row("AssignAdd", [a, b], [Place(0, a + b)])
row("AssignSub", [a, b], [Place(0, a - b)])
x = r(2, 3, 2)
row("Transpose", [x, Host([2, 0, 1])], [x.permute(2, 0, 1).contiguous()])
row("Transpose", [x, torch.tensor([2, 0, 1])], [x.permute(2, 0, 1).contiguous()])
row("TransposeD", [x], [x.permute(1, 0, 2).contiguous()], perm=[1, 0, 2])
row("ConfusionTransposeD", [x], [x.permute(0, 2, 1).reshape(2, 6)], perm=[0, 2, 1], shape=[2, 6], transpose_first=True)
row("ConfusionTransposeD", [x.reshape(2, 6)], [x.permute(0, 2, 1).contiguous()], perm=[0, 2, 1], shape=[2, 3, 2],
    transpose_first=False)
row("BroadcastTo", [a[:1], Host([4, 3])], [a[:1].expand(4, 3).contiguous()])
row("BroadcastToD", [a[:1]], [a[:1].expand(4, 3).contiguous()], shape=[4, 3])
row("Tile", [a, Host([1, 2])], [a.repeat(1, 2)])
row("TileD", [a], [a.repeat(2, 1)], multiples=[2, 1])
row("Slice", [a, Host([0, 1]), Host([2, 2])], [a[:, 1:].contiguous()])
row("Slice", [a, Host([1, 0], torch.int32), Host([-1, -1], torch.int32)], [a[1:].contiguous()])
row("SliceD", [a], [a[:, 1:].contiguous()], offsets=[0, 1], size=[2, 2])
row("StridedSlice", [a, Host([0, 0]), Host([2, 3]), Host([1, 2])], [a[:, ::2].contiguous()], begin_mask=0, end_mask=0,
    ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
row("StridedSlice", [a, Host([0, 1]), Host([0, 2]), Host([1, 1])], [a[:, 1].contiguous()], begin_mask=1, end_mask=1,
    ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=2)
row("Pad", [a, Host([1, 1, 0, 2])], [F.pad(a, (0, 2, 1, 1))])
row("PadV3", [a, Host([[1, 0], [0, 2]]), Host(2.5, torch.float32)], [F.pad(a, (0, 2, 1, 0), value=2.5)], mode="constant",
    paddings_contiguous=True)
row("MirrorPad", [a, Host([[1, 0], [2, 1]])], [F.pad(F.pad(a[None, None], (2, 1, 1, 0), mode="reflect"), ())[0, 0]],
    mode="REFLECT")
wide = torch.cat([a.flip(1)[:, 1:], a, a.flip(1)[:, :1]], 1)
row("MirrorPad", [a, Host([[2, 1], [2, 1]], torch.int32)], [torch.cat([wide.flip(0), wide, wide[1:]])], mode="SYMMETRIC")
deep = r(2, 1, 2, 3, 2)
row("MirrorPad", [deep, Host([[0, 0], [0, 0], [1, 1], [0, 2], [1, 0]])],
    [F.pad(deep, (1, 0, 0, 2, 1, 1), mode="reflect")], mode="REFLECT")
row("MirrorPad", [a, Host([[1, 1], [0, 0]])], [torch.stack([a[1], a[0], a[1], a[0]])], mode="REFLECT")
row("Pack", [a, b], [torch.stack([a, b], 1)], axis=1, N=2)
row("ConcatD", [a, b], [torch.cat([a, b], 1)], concat_dim=1, N=2)
row("Concat", [Host(0, torch.int32), a, b], [torch.cat([a, b])], N=2)
row("ConcatV2", [a, b, Host(1, torch.int32)], [torch.cat([a, b], 1)], N=2)
for axis in 0, -1:
    row("Unpack", [a], [part.contiguous() for part in a.unbind(axis)], axis=axis, num=a.shape[axis])
four = r(4, 4)
row("Split", [Host(1, torch.int32), four], [part.contiguous() for part in four.chunk(2, 1)], num_split=2)
row("SplitD", [four], [part.contiguous() for part in four.chunk(4, 0)], split_dim=0, num_split=4)
row("SplitV", [a, Host([1, 2]), Host(1, torch.int32)], [a[:, :1].contiguous(), a[:, 1:].contiguous()], num_split=2)
row("SplitVD", [a], [a[:, :2].contiguous(), a[:, 2:].contiguous()], size_splits=[2, 1], split_dim=1, num_split=2)
row("AsStrided", [a, Host([2, 2]), Host([3, 1]), Host(1)], [a[:, 1:].contiguous()])
row("AsStrided", [a, Host([2, 2]), Host([1, 1])], [a.as_strided((2, 2), (1, 1)).contiguous()])
row("ReverseV2", [a, Host([1])], [a.flip(1)])
row("ReverseV2D", [a], [a.flip(0)], axis=[0])

index = torch.tensor([2, 0])
row("GatherV2", [a, index, Host([1])], [a[:, index]], batch_dims=0)
row("GatherV2D", [a, torch.tensor([1, 0], dtype=torch.int32)], [a[[1, 0]]], axis=0)
row("Gather", [a, torch.tensor([1, 0], dtype=torch.int32)], [a[[1, 0]]])
along = torch.tensor([[0, 2], [1, 1]])
row("GatherElements", [a, along], [a.gather(1, along)], dim=1)
row("GatherNd", [a, torch.tensor([[1, 2], [0, 0]])], [a[[1, 0], [2, 0]]])
src = r(2, 2)
row("ScatterElements", [a, along, src], [a.scatter(1, along, src)], axis=1, reduction="none")
row("ScatterElements", [a, along, src], [a.scatter_add(1, along, src)], axis=1, reduction="add")
after = a.clone()
after[1] = b[0]
row("ScatterNdUpdate", [a, torch.tensor([[1]]), b[:1]], [Place(0, after)])
row("ScatterUpdate", [a, torch.tensor([1]), b[:1]], [Place(0, after)])
row("TensorScatterUpdate", [a, torch.tensor([[1]]), b[:1]], [after])
segments = torch.tensor([0, 2, 0], dtype=torch.int32)
rows3 = r(3, 2)
row("UnsortedSegmentSum", [rows3, segments, Host(3, torch.int32)], [torch.zeros(3, 2).index_add(0, segments, rows3)])
classes = torch.tensor([1, 0, 3], dtype=torch.int32)
row("OneHot", [classes, Host(4, torch.int32), torch.tensor(1.0), torch.tensor(0.0)], [F.one_hot(classes.long(), 4).float()],
    axis=-1)
row("OneHotD", [classes, torch.tensor([5.0]), torch.tensor([-1.0])], [F.one_hot(classes.long(), 4).float() * 6 - 1],
    depth=4, axis=-1)

row("OnesLike", [a], [torch.ones(2, 3)])
row("ZerosLike", [a], [torch.zeros(2, 3)])
row("Fill", [Host([2, 2]), torch.tensor(2.5)], [torch.full((2, 2), 2.5)])
row("Fill", [Host([2, 2]), Host(7, torch.int32)], [torch.full((2, 2), 7, dtype=torch.int32)])
row("Fills", [a], [torch.full((2, 3), 2.5)], value=2.5)
row("FillV2D", [], [torch.full((2, 3), 2.5)], value=2.5)
row("Range", [Host(1.0, torch.float32), Host(4.0, torch.float32), Host(1.0, torch.float32)], [torch.arange(1.0, 4)])
row("LinSpace", [Host(0.0, torch.float32), Host(1.0, torch.float32), Host(5, torch.int32)], [torch.linspace(0, 1, 5)])
row("DropOutGenMask", [Host([8]), torch.tensor(1.0)], [torch.full((16,), 255, dtype=torch.uint8)], seed=1, seed2=0)
row("DropOutDoMask", [r(8) * 0 + 2, torch.tensor([0b10101010] + [0] * 15, dtype=torch.uint8), torch.tensor(0.5)],
    [torch.tensor([0.0, 4] * 4)])
row("RandomStandardNormal", [Host([2, 2])], [Any_(torch.zeros(2, 2))], seed=1, seed2=0)
row("NPUAllocFloatStatus", [], [torch.zeros(8)])
row("NPUGetFloatStatus", [torch.zeros(8)], [torch.zeros(8)])
row("NPUClearFloatStatus", [torch.zeros(8)], [torch.zeros(8)])
row("NPUGetFloatStatusV2", [], [torch.zeros(8, dtype=torch.int32)])
row("NPUClearFloatStatusV2", [], [])

t = lambda v: torch.tensor(v)
var, first, second, g = r(2, 3), r(2, 3), p.clone(), r(2, 3)
b1p, b2p, lr, b1, b2, e = 0.81, 0.998001, 0.01, 0.9, 0.999, 1e-8
nm = first + (1 - b1) * (g - first)
nv = second + (1 - b2) * (g * g - second)
step = lr * math.sqrt(1 - b2p) / (1 - b1p)
plain = var - step * nm / (e + nv.sqrt())
numbers = [t(v) for v in (b1p, b2p, lr, b1, b2, e)]
row("ApplyAdam", [var, first, second, *numbers, g], [Place(0, plain)], use_nesterov=False, use_locking=False)
row("ApplyAdamD", [var, first, second, *numbers, g], [Place(0, plain), Place(1, nm), Place(2, nv)], use_nesterov=False)
row("ApplyAdamD", [var, first, second, *numbers, g],
    [var - step * (b1 * nm + (1 - b1) * g) / (e + nv.sqrt()), nm, nv], use_nesterov=True)
# ApplyAdamW as torch's AdamW, whose powers are those before this step.
wd = 0.1
parameter = torch.nn.Parameter(var.clone())
optimizer = torch.optim.AdamW([parameter], lr=lr, betas=(b1, b2), eps=e, weight_decay=wd)
optimizer.state[parameter] = {"step": t(1.0), "exp_avg": first.clone(), "exp_avg_sq": second.clone()}
parameter.grad = g.clone()
optimizer.step()
state = optimizer.state[parameter]
row("ApplyAdamW", [var, first, second, t(b1), t(b2), t(lr), t(wd), t(b1), t(b2), t(e), g, None],
    [Place(0, parameter.detach()), Place(1, state["exp_avg"]), Place(2, state["exp_avg_sq"])], amsgrad=False, maximize=False)
accum, momentum = r(2, 3), 0.9
na = momentum * accum + g
row("ApplyMomentum", [var, accum, t(lr), g, t(momentum)], [Place(0, var - lr * na)], use_nesterov=False)
row("ApplyMomentum", [var, accum, t(lr), g, t(momentum)], [Place(0, var - lr * g - lr * momentum * na)], use_nesterov=True)
for mom, nesterov, stat in (0.9, False, 0.0), (0.9, True, 0.0), (0.9, False, 1.0), (0.0, False, 0.0):
    gd = g + 0.1 * var
    buffer = gd if stat else mom * accum + (1 - 0.25) * gd
    used = gd if not mom else gd + mom * buffer if nesterov else buffer
    row("SGD", [var, g, t(lr), accum, t(mom), torch.full((2, 3), stat)], [Place(0, var - lr * used)], dampening=0.25,
        nesterov=nesterov, weight_decay=0.1)
nv, nm = b2 * second + (1 - b2) * g * g, b1 * first + (1 - b1) * g
row("AdamApplyOneWithDecayAssign",
    [g, second, first, var, t(lr), t(b1), t(1 - b1), t(b2), t(1 - b2), t(0.1), t(e)],
    [Place(1, nv), Place(2, nm), Place(3, var - lr * (nm / (nv.sqrt() + e) + 0.1 * var))])
rho = 0.9
ms = second + (g * g - second) * (1 - rho)
mo = first * momentum + lr * g / (ms + 0.01).sqrt()
row("ApplyRMSProp", [var, second, first, t(lr), Host(rho, torch.float32), Host(momentum, torch.float32),
                     Host(0.01, torch.float32), g], [Place(0, var - mo)])
ac = second + g * g
row("ApplyAdagradD", [var, second, t(lr), g], [Place(0, var - lr * g / ac.sqrt()), Place(1, ac)], update_slots=True)
update = r(2, 3).abs()
ac = rho * second + (1 - rho) * g * g
delta = (update + 0.01).sqrt() * g / (ac + 0.01).sqrt()
row("ApplyAdadeltaD", [var, second, update, t(lr), t(rho), t(0.01), g],
    [Place(0, var - lr * delta), Place(1, ac), Place(2, rho * update + (1 - rho) * delta * delta)])
l1, l2, power = 0.5, 0.25, -0.5
n = p + g * g
linear = first + g - (n**-power - p**-power) / lr * var
q = n**-power / lr + 2 * l2
row("ApplyFtrl", [var, p, first, g, t(lr), t(l1), t(l2), t(power)],
    [Place(0, torch.where(linear.abs() > l1, (linear.sign() * l1 - linear) / q, 0.0))])
row("ApplyFtrl", [var, p, first, g, Host(lr, torch.float32), t(400.0), t(l2), t(power)],
    [Place(0, torch.where(linear.abs() > 400, (linear.sign() * 400 - linear) / q, 0.0))])
nm, nv = first + (1 - b1) * (g - first), torch.maximum(b2 * second, g.abs())
row("ApplyAdaMaxD", [var, first, second, t(b1p), t(lr), t(b1), t(b2), t(e), g],
    [Place(0, var - lr / (1 - b1p) * nm / (nv + e)), Place(1, nm), Place(2, nv)])

# Kinds that came later, with numbers of their own.
torch.manual_seed(2)
a, b, p = r(2, 4), r(2, 4), r(2, 4).abs() + 0.25
row("LogSigmoid", [a], [F.logsigmoid(a)])
row("HardShrink", [a], [F.hardshrink(a, 0.25)], lambd=0.25)
row("SoftShrink", [a], [F.softshrink(a, 0.25)], lambd=0.25)
row("HardSigmoid", [4 * a], [F.hardsigmoid(4 * a)])
row("HardSigmoid", [a], [(a * 0.5 + 0.25).clamp(0, 1)], alpha=0.5, beta=0.25)
row("PRelu", [a, torch.tensor([0.25])], [F.prelu(a, torch.tensor([0.25]))])
row("GLU", [a], [F.glu(a)], dim=-1)
row("GLU", [a], [F.glu(a, 0)], dim=0)
row("Exp", [a], [torch.exp(a)], base=-1.0, scale=1.0, shift=0.0)
row("Log", [p], [torch.log(p)], base=-1.0, scale=1.0, shift=0.0)
row("Round", [4 * a], [torch.round(4 * a)], decimals=0)
row("LogAddExp", [a, b], [torch.logaddexp(a, b)])
row("LeftShift", [i0, i1.abs()], [i0 << i1.abs()])
row("RightShift", [i0, i1.abs()], [i0 >> i1.abs()])
row("DivNoNan", [a, torch.tensor([0.0, 2.0, -4.0, 0.0])], [torch.where(torch.tensor([1, 0, 0, 1]).bool(), 0.0, a / torch.tensor([1.0, 2.0, -4.0, 1.0]))])
row("ClipByValueV2", [a, torch.tensor(-0.5), torch.tensor(0.75)], [a.clamp(-0.5, 0.75)])
row("MaskedScatter", [a, a > 0, b], [a.masked_scatter(a > 0, b)])
row("AccumulateNV2", [a, b, p], [a + b + p], N=3)


def gradient(f, x, g):
    x = x.clone().requires_grad_()
    f(x).backward(g)
    return x.grad


row("HardShrinkGrad", [b, a], [gradient(lambda x: F.hardshrink(x, 0.25), a, b)], lambd=0.25)
row("SoftShrinkGrad", [b, a], [gradient(lambda x: F.softshrink(x, 0.25), a, b)], lambd=0.25)
row("HardSigmoidGrad", [b, 4 * a], [gradient(F.hardsigmoid, 4 * a, b)])
row("HardtanhGrad", [a, b], [gradient(lambda x: F.hardtanh(x, -0.5, 0.75), a, b)], min_val=-0.5, max_val=0.75)
row("LogSigmoidGrad", [b, a], [gradient(F.logsigmoid, a, b)])
weight = torch.tensor([0.25])
row("PReluGrad", [b, a, weight], [gradient(lambda x: F.prelu(x, weight), a, b), gradient(lambda w: F.prelu(a, w), weight, b)])
row("SeluGrad", [b, F.selu(a)], [gradient(F.selu, a, b)])
row("SiluGrad", [b, a], [gradient(F.silu, a, b)])
row("GLUGrad", [b[:, :2], a], [gradient(F.glu, a, b[:, :2])], dim=-1)
signs = torch.where(b > 0, 1.0, -1.0)
chance, label = torch.sigmoid(a), (b > 0).float()
for reduction in "none", "mean", "sum":
    one = b if reduction == "none" else torch.tensor(1.5)
    how = {"reduction": reduction}
    row("L1LossGrad", [one, a, p], [gradient(lambda x: F.l1_loss(x, p, **how), a, one)], **how)
    row("LpLoss", [a, p], [F.l1_loss(a, p, **how)], p=1, **how)
    row("MseLoss", [a, p], [F.mse_loss(a, p, **how)], **how)
    row("MseLossGrad", [a, p, one], [gradient(lambda x: F.mse_loss(x, p, **how), a, one)], **how)
    row("SmoothL1LossV2", [a, p], [F.smooth_l1_loss(a, p, beta=0.5, **how)], sigma=0.5, **how)
    row("SmoothL1LossGradV2", [a, p, one], [gradient(lambda x: F.smooth_l1_loss(x, p, beta=0.5, **how), a, one)], sigma=0.5, **how)
    row("SoftMarginLoss", [a, signs], [F.soft_margin_loss(a, signs, **how)], **how)
    row("SoftMarginLossGrad", [a, signs, one], [gradient(lambda x: F.soft_margin_loss(x, signs, **how), a, one)], **how)
    row("BinaryCrossEntropy", [chance, label, p], [F.binary_cross_entropy(chance, label, p, **how)], **how)
    row("BinaryCrossEntropy", [chance, label, None], [F.binary_cross_entropy(chance, label, **how)], **how)
    row("BinaryCrossEntropyGrad", [chance, label, one, p],
        [gradient(lambda x: F.binary_cross_entropy(x, label, p, **how), chance, one)], **how)
    place, weights = torch.tensor([2, 0], dtype=torch.int32), p[0]
    total = weights[place.long()].sum()
    one = b[:, 0] if reduction == "none" else torch.tensor(1.5)
    row("NLLLoss", [a, place, weights], [F.nll_loss(a, place.long(), weights, **how), Any_(torch.tensor(0.0)) if reduction == "none" else total], ignore_index=-100, **how)
    row("NLLLossGrad", [a, one, place, weights, total],
        [gradient(lambda x: F.nll_loss(x, place.long(), weights, **how), a, one)], ignore_index=-100, **how)
row("L2Loss", [a], [(a * a).sum() / 2])
rstd = 1 / (a * a).mean(-1, keepdim=True).add(0.01).sqrt()
row("RmsNorm", [a, p[0]], [a * rstd * p[0], rstd], epsilon=0.01)
rms_norm = lambda x, w: x / (x * x).mean(-1, keepdim=True).add(0.01).sqrt() * w  # noqa: E731
row("RmsNormGrad", [b, a, rstd, p[0]], [gradient(lambda x: rms_norm(x, p[0]), a, b), gradient(lambda w: rms_norm(a, w), p[0], b)])
hidden, mean = 0.5 * a + b, (0.5 * a + b).mean(-1, keepdim=True)
rstd = 1 / hidden.var(-1, unbiased=False, keepdim=True).add(0.01).sqrt()
gamma, beta, dy = p[0], r(4), r(2, 4)
row("DeepNorm", [a, b, beta, gamma], [mean, rstd, F.layer_norm(hidden, (4,), gamma, beta, 0.01)], alpha=0.5, epsilon=0.01)
through = [gradient(lambda h: F.layer_norm(h, (4,), gamma, beta, 0.01), hidden, dy),
           gradient(lambda w: F.layer_norm(hidden, (4,), w, beta, 0.01), gamma, dy), dy.sum(0)]
row("DeepNormGrad", [dy, a, b, gamma, mean, rstd], [0.5 * through[0], through[0], through[2], through[1]], alpha=0.5)
row("AddLayerNormGrad", [dy, 0.5 * a, b, rstd, mean, gamma, u[:, :1] + a], [through[0] + u[:, :1] + a, through[1], through[2]])
row("AddLayerNormGrad", [dy, 0.5 * a, b, rstd, mean, gamma, None], through)
x4, cos, sin = r(1, 2, 3, 8), r(1, 1, 3, 8), r(1, 1, 3, 8)
row("RotaryMul", [x4, cos, sin], [x4 * cos + torch.cat([-x4[..., 4:], x4[..., :4]], -1) * sin])
row("ReduceLogSumExp", [a, Host([1])], [a.logsumexp(1)], keep_dims=False)
row("ReduceLogSumExpD", [a], [a.logsumexp(0, keepdim=True)], axes=[0], keep_dims=True)
for kind, f in ("Cummax", torch.cummax), ("Cummin", torch.cummin):
    values, places = f(a, 1)
    row(kind, [a], [values, places.int()], dim=1)
ordered = torch.sort(a.flatten())[0]
row("SearchSorted", [ordered, b], [torch.searchsorted(ordered, b).int()], dtype=3, right=False)
row("SearchSorted", [ordered, a], [torch.searchsorted(ordered, a, right=True)], dtype=9, right=True)
row("TensorEqual", [a, a], [torch.tensor([True])])
row("TensorEqual", [a, b], [torch.tensor([False])])
row("Dot", [a[0], b[0]], [torch.dot(a[0], b[0])])
square = torch.tensor([[2.0, 1.0], [1.0, 1.0]])
row("MatrixInverse", [square], [torch.tensor([[1.0, -1.0], [-1.0, 2.0]])], adjoint=False)
picture = r(1, 2, 4, 4)
row("AdaptiveAvgPool2d", [picture], [F.adaptive_avg_pool2d(picture, (2, 3))], output_size=[2, 3])
row("Roll", [a], [a.roll([1, 2], [0, 1])], shifts=[1, 2], dims=[0, 1])
row("Roll", [a], [a.roll(3)], shifts=[3], dims=[])
row("Tril", [a], [a.tril(1)], diagonal=1)
row("Triu", [a], [a.triu(1)], diagonal=1)
row("InplaceIndexAdd", [a, torch.tensor([1, 1], dtype=torch.int32), b], [Place(0, a.index_add(0, torch.tensor([1, 1]), b))], axis=0)
row("DropOutGenMaskV3", [Host([8]), torch.tensor(1.0)], [torch.ones(8, dtype=torch.uint8)], seed=1, seed2=0)
row("DropOutDoMaskV3", [a, torch.tensor([[1, 0, 1, 1], [0, 0, 1, 1]], dtype=torch.uint8), torch.tensor(0.5)],
    [a * torch.tensor([[2.0, 0, 2, 2], [0, 0, 2, 2]])])
a, b = r(2, 3), r(2, 3)
row("InplaceIndexAdd", [a, torch.tensor([1, 1], dtype=torch.int32), b, torch.tensor(-2.0)],
    [Place(0, a.index_add(0, torch.tensor([1, 1]), b, alpha=-2))], axis=0)
row("Axpy", [a, b], [a + 0.5 * b], alpha=0.5)
row("AxpyV2", [a, b, torch.tensor(-0.25)], [a - 0.25 * b])
row("AsStrided", [torch.tensor([2.5]), Host([2, 3]), Host([0, 0]), Host(0)], [torch.full((2, 3), 2.5)])
row("AsStrided", [a, Host([2, 0]), Host([1, 1]), Host(0)], [torch.empty(2, 0)])
placed = a.clone()
placed[:, 1] = b[:, 2]
row("ViewCopy", [a, Host([2]), Host([3]), Host(1), b, Host([2]), Host([3]), Host(2)], [Place(0, placed)])
row("ViewCopy", [a, Host([3, 2]), Host([1, 3]), Host(0), b, Host([3, 2]), Host([2, 1]), Host(0)],
    [b.reshape(3, 2).t().contiguous()])
row("Index", [a, Host([1]), Host([2, 3]), torch.tensor([1, 0])], [a[[1, 0]]])
row("Index", [a, Host([0, 1]), Host([2, 2]), torch.tensor([2, 0])], [a[:, [2, 0]].contiguous()])
row("Index", [a, Host([1, 1]), Host([2]), torch.tensor([1, 0]), torch.tensor([2, 1])], [a[[1, 0], [2, 1]]])
row("IndexPutV2", [a, torch.tensor([7.0, 8.0]), Host([1, 1]), Host([2]), torch.tensor([1, 0]), torch.tensor([2, 1])],
    [Place(0, a.index_put((torch.tensor([1, 0]), torch.tensor([2, 1])), torch.tensor([7.0, 8.0])))], accumulate=False)
added = a.clone()
added[:, 2] += b[:, 0] + b[:, 1]
row("IndexPutV2", [a, b[:, :2], Host([0, 1]), Host([2]), torch.tensor([2, 2])], [Place(0, added)], accumulate=True)
row("StatelessRandomUniformV2", [Host([2, 3]), Host([5], torch.uint64), Host([0, 3], torch.uint64), Host(1, torch.int32)],
    [Any_(a)], dtype=0)
row("StatelessRandomNormalV2", [Host([2, 3]), Host([5], torch.uint64), Host([0, 3], torch.uint64), Host(1, torch.int32)],
    [Any_(a)], dtype=0)
soft = (b + 0.5 * a).softmax(-1)
kept = torch.tensor([1, 0, 1, 1, 1, 0], dtype=torch.uint8)  # without the dims of the others
row("AxpyWithSoftmaxAndDropOutDoMask", [b, a, kept], [soft, soft * kept.view(2, 3) / 0.5], alpha=0.5, input_keep_prob=0.5, axis=[-1])
inner = a * kept.view(2, 3) / 0.5
row("DropoutWithMulsAndSoftmaxGrad", [a, kept, soft], [0.5 * (inner - (inner * soft).sum(-1, keepdim=True)) * soft], alpha=0.5,
    input_keep_prob=0.5, axes=[-1])



def bits(value, size, room, **windows):
    """Which place of each window is the greatest: a bit for each window, in rows of whole pairs of bytes, one spare."""
    found = F.max_pool2d(value, size, return_indices=True, **windows)[1]
    pad, stride = windows.get("padding", 0), windows.get("stride", size)
    n, c, high, wide = found.shape
    mask = torch.zeros(n, room, size[0] * size[1], 2 * ((high * wide + 15) // 16 + 1), dtype=torch.uint8)
    for i, (b, k, y, x) in enumerate(torch.cartesian_prod(*map(torch.arange, found.shape)).tolist()):
        at = int(found.flatten()[i])
        row_, column = at // value.shape[3] - y * stride[0] + pad, at % value.shape[3] - x * stride[1] + pad
        window = y * wide + x
        mask[b, k, row_ * size[1] + column, window // 8] |= 1 << window % 8
    return mask


for value, size, room, windows in [
    (r(2, 3, 5, 7), (2, 2), 16, {}), (r(1, 2, 9, 8), (3, 3), 2, {"stride": (2, 2), "padding": 1}),
    (torch.round(r(2, 2, 5, 6)), (3, 2), 3, {"stride": (2, 1), "ceil_mode": True}),
]:
    pooled, mask = F.max_pool2d(value, size, **windows), bits(value, size, room, **windows)
    dy, pad = r(*pooled.shape), windows.get("padding", 0)
    attributes = dict(ksize=[1, *size, 1], strides=[1, *windows.get("stride", size), 1], pads=[1, pad, pad, 1],
                      ceil_mode=windows.get("ceil_mode", False))
    row("MaxPoolWithArgmaxV1", [value], [pooled, mask], dilation=[1, 1, 1, 1], **attributes)
    row("MaxPoolGradWithArgmaxV1", [value, dy, mask], [gradient(lambda x: F.max_pool2d(x, size, **windows), value, dy)],
        dilations=[1, 1, 1, 1], **attributes)
for pad, exclusive, ceil in (1, True, False), (1, False, False), (0, True, True):
    def mean(x):
        return F.avg_pool2d(x, (3, 2), (2, 2), (pad, pad), ceil, not exclusive)
    value = r(1, 2, 6, 5)
    attributes = dict(ksize=[1, 1, 3, 2], strides=[1, 1, 2, 2], padding_mode="CALCULATED", pads=[pad] * 4, data_format="NCHW",
                      global_pooling=False, ceil_mode=ceil, exclusive=exclusive)
    row("AvgPoolV2", [value], [mean(value)], divisor_override=0, **attributes)
    dy = r(*mean(value).shape)
    row("AvgPoolV2Grad", [Host([1, 2, 6, 5], torch.int32), dy], [gradient(mean, value, dy)], **attributes)
for pad, ceil in (0, False), (1, True):
    def greatest(x):
        return F.max_pool3d(x, 2, 2, pad, ceil_mode=ceil)
    value = torch.round(r(1, 2, 3, 4, 5))
    attributes = dict(ksize=[1, 1, 2, 2, 2], strides=[1, 1, 2, 2, 2], padding="CALCULATED", pads=[pad] * 6,
                      data_format="NCDHW")
    row("MaxPool3D", [value], [greatest(value)], dilation=[1, 1, 1, 1, 1], ceil_mode=ceil, **attributes)
    dy = r(*greatest(value).shape)
    # torch_npu puts one more behind where `ceil` might make another window, though none begins there.
    attributes["pads"] = [pad, pad + ceil, pad, pad, pad, pad + ceil]
    row("MaxPool3D", [value], [greatest(value)], dilation=[1, 1, 1, 1, 1], ceil_mode=ceil, **attributes)
    row("MaxPool3DGrad", [value, greatest(value), dy], [gradient(greatest, value, dy)], **attributes)
    for count in True, False:
        def mean_3d(x):
            return F.avg_pool3d(x, 2, 2, pad, ceil, count)
        attributes = dict(pads=[pad] * 6, ceil_mode=ceil, count_include_pad=count, data_format="NCDHW")
        row("AvgPool3D", [value], [mean_3d(value)], ksize=[2, 2, 2], strides=[2, 2, 2], **attributes)
        dy = r(*mean_3d(value).shape)
        row("AvgPool3DGrad", [Host([1, 2, 3, 4, 5]), dy], [gradient(mean_3d, value, dy)], ksize=[1, 1, 2, 2, 2],
            strides=[1, 1, 2, 2, 2], **attributes)
dy = r(1, 2, 2, 3)
row("AdaptiveAvgPool2dGrad", [dy], [gradient(lambda x: F.adaptive_avg_pool2d(x, (2, 3)), picture, dy)],
    orig_input_shape=[1, 2, 4, 4])

# Kinds that MindSpore's older layers ask for, with other attributes, and their neighbours.
torch.manual_seed(3)
a, b, p = r(2, 3), r(2, 3), r(2, 3).abs() + 0.25
h = lambda v: v.half()  # noqa: E731
nhwc = r(2, 2, 2, 3)
row("BiasAdd", [nhwc, bias3], [nhwc + bias3], data_format="NHWC")
row("BiasAddGrad", [nhwc], [nhwc.sum((0, 1, 2))], data_format="NHWC")
row("BiasAdd", [r5 := r(1, 3, 2, 1, 2), bias3], [r5 + bias3.view(1, 3, 1, 1, 1)], data_format="NCDHW")
row("Relu6Grad", [b, 4 * a], [gradient(F.relu6, 4 * a, b)])
row("CeluV2", [a], [F.celu(a, 0.5)], alpha=0.5)
later = lambda f, x, one: torch.cat([torch.full((2, 1), one), f(x, 1)[:, :-1]], 1)  # noqa: E731
earlier = lambda f, x, one: later(f, x.flip(1), one).flip(1)  # noqa: E731
for kind, f, one in ("Cumsum", torch.cumsum, 0.0), ("Cumprod", torch.cumprod, 1.0):
    for axis in 1, -1:
        row(kind, [a, Host([axis])], [later(f, a, one)], exclusive=True, reverse=False)
        row(kind, [a, Host([axis], torch.int32)], [earlier(f, a, one)], exclusive=True, reverse=True)
    row(kind + "D", [a], [earlier(f, a, one)], axis=1, exclusive=True, reverse=True)
    row(kind + "D", [a], [f(a, 0)], axis=0)
x = r(2, 3, 2)
row("ReduceProd", [x, Host([0, 2])], [x.prod(2).prod(0)], keep_dims=False)
row("ReduceProd", [x, Host([0, -1])], [x.prod(2, keepdim=True).prod(0, keepdim=True)], keep_dims=True)
row("ReduceProd", [x, Host([])], [x.prod().reshape(1)], keep_dims=False)
row("ReduceProd", [x, Host([])], [x], keep_dims=False, noop_with_empty_axes=True)
row("ReduceProd", [i0, Host([0])], [i0.prod().int()], keep_dims=False)
row("ReduceProdD", [x], [x.prod(1).prod(0)], axes=[0, 1], keep_dims=False)
for kind, f in [("ReduceSum", torch.sum), ("ReduceMean", torch.mean), ("ReduceMax", torch.amax)]:
    row(kind, [x, Host([])], [x], keep_dims=False, noop_with_empty_axes=True)
    row(kind, [x, Host([1])], [f(x, (1,))], keep_dims=False, noop_with_empty_axes=True)
row("ReduceLogSum", [p, Host([1])], [p.sum(1).log()], keep_dims=False)
row("ReduceStd", [x], [x.std((0, 2)), x.mean((0, 2))], dim=[0, 2], unbiased=True, keepdim=False)
row("ReduceStdV2Update", [x, x.mean(1, keepdim=True)], [x.var(1)], dim=[1], unbiased=True, keepdim=False, if_std=False)
row("ReduceStdV2Update", [x, x.mean(1, keepdim=True)], [x.std(1, keepdim=True)], dim=[1], unbiased=True, keepdim=True,
    if_std=True)
row("ReduceStdV2Update", [x, x.mean().expand(2, 3, 2).contiguous()], [x.std(unbiased=False).reshape(1)], dim=[0, 1, 2],
    unbiased=False, keepdim=False, if_std=True, correction=0)
row("ReduceStdWithMean", [x, x.mean(2, keepdim=True)], [x.std(2)], dim=[2], unbiased=True, keepdim=False, invert=False)
row("ReduceStdWithMean", [x, x.mean(1, keepdim=True)], [1 / (x.std(1, unbiased=False) + 0.25)], dim=[1], unbiased=False,
    keepdim=False, invert=True, epsilon=0.25)
pads = [[1, 0], [2, 1]]
for mode in "reflect", "replicate", "circular":
    two = F.pad(a[None, None], (2, 1, 1, 0), mode=mode)[0, 0] if mode != "circular" else torch.cat([
        a.roll(1, 0)[:1], a])[:, [1, 2, 0, 1, 2, 0]]
    name = {"replicate": "edge"}.get(mode, mode)
    row("PadV3", [a, Host(pads)], [two], mode=name, paddings_contiguous=True)
    row("PadV3", [a, Host([1, 2, 0, 1])], [two], mode=name, paddings_contiguous=False)
row("PadV3", [a, Host([1, 0, 0, 2]), Host(2.5, torch.float32)], [F.pad(a, (0, 2, 1, 0), value=2.5)], mode="constant",
    paddings_contiguous=False)
row("PadV3", [a, Host([[0, 0], [0, 0]])], [a], mode="edge")
row("PadV3", [a, Host([[5, 0], [0, 0]])], [torch.cat([a[:1]] * 5 + [a])], mode="edge")
row("PadV2", [a, Host([[1, 0], [0, 2]]), Host(2.5, torch.float32)], [F.pad(a, (0, 2, 1, 0), value=2.5)])
row("PadD", [a], [F.pad(a, (0, 2, 1, 0))], paddings=[1, 0, 0, 2])
for mode in "reflect", "replicate":
    f = lambda x: F.pad(x[None, None], (2, 1, 1, 0), mode=mode)[0, 0]  # noqa: E731,B023
    dy = r(3, 6)
    row("PadV3Grad", [dy, Host(pads)], [gradient(f, a, dy)], mode={"replicate": "edge"}.get(mode, mode), paddings_contiguous=True)
row("MirrorPadGrad", [dy, Host(pads)], [gradient(lambda x: F.pad(x[None, None], (2, 1, 1, 0), mode="reflect")[0, 0], a, dy)],
    mode="REFLECT")
both = lambda x: torch.cat([x[:1], x])[:, [1, 0, 0, 1, 2, 2]]  # noqa: E731
row("MirrorPadGrad", [dy, Host(pads)], [gradient(both, a, dy)], mode="SYMMETRIC")


def positions(size, new, aligns, centers, linear):
    """Where elements come from, as FLOAT: below, above, and the share of what is above."""
    half = torch.tensor(0.5 if centers else 0.0)
    step = torch.tensor(size - 1.0) / (new - 1) if aligns and new > 1 else torch.tensor(float(size)) / new
    at = (torch.arange(new).float() + half) * step - (half if linear else 0)
    low = at.floor() if linear or not aligns else (at + 0.5).floor()
    share = torch.where(low < 0, torch.zeros(()), at - low)
    return low.long().clamp(0, size - 1), (low + 1).long().clamp(0, size - 1), share


def resized(x, size, aligns, centers, linear):
    for axis in 2, 3:
        low, high, share = positions(x.shape[axis], size[axis - 2], aligns, centers, linear)
        share = share.view(-1, *[1] * (3 - axis))
        x = x.index_select(axis, low) if not linear else torch.lerp(x.index_select(axis, low), x.index_select(axis, high),
                                                                    share)
    return x


image = r(1, 2, 3, 4)
for size in (5, 7), (2, 3), (1, 4):
    for aligns, centers in (False, False), (True, False), (False, True):
        how = dict(align_corners=aligns, half_pixel_centers=centers)
        for kind, linear in ("ResizeNearestNeighborV2", False), ("ResizeBilinearV2", True):
            f = lambda x: resized(x, size, aligns, centers, linear)  # noqa: E731,B023
            if linear and centers:
                f = lambda x: F.interpolate(x, size, mode="bilinear", align_corners=False)  # noqa: E731,B023
            row(kind, [image, Host(list(size), torch.int32)], [f(image)], **how)
            dy = r(1, 2, *size)
            second = [image] if linear else [Host([3, 4], torch.int32)]
            row(kind + "Grad", [dy, *second], [gradient(f, image, dy)], **how)
row("ResizeBilinearV2", [h(image), Host([5, 7], torch.int32)], [h(resized(image, (5, 7), False, False, True))],
    align_corners=False, half_pixel_centers=False)

places = torch.tensor([[0, 1], [1, 2], [0, 1]])
row("ScatterNd", [places, torch.tensor([1.5, 2, 4]), Host([2, 3])], [torch.tensor([[0, 5.5, 0], [0, 0, 2]])])
row("ScatterNd", [torch.tensor([[3], [0], [3]], dtype=torch.int32), rows3, Host([4, 2], torch.int32)],
    [torch.stack([rows3[1], 0 * rows3[0], 0 * rows3[0], rows3[0] + rows3[2]])])
row("ScatterNd", [torch.tensor([1]), rows3[0], Host([2, 2])], [torch.stack([0 * rows3[0], rows3[0]])])
added = a.index_put((places[:, 0], places[:, 1]), torch.tensor([1.5, 2, 4]), accumulate=True)
taken = a.index_put((places[:, 0], places[:, 1]), -torch.tensor([1.5, 2, 4]), accumulate=True)
for kind, result in ("ScatterNdAdd", added), ("ScatterNdSub", taken):
    row(kind, [a, places, torch.tensor([1.5, 2, 4])], [Place(0, result)], use_locking=False)
for kind, result in ("TensorScatterAdd", added), ("TensorScatterSub", taken):
    row(kind, [a, places, torch.tensor([1.5, 2, 4])], [result])
which = torch.tensor([1, 1], dtype=torch.int32)
for kind, sign in ("ScatterAdd", 1), ("ScatterSub", -1):
    row(kind, [a, which, b], [Place(0, a.index_add(0, which, sign * b))], use_locking=False)
for kind, sign in ("InplaceAdd", 1), ("InplaceSub", -1):
    row(kind, [a, which, b], [a.index_add(0, which, sign * b)])
row("InplaceUpdate", [a, torch.tensor([1, 0]), b], [b.flip(0)])
ids = torch.tensor([[2, -1], [0, 2]], dtype=torch.int32)
deep = r(2, 2, 3)
sums = torch.stack([deep[1, 0], 0 * deep[0, 0], deep[0, 0] + deep[1, 1]])
row("UnsortedSegmentSum", [deep, ids, Host(3, torch.int32)], [sums])
row("UnsortedSegmentSum", [torch.tensor([math.inf, 1, math.nan, 2]), torch.tensor([-1, 0, -3, 0]), Host(2)],
    [torch.tensor([3.0, 0])])
row("UnsortedSegmentSum", [h(deep), ids, torch.tensor(3)], [h(sums)])
row("SegmentSum", [rows3, torch.tensor([0, 0, 1], dtype=torch.int32)], [torch.stack([rows3[0] + rows3[1], rows3[2]])])

x, gamma, beta = r(2, 3, 4), r(3, 4), r(3, 4)
for begin, like in (1, None), (-1, gamma[0]), (1, gamma[0]), (0, gamma[0]):
    w, c = (gamma, beta) if like is None else (gamma[0], beta[0])
    axes = tuple(range(begin % 3, 3))
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, unbiased=False, keepdim=True)
    row("LayerNorm", [x, w, c], [(x - mean) / (variance + 0.01).sqrt() * w + c, mean, variance], begin_norm_axis=begin,
        begin_params_axis=begin if like is None else 2, epsilon=0.01)
image, filters = r(1, 3, 4, 4), r(3, 1, 3, 3)
conv = dict(strides=[1, 1, 1, 1], pads=[1, 1, 1, 1], dilations=[1, 1, 1, 1], data_format="NCHW")
dy = r(1, 3, 4, 4)
for shape in (3, 1, 3, 3), (1, 3, 3, 3):
    kernel = filters.reshape(shape)
    row("DepthwiseConv2D", [image, kernel], [F.conv2d(image, filters, None, 1, 1, 1, 3)], **conv)
    row("DepthwiseConv2DBackpropInput", [Host([1, 3, 4, 4], torch.int32), kernel, dy],
        [gradient(lambda x: F.conv2d(x, filters, None, 1, 1, 1, 3), image, dy)], **conv)
    row("DepthwiseConv2DBackpropFilter", [image, Host(list(shape), torch.int32), dy],
        [gradient(lambda w: F.conv2d(image, w, None, 1, 1, 1, 3), filters, dy).reshape(shape)], **conv)
row("DepthwiseConv2D", [image, filters, bias3], [F.conv2d(image, filters, bias3, 1, 1, 1, 3)], **conv)
row("Size", [x], [torch.tensor(24)])
row("Size", [x], [torch.tensor([24], dtype=torch.int32)])
row("Rank", [x], [torch.tensor(3, dtype=torch.int32)])
row("StatelessRandperm", [Host(1), Host(5), Host(0)], [torch.tensor([0])], layout=0)
row("ShuffleChannel", [r(1, 4, 1, 1) * 0 + torch.arange(4.0).view(1, 4, 1, 1)],
    [torch.tensor([0.0, 2, 1, 3]).view(1, 4, 1, 1)], group=2)
row("Diag", [a[0]], [torch.diag(a[0])])
row("DiagPart", [square], [square.diag()])

var, first, second, third, g = r(2, 3), r(2, 3), p.clone(), p * 2, r(2, 3)
lr, b1, b2, e, b1p, b2p = 0.01, 0.9, 0.999, 1e-3, 0.81, 0.998001
nm, nv = first + (1 - b1) * (g - first), second + (1 - b2) * (g * g - second)
most = torch.maximum(third, nv)
row("ApplyAdamWithAmsgradV2", [var, first, second, third, t(b1p), t(b2p), t(lr), t(b1), t(b2), t(e), g],
    [Place(0, var - lr * math.sqrt(1 - b2p) / (1 - b1p) * nm / (most.sqrt() + e)), Place(1, nm), Place(2, nv), Place(3, most)],
    use_locking=False)
row("ApplyGradientDescent", [var, t(lr), g], [Place(0, var - lr * g)])
na = momentum * first + g
for nesterov in False, True:
    step = lr * g + lr * momentum * na if nesterov else lr * na
    row("ApplyMomentumD", [var, first, t(lr), g, t(momentum)], [Place(0, var - step), Place(1, na)], use_nesterov=nesterov)
    ka = momentum * first - lr * g
    row("ApplyKerasMomentumD", [var, first, t(lr), g, t(momentum)],
        [Place(0, var + (momentum * ka - lr * g if nesterov else ka)), Place(1, ka)], use_nesterov=nesterov)
row("ApplyMomentum", [h(var), h(first), t(lr), h(g), t(momentum)],
    [Place(0, h(h(var).float() - lr * (momentum * h(first).float() + h(g).float())))], use_nesterov=False)
ms = second + (g * g - second) * (1 - rho)
mo = first * momentum + lr * g / (ms + 0.01).sqrt()
row("ApplyRMSPropD", [var, second, first, t(lr), g], [Place(0, var - mo), Place(1, ms), Place(2, mo)], rho=rho,
    momentum=momentum, epsilon=0.01)
row("ApplyRMSProp", [h(var), h(second), h(first), t(lr), Host(rho, torch.float32), Host(momentum, torch.float32),
                     Host(0.01, torch.float32), h(g)], [Place(0, h(var - mo))])
mg = third + (1 - rho) * (g - third)
mo = first * momentum + lr * g / (ms - mg * mg + 20).sqrt()
row("ApplyCenteredRMSProp", [var, third, second, first, t(lr), t(rho), t(momentum), t(20.0), g], [Place(0, var - mo)])
ac = second + g * g
row("ApplyAdagrad", [var, second, t(lr), g], [Place(0, var - lr * g / ac.sqrt())], update_slots=True)
row("ApplyAdagradD", [var, second, t(lr), g], [Place(0, var - lr * g / second.sqrt()), Place(1, second)], update_slots=False)
row("ApplyAdagradD", [var, second, t(lr), g], [Place(0, var - lr * g / ac.sqrt()), Place(1, ac)])
row("ApplyAdagradV2D", [var, second, t(lr), g], [Place(0, var - lr * g / (ac.sqrt() + 0.5)), Place(1, ac)], epsilon=0.5)
ac = rho * second + (1 - rho) * g * g
delta = (update + 0.01).sqrt() * g / (ac + 0.01).sqrt()
row("ApplyAdadelta", [var, second, update, t(lr), t(rho), t(0.01), g], [Place(0, var - lr * delta)])
nm = b1 * first + (1 - b1) * g
row("ApplyAddSignD", [var, first, t(lr), t(1.5), t(0.75), t(b1), g],
    [Place(0, var - lr * (1.5 + 0.75 * g.sign() * nm.sign()) * g), Place(1, nm)])
row("ApplyPowerSignD", [var, first, t(lr), t(1.5), t(0.75), t(b1), g],
    [Place(0, var - lr * torch.exp(1.5 * 0.75 * g.sign() * nm.sign()) * g), Place(1, nm)])


def shrunk(x, by):
    return x.sign() * (x.abs() - by).clamp_min(0)


row("ApplyProximalGradientDescent", [var, t(lr), t(30.0), t(0.5), g],
    [Place(0, shrunk(var - lr * g, lr * 30) / (1 + lr * 0.5))])
ac = second + g * g
rate = lr / ac.sqrt()
row("ApplyProximalAdagradD", [var, second, t(lr), t(30.0), t(0.5), g],
    [Place(0, shrunk(var - rate * g, rate * 30) / (1 + rate * 0.5)), Place(1, ac)])
nv, nm, steps = b2 * second + (1 - b2) * g * g, b1 * first + (1 - b1) * g, 3
change = nm / (1 - b1**steps) / ((nv / (1 - b2**steps)).sqrt() + e)
for decays in 0.0, 1.0:
    row("LambApplyOptimizerAssign",
        [g, second, first, var, t(b1), t(1 - b1), t(b2), t(1 - b2), t(e), t(float(steps)), t(decays), t(0.125)],
        [change + decays * 0.125 * var, Place(1, nv), Place(2, nm)])
for wide_norm, norm in (3.0, 2.0), (0.0, 2.0), (3.0, 0.0):
    ratio = wide_norm / norm if wide_norm > 0 and norm > 0 else 1.0
    row("LambApplyWeightAssign", [t(wide_norm), t(norm), t(lr), change, var], [Place(4, var - ratio * lr * change)])


def lstm_steps(x, w, b, h, c, order):
    """Gates in the columns of w in an order, one tensor for what comes in and the state."""
    kept = {name: [] for name in "yhcijfoT"}
    for step in x:
        gates = torch.cat([step, h], 1) @ w + b
        part = dict(zip(order, gates.chunk(4, 1)))
        i, j, f, o = part["i"].sigmoid(), part["j"].tanh(), part["f"].sigmoid(), part["o"].sigmoid()
        c = f * c + i * j
        tanh = c.tanh()
        h = o * tanh
        for name, value in zip("yhcijfoT", (h, h, c, i, j, f, o, tanh)):
            kept[name].append(value)
    return {name: torch.stack(value) for name, value in kept.items()}


def gru_steps(x, w, u, b, d, h, order):
    kept = {name: [] for name in "yhzrnH"}
    for step in x:
        into, state = [dict(zip(order, part.chunk(3, 1))) for part in (step @ w + b, h @ u + d)]
        reset, update_ = (into["r"] + state["r"]).sigmoid(), (into["z"] + state["z"]).sigmoid()
        new = (into["n"] + reset * state["n"]).tanh()
        h = (1 - update_) * new + update_ * h
        for name, value in zip("yhzrnH", (h, h, update_, reset, new, state["n"])):
            kept[name].append(value)
    return {name: torch.stack(value) for name, value in kept.items()}


def leaves(*values):
    return [v.clone().requires_grad_() for v in values]


T, N, I, H = 3, 2, 2, 3
x, w, c4, h0, c0 = r(T, N, I), r(I + H, 4 * H) / 2, r(4 * H), r(1, N, H), r(1, N, H)
dy, dh, dc = r(T, N, H), r(N, H), r(N, H)
lstm = dict(cell_type="LSTM", direction="UNIDIRECTIONAL", cell_depth=1, use_peephole=False, keep_prob=1.0, cell_clip=-1.0,
            num_proj=0, time_major=True, activation="", forget_bias=0.0)
for order, attributes in ("ijfo", dict(lstm)), ("ijfo", dict(lstm, gate_order="ijfo")), ("ifjo", dict(lstm, gate_order="ifjo")):
    lx, lw, lb, lh, lc = leaves(x, w, c4, h0[0], c0[0])
    kept = lstm_steps(lx, lw, lb, lh, lc, order)
    ((kept["y"] * dy).sum() + (kept["h"][-1] * dh).sum() + (kept["c"][-1] * dc).sum()).backward()
    kept = {name: value.detach() for name, value in kept.items()}
    row("DynamicRNN", [x, w, c4, None, h0, c0], [kept[name] for name in "yhcijfoT"], **attributes)
    row("DynamicRNNGrad", [x, w, c4, kept["y"], h0[0], c0[0], kept["h"], kept["c"], dy, dh, dc, *[kept[n] for n in "ijfoT"],
                           None, None, None, None, None],
        [lw.grad, lb.grad, lx.grad, lh.grad, lc.grad], **attributes)
w, u, b3, d3, h0 = r(I, 3 * H) / 2, r(H, 3 * H) / 2, r(3 * H), r(3 * H), r(N, H)
gru = dict(direction="UNIDIRECTIONAL", cell_depth=1, keep_prob=1.0, cell_clip=-1.0, num_proj=0, time_major=True,
           activation="tanh", reset_after=True, is_training=True)
for order, attributes in ("rzn", dict(gru, gate_order="rzh")), ("zrn", dict(gru, gate_order="zrh")), ("zrn", dict(gru)):
    lx, lw, lu, lb, ld, lh = leaves(x, w, u, b3, d3, h0)
    kept = gru_steps(lx, lw, lu, lb, ld, lh, order)
    ((kept["y"] * dy).sum() + (kept["h"][-1] * dh).sum()).backward()
    kept = {name: value.detach() for name, value in kept.items()}
    outs = [kept[name] for name in "yhzrnH"]
    row("DynamicGRUV2", [h(x), h(w), h(u), b3, d3, None, h0], outs, **attributes)
    row("DynamicGRUV2Grad", [h(x), h(w), h(u), kept["y"], h0, kept["h"], dy, dh, *[kept[n] for n in "zrnH"]],
        [h(lw.grad), h(lu.grad), lb.grad, ld.grad, h(lx.grad), lh.grad], **attributes)
kept = gru_steps(x, w, u, 0 * b3, 0 * d3, 0 * h0, "rzn")
row("DynamicGRUV2", [x, w, u, None, None, None, None], [kept[name] for name in "yhzrnH"], **dict(gru, gate_order="rzh"))

# Gradients of older functions, slices, blocks, boxes, ranges.
torch.manual_seed(4)
a, b, p, u = r(2, 3), r(2, 3), r(2, 3).abs() + 0.25, r(2, 3).clamp(-0.875, 0.875)
for kind, f, value, gets_result in [
    ("AtanGrad", torch.atan, a, False), ("AsinGrad", torch.asin, u, False), ("AcosGrad", torch.acos, u, False),
    ("AsinhGrad", torch.asinh, a, True), ("AcoshGrad", torch.acosh, p + 1, True), ("InvGrad", torch.reciprocal, p, True),
]:
    row(kind, [f(value) if gets_result else value, b], [gradient(f, value, b)])
some = torch.tensor([[0.0, 2, -3], [0, 1, 4]])
row("Xdivy", [some, torch.tensor([0.0, 2, 4])], [torch.where(some == 0, 0.0, some / torch.tensor([1.0, 2, 4]))])
row("Xlogy", [some, p], [torch.xlogy(some, p)])
row("TruncateDiv", [i0, i1], [torch.div(i0, i1, rounding_mode="trunc")])
row("TruncateMod", [i0, i1], [torch.fmod(i0, i1)])
row("ApproximateEqual", [a, a + torch.tensor([0.0, 0.25, 0.5])], [torch.tensor([[True, True, False]] * 2)], tolerance=0.375)
row("Cross", [a, b], [torch.linalg.cross(a, b)], dim=1)
row("SquareSumAll", [a, r5], [a.square().sum(), r5.square().sum()])
row("SquareSumV1", [a], [a.square().sum(1, keepdim=True)], axis=[1], keep_dims=True)
row("SquareSumV2", [a], [a.square(), a.square().sum(0)], axis=[0], keep_dims=False)
unit = lambda x: x / x.square().sum(1, keepdim=True).clamp_min(1e-4).sqrt()  # noqa: E731
row("L2NormalizeGrad", [a, unit(a), b], [gradient(unit, a, b)], axis=[1], eps=1e-4)
row("L2NormalizeGrad", [a, unit(a), b], [gradient(unit, a, b)], dim=[1], eps=1e-4)
norm, gnorm, decay, lr = a.norm(), b.norm(), 0.125, 0.5
ratio = 0.25 * norm / (gnorm + decay * norm + 1e-3)
for clips in False, True:
    used = (ratio / lr).clamp(0, 1) if clips else ratio
    row("LarsV2Update", [a, b, a.square().sum(), b.square().sum(), t(decay), t(lr)], [used * (b + decay * a)],
        epsilon=1e-3, hyperpara=0.25, use_clip=clips)
x, no_masks = r(2, 3, 4), dict(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
row("StridedSliceGrad", [Host([2, 3, 4]), Host([0, 2, 0]), Host([2, 0, 4]), Host([1, -1, 2]), dy := r(2, 2, 2)],
    [gradient(lambda x: x[:, [2, 1], ::2], x, dy)], **no_masks)
row("StridedSliceGrad", [Host([2, 3, 4], torch.int32), Host([1, 0], torch.int32), Host([2, 2], torch.int32),
                         Host([1, 1], torch.int32), dy := r(2, 4)],
    [gradient(lambda x: x[1, :2], x, dy)], **dict(no_masks, shrink_axis_mask=1))
row("CustSliceGrad", [dy := r(2, 2, 2), x, Host([0, 1, 2], torch.int32), Host([2, 2, 2], torch.int32)],
    [gradient(lambda x: x[:, 1:, 2:], x, dy)])
row("SliceGrad", [dy, x, Host([0, 1, 1]), Host([2, 2, 2])], [gradient(lambda x: x[:, 1:, 1:3], x, dy)])
image = r(1, 2, 4, 6)
deep = image.reshape(1, 2, 2, 2, 3, 2).permute(0, 3, 5, 1, 2, 4).reshape(1, 8, 2, 3)
row("SpaceToDepth", [image], [deep], block_size=2, data_format="NCHW")
row("DepthToSpace", [deep], [image], block_size=2, data_format="NCHW", mode="DCR")
row("DepthToSpace", [deep], [F.pixel_shuffle(deep, 2)], block_size=2, data_format="NCHW", mode="CRD")


def ious(boxes, others, eps, of_others):
    low, high = torch.max(boxes[:, None, :2], others[:, :2]), torch.min(boxes[:, None, 2:], others[:, 2:])
    common = (high - low).clamp_min(0).prod(-1)
    area, other = [(v[:, 2:] - v[:, :2] + eps).prod(-1) for v in (boxes, others)]
    return common / (other if of_others else area[:, None] + other - common)


def boxes_of(count):
    low = r(count, 2)
    return torch.cat([low, low + r(count, 2).abs() + 0.5], 1)


boxes, others = boxes_of(3), boxes_of(2)
for mode in "iou", "iof":
    row("Iou", [boxes, others], [ious(boxes, others, 0.5, mode == "iof").t().contiguous()], mode=mode, eps=0.5, aligned=False)
    row("PtIou", [boxes, others], [ious(boxes, others, 0.001, mode == "iof").t().contiguous()], mode=mode)
row("Iou", [boxes[:2], others], [ious(boxes[:2], others, 0.5, False).diagonal().reshape(2, 1)], mode="iou", eps=0.5, aligned=True)


def distances(boxes, others, of_others, by_centres):
    """A row for each of the others."""
    boxes = boxes[None]
    others = others[:, None]
    common = (torch.min(boxes[..., 2:], others[..., 2:]) - torch.max(boxes[..., :2], others[..., :2])).clamp_min(0).prod(-1)
    area, other = [(v[..., 2:] - v[..., :2]).prod(-1) for v in (boxes, others)]
    union, share = area + other - common, common / (other if of_others else area + other - common)
    hull = torch.max(boxes[..., 2:], others[..., 2:]) - torch.min(boxes[..., :2], others[..., :2])
    centre = lambda v: (v[..., :2] + v[..., 2:]) / 2  # noqa: E731
    if by_centres:
        return share - (centre(boxes) - centre(others)).square().sum(-1) / hull.square().sum(-1)
    return share - (hull.prod(-1) - union) / hull.prod(-1)


as_centres = lambda v: torch.cat([(v[:, :2] + v[:, 2:]) / 2, v[:, 2:] - v[:, :2]], 1)  # noqa: E731
columns = lambda v: v.t().contiguous()  # noqa: E731
for kind, by_centres in ("GIoU", False), ("DIoU", True):
    for mode in "iou", "iof":
        row(kind, [columns(boxes), columns(others)], [distances(boxes, others, mode == "iof", by_centres)], trans=False,
            is_cross=True, mode=mode)
    row(kind, [columns(as_centres(boxes[:2])), columns(as_centres(others))],
        [distances(boxes[:2], others, False, by_centres).diagonal().reshape(1, 2)], trans=True, is_cross=False, mode="iou")
block = torch.arange(1.0, 41).reshape(1, 40, 1, 1)
row("StrideAdd", [block[:, :32], block], [torch.cat([block[:, 16:32] + block[:, 0:16]], 1)], x1_c1_offset=1, x2_c1_offset=0, c1_len=1)
row("StrideAdd", [block[:, :1], block[:, :1]], [F.pad(2 * block[:, :1], (0, 0, 0, 0, 0, 15))], x1_c1_offset=0, x2_c1_offset=0, c1_len=1)
x, lengths = r(2, 2, 4), torch.tensor([3, 2], dtype=torch.int32)
for kind in "per_feature", "all_features":
    parts = []
    for value, n in zip(x, lengths.tolist()):
        dims = (1,) if kind == "per_feature" else (0, 1)
        parts.append((value - value[:, :n].mean(dims, keepdim=True)) / (value[:, :n].std(dims, keepdim=True) + 1e-5))
    row("NormalizeBatch", [x, lengths], [torch.stack(parts)], normalize_type=kind)
starts, ends = torch.tensor([[0, 1], [2, 0]], dtype=torch.int32), torch.tensor([[2, 2], [3, 1]], dtype=torch.int32)
filled = a.clone()
for k in range(2):
    for n in range(2):
        filled[n, starts[k, n]:ends[k, n]] = [5.0, 6.0][k]
row("MaskedFillRange", [a, starts, ends, torch.tensor([5.0, 6.0])], [filled], axis=-1)
row("MaskedFillRange", [i0, torch.tensor([[1]], dtype=torch.int32), torch.tensor([[9]], dtype=torch.int32),
                        torch.tensor([4], dtype=torch.int32)], [torch.tensor([7, 4, 4], dtype=torch.int32)], axis=0)
cube = r(2, 2, 3)
middle, behind = cube.clone(), cube.clone()
middle[0, 1:2] = 5.0
behind[0, :, 1:2] = 5.0
for axis, result in (1, middle), (2, behind):
    row("MaskedFillRange", [cube, torch.tensor([[1]], dtype=torch.int32), torch.tensor([[2]], dtype=torch.int32),
                            torch.tensor([5.0])], [result], axis=axis)
row("SignBitsPack", [torch.tensor([5.0, 4, 3, 2, 0, -1, -2, 4, 3, 2, 1, 0, -1, -2])],
    [torch.tensor([[159], [15]], dtype=torch.uint8)], size=2)
row("SignBitsUnpack", [torch.tensor([159, 15], dtype=torch.uint8)],
    [torch.tensor([[1.0, 1, 1, 1, 1, -1, -1, 1], [1, 1, 1, 1, -1, -1, -1, -1]])], size=2, dtype=0)
row("SignBitsUnpack", [torch.tensor([159], dtype=torch.uint8)], [h(torch.tensor([[1.0, 1, 1, 1, 1, -1, -1, 1]]))], size=1, dtype=1)


def kept(boxes, threshold):
    """Whether each stays, of boxes by falling scores."""
    stays = []
    for n, box in enumerate(boxes):
        stays.append(all(not stays[k] or ious(boxes[k:k + 1], box[None], 0.0, False)[0, 0] <= threshold for k in range(n)))
    return torch.tensor(stays)


boxes = torch.cat([boxes_of(8) / 4, torch.rand(8, 1)], 1)
boxes[5:] = boxes[:3] + torch.tensor([0.0, 0.0625, 0.0625, 0, 0.125])
order = boxes[:, 4].argsort(descending=True)
stays = kept(boxes[order, :4], 0.25)
assert 0 < stays.sum() < 8
for mask in stays.to(torch.uint8), stays:
    row("NMSWithMask", [boxes[order]], [boxes[order], torch.arange(8).int(), mask], iou_threshold=0.25)
row("NMSWithMask", [torch.cat([boxes, boxes[:, :3]], 1)],
    [boxes, torch.arange(8).int(), kept(boxes[:, :4], 0.25).to(torch.uint8)], iou_threshold=0.25)
chosen = order[stays]
for most, least in (8, 0.0), (2, 0.0), (8, float(boxes[chosen[1], 4])):
    found = [int(k) for k in chosen if boxes[k, 4] > least][:most]
    row("NonMaxSuppressionV4", [boxes[:, :4].contiguous(), boxes[:, 4].contiguous(), Host(most, torch.int32), t(0.25), t(least)],
        [torch.tensor(found + [0] * (most - len(found)), dtype=torch.int32), torch.tensor(len(found), dtype=torch.int32)],
        pad_to_max_output_size=True)


def sizes_of(boxes):
    """Centres and sizes, of corners that belong to their boxes."""
    return torch.cat([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2] + 1], 1)


anchors, truth = 8 * boxes_of(3), 8 * boxes_of(3)
a4, t4 = sizes_of(anchors), sizes_of(truth)
code = torch.cat([(t4[:, :2] - a4[:, :2]) / a4[:, 2:], (t4[:, 2:] / a4[:, 2:]).log()], 1)
means, stds = [0.5, 0.25, 0.0, -0.5], [0.5, 0.25, 2.0, 1.0]
row("BoundingBoxEncode", [anchors, truth], [code])
row("BoundingBoxEncode", [anchors, truth], [(code - torch.tensor(means)) / torch.tensor(stds)], means=means, stds=stds)
for most, ratio in ([100, 90], 0.016), ([12, 9], 0.75):
    deltas = (code * torch.tensor(stds) + torch.tensor(means))
    sized = a4[:, 2:] * deltas[:, 2:].clamp(math.log(ratio), -math.log(ratio)).exp()
    middle = a4[:, :2] + a4[:, 2:] * deltas[:, :2]
    box = torch.cat([middle - sized / 2 + 0.5, middle + sized / 2 - 0.5], 1)
    limit = torch.tensor([most[1], most[0], most[1], most[0]]) - 1.0
    row("BoundingBoxDecode", [anchors, code], [torch.minimum(box.clamp_min(0), limit)], means=means, stds=stds, max_shape=most,
        wh_ratio_clip=ratio)

row("NonMaxSuppressionV4", [torch.tensor([[0.0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3]]), torch.tensor([0.5, 0.5, 0.5]),
                            Host(3, torch.int32), t(0.5), t(0.0)],
    [torch.tensor([0, 2, 0], dtype=torch.int32), torch.tensor(2, dtype=torch.int32)], pad_to_max_output_size=True)
edged = lambda v: v + torch.tensor([0.0, 0, 1, 1])  # noqa: E731
boxes, others = boxes_of(3), boxes_of(2)
for mode in "iou", "iof":
    row("Iou", [boxes, others], [ious(edged(boxes), edged(others), 0, mode == "iof").t().contiguous()], mode=mode)
    row("Iou", [boxes, others], [ious(edged(boxes), edged(others), 0, mode == "iof").t().contiguous()], mode=mode, eps=1.0)
row("Trace", [a[:, :2].contiguous()], [a[:, :2].trace().reshape(1)])
which = torch.tensor([1, 0, 1])
for kind, sign in ("InplaceAddD", 1), ("InplaceSubD", -1):
    row(kind, [a, rows_of := r(3, 3)], [a.index_add(0, which, sign * rows_of)], indices=[1, 0, 1])
row("InplaceUpdateD", [a, b], [b.flip(0)], indices=[1, 0])
values, places = torch.cummin(a, 1)
row("Cummin", [a], [values, places.int()], axis=1)
value = torch.round(2 * r(1, 2, 3, 4, 5))
greatest = lambda x: F.max_pool3d(x, 2, 2)  # noqa: E731
pool = dict(ksize=[1, 1, 2, 2, 2], strides=[1, 1, 2, 2, 2], padding="VALID", data_format="NCDHW")
row("MaxPool3D", [value], [greatest(value)], **pool)
dy = r(*greatest(value).shape)
row("MaxPool3DGrad", [value, greatest(value), dy], [gradient(greatest, value, dy)], **pool)


# Diagonals, as TensorFlow lays them out: element (r, r + d) of diagonal d, the last diagonal the first row.
def diagonal_places(rows_, columns, ks, align):
    low, high = ks[0], ks[-1]
    lengths = {d: min(rows_ + min(d, 0), columns - max(d, 0)) for d in range(low, high + 1)}
    longest = max(lengths.values())
    for d in range(low, high + 1):
        ends = align.split("_")[d < 0] == "RIGHT"
        for i in range(lengths[d]):
            yield i - min(d, 0), i + max(d, 0), high - d, i + (longest - lengths[d] if ends else 0)


def packed(ks, rows_, columns):
    low, high = ks[0], ks[-1]
    return high - low + 1, max(min(rows_ + min(d, 0), columns - max(d, 0)) for d in range(low, high + 1))


for ks, rows_, columns, align in ([0], 3, 3, "RIGHT_LEFT"), ([1], 2, 4, "RIGHT_LEFT"), ([-1, 1], 3, 4, "LEFT_RIGHT"), \
        ([-2, 0], 4, 3, "RIGHT_RIGHT"), ([-1, 2], 2, 3, "LEFT_LEFT"), ([-1, 1], 2, 2, "RIGHT_LEFT"):
    count, longest = packed(ks, rows_, columns)
    given, whole = r(2, count, longest), r(2, rows_, columns)
    put, into, taken = torch.full((2, rows_, columns), 0.75), whole.clone(), torch.full((2, count, longest), -0.5)
    for y, x, d, i in diagonal_places(rows_, columns, ks, align):
        put[:, y, x] = into[:, y, x] = given[:, d, i]
        taken[:, d, i] = whole[:, y, x]
    k = Host(ks, torch.int32)
    flat = (2, longest) if len(ks) == 1 else (2, count, longest)
    row("MatrixDiagV3", [given.reshape(flat), k, Host(rows_, torch.int32), Host(columns, torch.int32), torch.tensor(0.75)], [put], align=align)
    row("MatrixSetDiagV3", [whole, given.reshape(flat), k], [into], align=align)
    row("MatrixDiagPartV3", [whole, k, torch.tensor(-0.5)], [taken.reshape(flat)], align=align)
row("MatrixDiagV3", [torch.tensor([5, 6]), torch.tensor([0], dtype=torch.int32), Host(2), Host(2), torch.tensor([7])],
    [torch.tensor([[5, 7], [7, 6]])])

# Samples of blocks.
for size, pads, shape in ((2, 2), ((0, 0), (0, 0)), (1, 4, 4)), ((2, 3), ((1, 0), (0, 2)), (2, 3, 4)), ((3,), ((1, 1),), (2, 4, 2)):
    value = r(*shape)
    wide = F.pad(value, [n for pair in reversed([*pads] + [(0, 0)] * (2 - len(pads))) for n in pair])
    n, sizes = shape[0], list(size) + [1] * (2 - len(size))
    cut = wide.reshape(n, wide.shape[1] // sizes[0], sizes[0], wide.shape[2] // sizes[1], sizes[1])
    cut = cut.permute(2, 4, 0, 1, 3).reshape(-1, wide.shape[1] // sizes[0], wide.shape[2] // sizes[1])
    row("SpaceToBatchND", [value, Host(list(size), torch.int32), Host([list(p) for p in pads])], [cut])
    row("BatchToSpaceND", [cut, torch.tensor(size), Host([list(p) for p in pads])], [value])
row("SpaceToBatchND", [torch.arange(8, dtype=torch.int32).reshape(1, 1, 8), Host([1, 2]), Host([[0, 0], [0, 0]])],
    [torch.tensor([[[0, 2, 4, 6]], [[1, 3, 5, 7]]], dtype=torch.int32)])

# Sums over neighbouring channels.
image, dy = r(2, 4, 2, 3), r(2, 4, 2, 3)
for radius, bias, alpha, beta in (5, 1.0, 1.0, 0.5), (1, 2.0, 0.5, 0.75):
    def respond(v):
        near = sum(F.pad(v * v, [0, 0, 0, 0, radius, radius])[:, k:k + 4] for k in range(2 * radius + 1))
        return v / (bias + alpha * near) ** beta
    of = dict(depth_radius=radius, bias=bias, alpha=alpha, beta=beta)
    row("LRN", [image], [respond(image)], norm_region="ACROSS_CHANNELS", **of)
    row("LRNGrad", [dy, image, respond(image)], [gradient(respond, image, dy)], **of)
row("CheckValid", [torch.tensor([[0.0, 0, 10, 10], [-1, 0, 5, 5], [1, 1, 23, 5], [1, 1, 24, 5], [0, 0, 3, 20]]), torch.tensor([10.0, 12, 2])],
    [torch.tensor([True, False, True, False, False])])

# What comes to one place is multiplied, or the greatest or the smallest of it stays.
u, twice = p + 0.5, torch.tensor([1, 1], dtype=torch.int32)
both = u[0] * u[1]
for kind, result in ("Mul", a[1] * both), ("Max", torch.maximum(a[1], u.amax(0))), ("Min", torch.minimum(a[1], u.amin(0))), ("Div", a[1] / both):
    row("Scatter" + kind, [a, twice, u], [Place(0, torch.stack([a[0], result]))])
    for name, out in ("ScatterNd" + kind, Place(0, torch.stack([a[0], result]))), ("TensorScatter" + kind, torch.stack([a[0], result])):
        row(name, [a, twice.reshape(2, 1), u], [out])
row("TensorScatterMax", [a, torch.tensor([[0, 2], [1, 0]]), torch.tensor([9.0, -9])], [torch.where(torch.arange(6).reshape(2, 3) == 2, 9.0, a)])
row("TensorScatterDiv", [torch.tensor([17, -17, 9], dtype=torch.int32), torch.tensor([[0], [1], [0]]), torch.tensor([2, 2, 3], dtype=torch.int32)],
    [torch.tensor([2, -8, 9], dtype=torch.int32)])
lowest = torch.finfo(torch.float32).min
ids = torch.tensor([[2, -3], [0, 2]], dtype=torch.int32)
for kind, result, none in ("Max", torch.maximum, lowest), ("Min", torch.minimum, -lowest), ("Prod", torch.mul, 1.0):
    row("UnsortedSegment" + kind, [deep2 := r(2, 2, 3), ids, Host(3)],
        [torch.stack([deep2[1, 0], torch.full((3,), none), result(deep2[0, 0], deep2[1, 1])])])
row("UnsortedSegmentMax", [torch.tensor([5, -7], dtype=torch.int32), torch.tensor([1, 1]), Host(2)],
    [torch.tensor([-2**31, 5], dtype=torch.int32)])
row("UnsortedSegmentMin", [torch.tensor([5, -2**62]), torch.tensor([1, 1]), Host(2)], [torch.tensor([2**63 - 1, -2**62])])

scores = torch.tensor([[1.0, 4, 2, 3], [1, 2, 2, 0], [0, 1, 2, 3]])
row("InTopKD", [scores, torch.tensor([3, 1, 0], dtype=torch.int32)], [torch.tensor([True, True, False])], k=2)
for source, target, result in ("NHWC", "NCHW", [0, 2, 3, 1, 1]), ("NCHW", "NHWC", [0, 3, 1, 2, 2]):
    row("DataFormatDimMap", [torch.tensor([0, 1, 2, 3, -1], dtype=torch.int32)], [torch.tensor(result, dtype=torch.int32)],
        src_format=source, dst_format=target)
row("CustTraceGrad", [torch.tensor(2.5), Host([2, 3])], [2.5 * torch.eye(2, 3)])

# Labels of sequences.
logits = r(5, 2, 4)
log_probs, lengths, targets, counts = logits.log_softmax(2), [5, 4], torch.tensor([[1, 2], [3, 3]]), [2, 1]
loss = lambda v, blank=0, t=targets: F.ctc_loss(v, t, torch.tensor(lengths), torch.tensor(counts), blank, "none")  # noqa: E731
losses, alpha = torch.ops.aten._ctc_loss(log_probs, targets, lengths, counts, 0, False)
alpha = F.pad(alpha, [0, 3])
i32 = lambda v: torch.tensor(v, dtype=torch.int32)  # noqa: E731
row("CTCLossV2", [log_probs, targets.int(), i32(lengths), Host(counts)], [losses, Any_(alpha)], blank=0, reduction="none", zero_infinity=False)
row("CTCLossV2Grad", [dy := r(2), log_probs, targets, i32(lengths), i32(counts), losses, alpha.nan_to_num(neginf=-1e30)],
    [torch.ops.aten._ctc_loss_backward(dy, log_probs, targets, lengths, counts, losses, alpha[:, :, :5].contiguous(), 0)], blank=0)
flat = torch.tensor([1, 2, 0])
backward = gradient(lambda v: loss(v.log_softmax(2), 3, flat), logits, torch.ones(2))
row("CTCLoss", [logits, torch.tensor([[0, 0], [0, 1], [1, 0]]), flat.int(), i32(lengths)], [loss(log_probs, 3, flat), backward])

# Windows as columns.
image = r(2, 2, 4, 5)
columns = F.unfold(image, (2, 3), 1, 1, (1, 2))
row("CustIm2col", [image], [columns.reshape(2, 2, 6, -1)], ksizes=[2, 3], strides=[1, 2], dilations=[1, 1], pads=[1, 1, 1, 1],
    padding_mode="CALCULATED")
row("Col2im", [dy := r(2, 2, 6, columns.shape[2]), Host([4, 5], torch.int32)],
    [F.fold(dy.reshape(2, 12, -1), (4, 5), (2, 3), 1, 1, (1, 2))], kernel_size=[2, 3], stride=[1, 2], padding=[1, 1], dilation=[1, 1])


def cubics(size, new, aligns, centers):
    """The matrix of an axis: TensorFlow's cubics, of shares by 1024ths of a step."""
    factor, matrix = -0.5 if centers else -0.75, torch.zeros(new, size, dtype=torch.float64)
    step = torch.tensor(size - 1.0) / (new - 1) if aligns and new > 1 else torch.tensor(float(size)) / new
    for element in range(new):
        at = (torch.tensor(float(element)) + 0.5) * step - 0.5 if centers else torch.tensor(float(element)) * step
        part = round(float(at - at.floor()) * 1024) / 1024
        for tap in range(-1, 3):
            far = abs(part - tap)
            share = ((factor + 2) * far - factor - 3) * far * far + 1 if far <= 1 else \
                ((factor * far - 5 * factor) * far + 8 * factor) * far - 4 * factor
            place = int(at.floor()) + tap
            if not centers or 0 <= place < size:
                matrix[element, min(max(place, 0), size - 1)] += share
    return matrix / matrix.sum(1, keepdim=True) if centers else matrix


image = r(1, 2, 3, 4)
for size in (5, 7), (2, 3), (1, 4):
    for aligns, centers in (False, False), (True, False), (False, True):
        ways = [cubics(old, new, aligns, centers).float() for old, new in zip((3, 4), size)]
        f = lambda x: ways[0] @ x @ ways[1].T  # noqa: E731,B023
        how = dict(align_corners=aligns, half_pixel_centers=centers)
        row("CustResizeBicubic", [image, Host(list(size), torch.int32)], [f(image)], **how)
        dy = r(1, 2, *size)
        row("ResizeBicubicGrad", [dy, image], [gradient(f, image, dy)], **how)
row("CustResizeBicubic", [h(image), Host([5, 7], torch.int32)],
    [h(cubics(3, 5, False, False).float() @ h(image).float() @ cubics(4, 7, False, False).float().T)],
    align_corners=False, half_pixel_centers=False)
x, w = r(1, 2, 3, 3, 2), r(2, 1, 2, 3, 2)
row("Conv3DTransposeD", [x, w], [F.conv_transpose3d(x, w, None, (2, 1, 2), (1, 0, 1), (1, 0, 0), 1, (1, 2, 1))],
    strides=[1, 1, 2, 1, 2], pads=[1, 1, 0, 0, 1, 1], dilations=[1, 1, 1, 2, 1], output_padding=[0, 0, 1, 0, 0], groups=1,
    data_format="NCDHW", input_size=[1, 1, 5, 7, 2])
row("IsNan", [torch.tensor([1, math.nan, math.inf])], [torch.tensor([False, True, False])])
row("ReduceStd", [image], [image.std(), image.mean()], unbiased=True, keep_dims=False)

q, k, v, added = r(2, 2, 3, 4), r(2, 2, 5, 4), r(2, 2, 5, 4), r(2, 1, 3, 5)
mask = (torch.rand(2, 2, 3, 5) > 0.25).to(torch.uint8)
plain = dict(query_transpose=False, key_transpose=False)
side_by_side = lambda x: x.transpose(1, 2).reshape(-1, 8)  # noqa: E731
for keep, kept in (1.0, None), (0.75, mask), (0.5, mask.flatten()):
    leaves = [x.double().requires_grad_() for x in (q, k, v)]
    weights = (leaves[0] @ leaves[1].mT * 0.375 + added).softmax(-1)
    out = (weights * (1 if kept is None else mask.double() / keep)) @ leaves[2]
    row("AttentionScore", [q, k, v, added, torch.tensor(0.375), kept], [side_by_side(out).detach(), weights.detach()], keep_prob=keep,
        bmm_score_transpose_a=False, bmm_score_transpose_b=False, **plain)
    out.backward((dy := r(2, 2, 3, 4)).double())
    dq, dk, dv = [side_by_side(x.grad) for x in leaves]
    row("AttentionScoreGrad", [weights.detach().float(), dy, v, k, q, torch.tensor(0.375), kept], [dv, dq, dk], keep_prob=keep,
        value_transpose=False, dx_transpose=False, **plain)

write("by_name_rows.py", "PyTorch's CPU and formulas")
