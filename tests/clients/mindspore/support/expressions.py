# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Expressions that MindSpore's mint and PyTorch have in common: m is the one or the other, F its functions of networks.

A row is an expression, what it is differentiated by, and, where PyTorch says it otherwise, what it says.
"""
import numpy as np


def tensors():
    draw = np.random.RandomState(7)

    def floats(*shape):
        return draw.standard_normal(shape).astype(np.float32)

    def between(low, high, *shape):
        return draw.uniform(low, high, shape).astype(np.float32)

    made = {
        "x": floats(3, 4), "y": floats(3, 4), "z": floats(3, 4), "p": between(0.2, 2, 3, 4), "q": between(0.2, 2, 3, 4),
        "u": between(-0.9, 0.9, 3, 4), "g": between(1.1, 3, 3, 4), "r": between(0.05, 0.95, 3, 4),
        "v": floats(4), "w": floats(3), "s": floats(4), "row": floats(1, 4), "A": floats(3, 5), "B": floats(5, 4),
        "M": floats(2, 3, 5), "N": floats(2, 5, 4), "O": floats(2, 3, 4), "S": floats(4, 4) + 3 * np.eye(4, dtype=np.float32),
        "line": floats(2, 3, 12), "image": floats(2, 3, 8, 8), "volume": floats(1, 2, 4, 6, 6), "wide": floats(2, 4, 6, 6),
        "k1": floats(4, 3, 3), "k2": floats(4, 3, 3, 3), "k3": floats(3, 2, 3, 3, 3), "kt": floats(3, 4, 3, 3), "c4": floats(4), "c3": floats(3),
        "grid": between(-1, 1, 2, 5, 5, 2), "table": floats(10, 6), "logits": floats(5, 7), "weights": between(0.5, 2, 7),
        "targets": between(0, 1, 5, 7), "signs": np.sign(floats(5, 7)), "one": np.sign(floats(5)), "more": floats(5, 7),
        "pixels": floats(1, 8, 3, 3), "columns": floats(1, 12, 9), "special": np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 3e38], np.float32),
        "i": draw.randint(-9, 9, (3, 4)), "j": draw.randint(1, 9, (3, 4)), "k": draw.randint(0, 4, (3, 4)), "n": draw.randint(0, 3, (4,)),
        "labels": draw.randint(0, 7, (5,)), "words": draw.randint(0, 10, (2, 3)), "few": draw.randint(0, 3, (12,)),
        "sorted": np.sort(floats(6)), "d": draw.randint(0, 2, (3, 4)).astype(bool), "e": draw.randint(0, 2, (3, 4)).astype(bool),
        "one_row": draw.randint(0, 3, (1, 4)),
    }
    return {name: value.astype(np.int64) if value.dtype.kind == "i" else value for name, value in made.items()}


# A function of one tensor, in the range where it is smooth, and its gradient.
ONE = [(f"m.{name}({of})", of) for of, names in (
    ("x", "abs clone erf sin sinh cosh exp exp2 square neg negative tanh cos expm1 erfc t atan arctan asinh arcsinh nan_to_num tan"),
    ("p", "reciprocal sqrt rsqrt log log1p log2 log10"), ("u", "erfinv asin arcsin acos arccos atanh arctanh"), ("g", "acosh arccosh"))
    for name in names.split()]
ONE += [(f"m.{name}(x)", "") for name in "sign floor ceil round isfinite isnan isinf".split()]
ONE += [(f"m.{name}(special)", "") for name in "abs neg exp tanh isfinite isinf isneginf isnan sign nan_to_num erf sqrt floor ceil round".split()]
ONE += [("m.sinc(p)", "p"), ("m.bitwise_not(i)", ""), ("m.logical_not(d)", ""), ("m.real(x)", "")]
ONE += [(f"F.{name}(x)", "x") for name in "relu gelu sigmoid silu leaky_relu tanh elu logsigmoid hardtanh relu6".split()]
ONE += [("F.gelu(x, approximate='tanh')", "x"), ("F.leaky_relu(x, 0.2)", "x"), ("F.elu(x, 0.7)", "x"), ("F.hardtanh(x, -0.5, 0.5)", "x"),
        ("F.threshold(x, 0.1, 20)", "x"), ("F.glu(x, 1)", "x"), ("F.prelu(x, c4)", "x c4"), ("F.log_softmax(x, 1)", "x"),
        ("F.softmax(x, 0)", "x"), ("F.softmax(x, -1)", "x"), ("m.softmax(x, 1)", "x"), ("m.inverse(S)", "S"), ("m.linalg.inv(S)", "S")]
ONE += [(f"m.special.{name}({of})", of) for name, of in (("erfc", "x"), ("expm1", "x"), ("exp2", "x"), ("sinc", "p"), ("log1p", "p"))]
ONE += [("m.special.round(x)", ""), ("m.special.log_softmax(x, 1)", "x"), ("m.round(p, decimals=1)", "")]

TWO = [(f"m.{name}(x, y)", "x y") for name in "add sub mul maximum minimum atan2 arctan2 logaddexp logaddexp2".split()]
TWO += [(f"m.{name}(x, p)", "x p") for name in "div divide".split()]
TWO += [(f"m.{name}({a}, {b})", "") for name in "eq ne not_equal gt greater greater_equal lt less le less_equal".split()
        for a, b in (("x", "y"), ("i", "j"), ("x", "0.5"))]
TWO += [(f"m.{name}(d, e)", "") for name in "logical_and logical_or logical_xor".split()]
TWO += [(f"m.{name}(i, j)", "") for name in "bitwise_and bitwise_or bitwise_xor gcd remainder floor_divide add sub mul maximum minimum fmod".split()]
TWO += [("m.add(x, v)", "x v"), ("m.add(x, y, alpha=2)", "x y"), ("m.sub(x, y, alpha=0.5)", "x y"), ("m.mul(x, row)", "x row"), ("m.mul(x, 3)", "x"), ("x + y * 2", "x y"),
        ("x / p - 1", "x p"), ("x - i", "x"), ("i // j", ""), ("i % j", ""), ("p ** 2.5", "p"), ("m.pow(p, q)", "p q"), ("m.pow(2.0, x)", "x"), ("m.float_power(p, 2)", ""),
        ("m.div(x, p, rounding_mode='floor')", ""), ("m.div(i, j, rounding_mode='trunc')", ""), ("m.fmod(x, 0.7)", "x"), ("m.remainder(x, 0.7)", "x"),
        ("m.floor_divide(x, 0.7)", ""), ("m.lerp(x, y, 0.3)", "x y"), ("m.lerp(x, y, z)", "x y"), ("m.xlogy(x, p)", "x p"),
        ("m.where(d, x, y)", "x y"), ("m.clamp(x, -0.5, 0.5)", "x"), ("m.clamp(x, min=0.1)", "x"), ("m.addcdiv(x, y, p, value=0.5)", "x y p"),
        ("m.isclose(x, y)", ""), ("m.allclose(x, x)", ""), ("m.cross(A[:, :3], B[:3, :3])", "A B"),
        ("m.nn.functional.mse_loss(x, y)", "x y")]

SHAPES = [("m.transpose(x, 0, 1)", "x"), ("m.swapaxes(O, 0, 2)", "O"), ("m.permute(O, (2, 0, 1))", "O"), ("m.reshape(x, (2, 6))", "x"), ("m.ravel(x)", "x"),
          ("m.flatten(O)", "O"), ("m.flatten(O, 1)", "O"), ("m.squeeze(row, 0)", "row"), ("m.unsqueeze(x, 1)", "x"), ("m.broadcast_to(row, (3, 4))", "row"),
          ("m.tile(x, (2, 2))", "x"), ("m.flip(x, (0,))", "x"), ("m.roll(x, 1, 0)", "x"), ("m.roll(x, 5)", "x"), ("m.cat((x, y), 0)", "x y"), ("m.concat((x, y), 1)", "x y"), ("m.stack((x, y), 1)", "x y"),
          ("m.dstack((x, y))", "x y"), ("m.hstack((x, y))", "x y"), ("m.chunk(x, 2, 1)", "x"), ("m.split(x, 2, 1)", "x"), ("m.split(x, [1, 3], 1)", "x"), ("m.unbind(x, 0)", "x"),
          ("m.narrow(x, 1, 1, 2)", "x"), ("m.select(x, 1, 2)", "x"), ("m.index_select(x, 1, n)", "x"), ("m.repeat_interleave(x, 2, 0)", "x"), ("m.tril(x)", "x"), ("m.triu(x, 1)", "x"),
          ("m.diag(v)", "v"), ("m.diag(S)", "S"), ("m.diag(v, 1)", "v"), ("m.diag(x, -1)", ""), ("m.meshgrid(v, w, indexing='ij')", "v w"), ("m.diff(x)", "x"), ("m.diff(x, 2, 0)", "x"),
          ("m.gather(x, 1, k)", "x"), ("m.take(x, few)", "x"), ("m.masked_select(x, d)", ""), ("m.nonzero(d)", ""), ("m.scatter(x, 1, k, y)", ""), ("m.scatter_add(x, 1, k, y)", "x y"),
          ("m.index_add(x, 1, n, y)", "x y"), ("x[1]", "x"), ("x[:, 1:3]", "x"), ("x[::2]", "x"), ("x[..., 0]", "x"), ("x[n[:2]]", "x"),
          ("F.pad(x, (1, 2))", "x"), ("F.pad(image, (1, 1, 2, 0), mode='reflect')", "image"), ("F.pad(image, (1, 1, 2, 0), mode='replicate')", "image"),
          ("F.pixel_shuffle(pixels, 2)", "pixels"), ("F.unfold(image, 3)", "image"), ("F.unfold(image, (2, 3), padding=1, stride=2)", "image"), ("F.fold(columns, (4, 4), 2)", "columns"),
          ("F.one_hot(k, 5)", ""), ("F.embedding(words, table)", "table"), ("F.embedding(words, table, padding_idx=2)", "table")]

MADE = [("m.zeros((2, 3))", ""), ("m.ones((2, 3))", ""), ("m.full((2, 3), 1.5)", ""), ("m.zeros_like(x)", ""), ("m.ones_like(x)", ""), ("m.full_like(x, 2.5)", ""), ("m.eye(3)", ""), ("m.eye(2, 4)", ""),
        ("m.arange(0, 10, 3)", ""), ("m.arange(5)", ""), ("m.arange(0.0, 1.0, 0.25)", ""), ("m.linspace(0, 1, 7)", "")]

REDUCED = [(f"m.{name}(x)", "x") for name in "sum mean prod amax amin".split()]
REDUCED += [(f"m.{name}(x, 1)", "x") for name in "sum mean prod logsumexp amax amin".split()]
REDUCED += [(f"m.{name}(x, 0, keepdim=True)", "x") for name in "sum mean logsumexp amax amin".split()]
REDUCED += [("m.max(x)", "x"), ("m.min(x)", "x"), ("m.max(x, 1)", "x"), ("m.min(x, 0)", "x"), ("m.argmax(x)", ""), ("m.argmin(x, 1)", ""), ("m.argmax(x, 0, keepdim=True)", ""), ("m.all(d)", ""), ("m.all(d, 1)", ""), ("m.any(d, 0)", ""),
            ("m.any(d)", ""), ("m.var(x)", "x"), ("m.var(x, 1)", "x"), ("m.std(x, 1)", "x"), ("m.std(x)", "x"), ("m.std_mean(x, 1)", "x"), ("m.var_mean(x, 1)", "x"), ("m.median(x)", ""), ("m.median(x, 1)", "x"),
            ("m.count_nonzero(k)", ""), ("m.count_nonzero(k, 1)", ""), ("m.nansum(special[5:])", ""), ("m.norm(x)", "x"), ("m.norm(x, 2, 1)", "x"), ("m.norm(x, p=1, dim=0)", "x"),
            ("m.linalg.vector_norm(x)", "x"), ("m.linalg.vector_norm(x, 3, 1)", "x"), ("m.linalg.matrix_norm(x)", "x"), ("m.linalg.norm(x)", "x"), ("m.trace(S)", "S"), ("m.cumsum(x, 1)", "x"), ("m.cumsum(x, 0)", "x"), ("m.cumprod(x, 1)", "x"),
            ("m.cummax(x, 1)", "x"), ("m.cummin(x, 0)", "x"), ("m.sort(x, dim=1)", "x"), ("m.sort(x, dim=0, descending=True)", "x"), ("m.argsort(x, 1)", ""), ("m.topk(x, 2, 1)", "x"), ("m.kthvalue(x, 2, 1)", "x"),
            ("m.histc(x, 5, -2, 2)", ""), ("m.bincount(few)", ""), ("m.bincount(few, minlength=6)", ""), ("m.searchsorted(sorted, x)", ""), ("m.unique_consecutive(few)", ""), ("m.frac(x)", "x"), ("m.trunc(x)", ""), ("m.sum(i)", ""), ("m.max(i)", ""),
            ("m.mean(O, (0, 2))", "O"), ("m.sum(O, (1, 2), keepdim=True)", "O")]

PRODUCTS = [("m.matmul(A, B)", "A B"), ("m.matmul(M, N)", "M N"), ("m.matmul(M, B)", "M B"), ("m.matmul(x, v)", "x v"), ("m.matmul(v, s)", "v s"), ("m.mm(A, B)", "A B"), ("m.bmm(M, N)", "M N"), ("m.mv(x, v)", "x v"), ("m.dot(v, s)", "v s"),
            ("m.vdot(v, s)", ""), ("m.outer(v, w)", "v w"), ("m.addmm(x, A, B)", "x A B"), ("m.addmm(x, A, B, beta=0.5, alpha=2)", "x A B"), ("m.addmv(w, x, v)", "w x v"), ("m.addbmm(x, M, N)", "x M N"), ("m.baddbmm(O, M, N)", "O M N"),
            ("m.einsum('ij,jk->ik', A, B)", "A B"), ("m.einsum('bij,bjk->bik', M, N)", "M N"), ("m.einsum('ij->i', A)", "A"), ("m.cdist(A, B.T)", "A B"), ("m.cdist(A, B.T, 1.0)", ""),
            ("F.linear(A, B.T)", "A B"), ("F.linear(A, B.T, c4)", "A B c4"), ("m.linalg.qr(S)", ""), ("m.triangular_solve(x.T, S)", ""),
            ("F.conv1d(line, k1)", "line k1"), ("F.conv1d(line, k1, c4, 2, 1)", "line k1 c4"), ("F.conv2d(image, k2)", "image k2"), ("F.conv2d(image, k2, c4, 2, 1)", "image k2 c4"), ("F.conv2d(image, k2, None, 1, 2, 2)", "image k2"),
            ("F.conv2d(wide, k2[:, :1], None, 1, 1, 1, 4)", "wide k2"), ("F.conv2d(image, k2, padding='same')", "image k2"), ("F.conv3d(volume, k3)", "volume k3"), ("F.conv3d(volume, k3, c3, 1, 1)", "volume k3 c3"), ("F.conv_transpose2d(image, kt)", "image kt"),
            ("F.conv_transpose2d(image, kt, c4, 2, 1, 1)", "image kt c4")]

NETWORKS = [("F.max_pool2d(image, 2)", "image"), ("F.max_pool2d(image, 3, 2, 1)", "image"), ("F.max_pool2d(image, 2, return_indices=True)", ""), ("F.avg_pool1d(line, 3)", "line"), ("F.avg_pool1d(line, 2, 2, 1)", "line"),
            ("F.avg_pool2d(image, 2)", "image"), ("F.avg_pool2d(image, 3, 2, 1, count_include_pad=False)", "image"), ("F.avg_pool3d(volume, 2)", "volume"), ("F.adaptive_avg_pool1d(line, 4)", "line"), ("F.adaptive_avg_pool2d(image, 3)", "image"),
            ("F.adaptive_avg_pool2d(image, (1, 1))", "image"), ("F.adaptive_avg_pool3d(volume, 2)", "volume"), ("F.adaptive_max_pool1d(line, 4)", "line"), ("F.adaptive_max_pool2d(image, 3)", "image"),
            ("F.interpolate(image, scale_factor=2.0, mode='nearest')", "image"), ("F.interpolate(image, size=(5, 7), mode='bilinear', align_corners=True)", "image"), ("F.interpolate(image, size=(5, 7), mode='bilinear', align_corners=False)", "image"),
            ("F.interpolate(line, size=7, mode='linear', align_corners=False)", "line"), ("F.interpolate(image, size=(11, 5), mode='bicubic', align_corners=False)", "image"), ("F.grid_sample(image, grid, align_corners=False)", "image grid"),
            ("F.grid_sample(image, grid, padding_mode='border', align_corners=True)", "image grid"), ("F.layer_norm(x, (4,))", "x"), ("F.layer_norm(x, (4,), c4, v)", "x c4 v"), ("F.group_norm(wide, 2)", "wide"), ("F.group_norm(wide, 2, c4, v)", "wide c4 v"),
            ("F.batch_norm(wide, m.zeros(4), m.ones(4), c4, v, True)", "wide c4 v"), ("F.batch_norm(wide, v, c4 * c4 + 1, c4, v, False)", "wide"), ("F.normalize(x, dim=1)", "x"), ("F.normalize(x, p=1.0, dim=0)", "x"),
            ("F.cross_entropy(logits, labels)", "logits"), ("F.cross_entropy(logits, labels, reduction='sum')", "logits"), ("F.cross_entropy(logits, labels, weights, label_smoothing=0.1)", "logits"), ("F.cross_entropy(logits, targets)", "logits"),
            ("F.nll_loss(F.log_softmax(logits, 1), labels)", "logits"), ("F.nll_loss(logits, labels, weights, reduction='none')", "logits"), ("F.mse_loss(x, y, reduction='sum')", "x y"), ("F.mse_loss(x, y, reduction='none')", "x y"),
            ("F.l1_loss(x, y)", "x"), ("F.smooth_l1_loss(x, y)", "x"), ("F.binary_cross_entropy(r, d * 1.0)", "r"), ("F.binary_cross_entropy_with_logits(logits, targets)", "logits"),
            ("F.binary_cross_entropy_with_logits(logits, targets, weights, pos_weight=weights)", "logits"), ("F.kl_div(logits, targets, reduction='sum')", "logits"), ("F.kl_div(logits, more, reduction='none', log_target=True)", "logits"),
            ("F.soft_margin_loss(logits, signs)", "logits"), ("F.cosine_embedding_loss(logits, more, one)", "logits more"), ("F.dropout(x, 0.0)", ""), ("F.dropout(x, 0.5, False)", ""), ("F.dropout2d(image, 0.5, False)", "")]

LAYERS = [(f"m.nn.{layer}()(x)", "x") for layer in "ReLU SiLU GELU Hardsigmoid Hardswish Mish ELU Hardtanh ReLU6 Tanh LogSigmoid Sigmoid SELU Identity Hardshrink".split()]
LAYERS += [("m.nn.Softmax(1)(x)", "x"), ("m.nn.LogSoftmax(1)(x)", "x"), ("m.nn.Threshold(0.1, 2)(x)", "x"), ("m.nn.Flatten()(O)", "O"), ("m.nn.PixelShuffle(2)(pixels)", "pixels"), ("m.nn.Unfold(3)(image)", "image"), ("m.nn.Fold((4, 4), 2)(columns)", "columns"),
           ("m.nn.L1Loss()(x, y)", "x"), ("m.nn.MSELoss()(x, y)", "x"), ("m.nn.SmoothL1Loss()(x, y)", "x"), ("m.nn.BCELoss()(r, d * 1.0)", "r"), ("m.nn.BCEWithLogitsLoss()(logits, targets)", "logits"), ("m.nn.KLDivLoss(reduction='batchmean')(logits, targets)", "logits"),
           ("m.nn.SoftMarginLoss()(logits, signs)", "logits"), ("m.nn.CosineEmbeddingLoss()(logits, more, one)", "logits"), ("m.nn.CrossEntropyLoss()(logits, labels)", "logits"), ("m.nn.NLLLoss()(logits, labels)", "logits"),
           ("m.nn.AvgPool1d(2)(line)", "line"), ("m.nn.AvgPool2d(2)(image)", "image"), ("m.nn.AvgPool3d(2)(volume)", "volume"), ("m.nn.MaxPool2d(2)(image)", "image"), ("m.nn.AdaptiveAvgPool1d(3)(line)", "line"), ("m.nn.AdaptiveAvgPool2d(3)(image)", "image"),
           ("m.nn.AdaptiveAvgPool3d(2)(volume)", "volume"), ("m.nn.AdaptiveMaxPool1d(3)(line)", "line"), ("m.nn.AdaptiveMaxPool2d(3)(image)", "image"), ("m.nn.UpsamplingNearest2d(size=(5, 7))(image)", "image"),
           ("m.nn.UpsamplingBilinear2d(size=(5, 7))(image)", "image"), ("m.nn.Upsample(scale_factor=2.0, mode='nearest')(image)", "image"), ("m.nn.BatchNorm1d(4)(x)", "x"), ("m.nn.BatchNorm2d(3)(image)", "image"), ("m.nn.BatchNorm3d(2)(volume)", "volume"),
           ("m.nn.GroupNorm(2, 4)(wide)", "wide"), ("m.nn.LayerNorm(4)(x)", "x"), ("m.nn.ConstantPad1d(1, 2.0)(line)", "line"), ("m.nn.ConstantPad2d((1, 2, 0, 1), 0.5)(image)", "image"), ("m.nn.ConstantPad3d(1, 0.5)(volume)", "volume"),
           ("m.nn.ZeroPad1d(1)(line)", "line"), ("m.nn.ZeroPad2d(1)(image)", "image"), ("m.nn.ZeroPad3d(1)(volume)", "volume"), ("m.nn.ReflectionPad1d(2)(line)", "line"), ("m.nn.ReflectionPad2d(2)(image)", "image"), ("m.nn.ReflectionPad3d(1)(volume)", "volume"),
           ("m.nn.ReplicationPad1d(2)(line)", "line"), ("m.nn.ReplicationPad2d(2)(image)", "image"), ("m.nn.ReplicationPad3d(1)(volume)", "volume")]
LAYERS += [("m.nn.MaxUnpool2d(2)(*F.max_pool2d(image, 2, return_indices=True))", ""), ("F.max_unpool2d(*F.max_pool2d(image, 2, return_indices=True), 2)", "")]

ROWS = ONE + TWO + SHAPES + MADE + REDUCED + PRODUCTS + NETWORKS + LAYERS
# What the two call differently, by the beginning of what PyTorch has.
PYTORCH = {"m.negative(": "m.neg(", "m.real(": "m.abs(m.ones(1)) * (", "m.special.round(": "m.round(", "m.nn.BatchNorm1d(4)": "m.nn.BatchNorm1d(4).eval()",
           "m.nn.BatchNorm2d(3)": "m.nn.BatchNorm2d(3).eval()", "m.nn.BatchNorm3d(2)": "m.nn.BatchNorm3d(2).eval()"}


def evaluate(expression, module, values):
    scope = dict(values, m=module, F=module.nn.functional)
    result = eval(expression, scope)  # rows of this file alone
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def weights(count):
    """What elements of a result count in the number that is differentiated."""
    return np.cos(np.arange(count, dtype=np.float32) + 1)
