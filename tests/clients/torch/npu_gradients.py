# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Gradients that torch_npu has names for (torch.ops.npu), called by their names, beside autograd on the CPU."""

import os

import torch
import torch.nn.functional as F
import torch_npu

NPU = torch.ops.npu
# torch_npu has some of the names for the older product alone: "do not have aclnn implementation".
A5 = "950" in os.environ.get("BELAY_SOC", "")
torch.manual_seed(35)


def near(found, wanted, what="", tolerance=1e-4):
    found, wanted = ([x] if isinstance(x, torch.Tensor) else [y for y in x if y is not None] for x in (found, wanted))
    assert len(found) >= len(wanted), (what, len(found), len(wanted))
    for i, (one, other) in enumerate(zip(found, wanted)):
        one, other = one.cpu().double(), other.detach().double()
        assert one.shape == other.shape, (what, i, one.shape, other.shape)
        assert torch.allclose(one, other, rtol=tolerance, atol=tolerance), (what, i, (one - other).abs().max())


def leaf(*shape, low=-2.0, high=2.0):
    return (torch.rand(*shape) * (high - low) + low).requires_grad_()


def back(function, *inputs):
    """The gradients of all inputs, and the gradient of the result that they are for."""
    result = function(*inputs)
    seed = torch.randn_like(result)
    return torch.autograd.grad(result, inputs, seed), seed.npu()


def on(*inputs):
    return [x.detach().npu() for x in inputs]


def pointwise():
    x = leaf(5, 7)
    for name, function, call in (
        ("fast_gelu", lambda x: x * torch.sigmoid(1.702 * x), NPU.npu_fast_gelu_backward),
        ("mish", F.mish, NPU.npu_mish_backward),
        ("gelu tanh", lambda x: F.gelu(x, approximate="tanh"), lambda g, x: NPU.npu_gelu_backward(g, x, approximate="tanh")),
        ("gelu", F.gelu, lambda g, x: NPU.npu_gelu_backward(g, x, approximate="none")),
        ("silu", F.silu, lambda g, x: NPU.npu_silu_backward(g, x, torch.nn.functional.silu(x))),
    ):
        if name in ("mish", "silu") and A5:
            continue
        (wanted,), seed = back(function, x)
        near(call(seed, x.detach().npu()), wanted, name)
    near(NPU.npu_fast_gelu(x.detach().npu()), x * torch.sigmoid(1.702 * x), "npu_fast_gelu")


def gated():
    x = leaf(4, 12)
    (wanted,), seed = back(lambda x: F.silu(x[:, :6]) * x[:, 6:], x)
    near(NPU.npu_swiglu_backward(seed, *on(x), -1), wanted)
    x = (torch.rand(4, 12) * 2 - 1).half().float().requires_grad_()
    (wanted,), seed = back(lambda x: x[:, :6] * F.gelu(x[:, 6:], approximate="tanh"), x)
    gelu = F.gelu(x[:, 6:], approximate="tanh").detach().half().npu()
    near(NPU.npu_geglu_grad(seed.half(), x.detach().half().npu(), gelu, -1, 1), wanted, "geglu", 1e-2)


def losses():
    x, y = leaf(6, 5), leaf(6, 5, low=0.1, high=0.9)
    for number, reduction in enumerate(("none", "mean", "sum")):
        (wanted, _), seed = back(lambda x, y: F.l1_loss(x, y, reduction=reduction), x, y)
        near(NPU.l1_loss_backward(seed, *on(x, y), number), wanted, f"l1 {reduction}")
        for log_target in (False, True):
            (of_x, of_y), seed = back(lambda x, y: F.kl_div(x, y, reduction=reduction, log_target=log_target), x, y)
            near(NPU.kl_div_backward(seed, *on(x, y), number, log_target=log_target), of_x, f"kl_div {reduction}")
            near(NPU.kl_div_target_backward(seed, *on(x, y), number, log_target=log_target), of_y, f"target {reduction}")
        weight, positive = torch.rand(6, 5), torch.rand(5) + 0.5
        how = {"weight": weight, "pos_weight": positive, "reduction": reduction}
        (wanted,), seed = back(lambda x: F.binary_cross_entropy_with_logits(x, y.detach(), **how), x)
        near(
            NPU.npu_binary_cross_entropy_with_logits_backward(seed, *on(x, y, weight, positive), number),
            wanted,
            f"binary cross entropy {reduction}",
        )


def cross_entropy():
    x, target = leaf(9, 7), torch.randint(0, 7, (9,))
    for reduction in ("none", "mean", "sum"):
        (wanted,), seed = back(lambda x: F.cross_entropy(x, target, reduction=reduction, label_smoothing=0.125), x)
        seed = seed.reshape(1) if seed.dim() == 0 else seed
        found = NPU.npu_cross_entropy_loss_backward(
            seed, x.log_softmax(1).detach().npu(), target.npu(), None, None, None, reduction, -100, 0.125, 0.0
        )
        near(found, wanted, reduction)
    if A5:
        return
    labels = torch.softmax(torch.randn(9, 7), 1)
    (wanted,), seed = back(lambda x: F.cross_entropy(x, labels, reduction="none"), x)
    near(NPU.npu_softmax_cross_entropy_with_logits_backward(seed, *on(x, labels)), wanted, "labels of each class")


def norms():
    x, weight, bias = leaf(6, 24), leaf(24), leaf(24)

    def rms(x, weight):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight

    wanted, seed = back(rms, x, weight)
    rstd = torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)
    near(NPU.npu_rms_norm_backward(seed, *on(x, weight, rstd)), wanted, "rms_norm")
    if not A5:
        wanted, seed = back(lambda x, w, b: F.layer_norm(x, (24,), w, b), x, weight, bias)
        mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)  # which it calls rstd
        found = NPU.npu_layernorm_grad(seed, x.detach().npu(), [24], *on(mean, variance, weight, bias))
        near(found, wanted, "layer_norm", 1e-3)
    x, weight, bias = leaf(2, 6, 5, 3), leaf(6), leaf(6)

    def swished(x, w, b):
        y = F.group_norm(x, 3, w, b)
        return y * torch.sigmoid(1.5 * y)

    wanted, seed = back(swished, x, weight, bias)
    groups = x.reshape(2, 3, -1)
    mean, rstd = groups.mean(-1), torch.rsqrt(groups.var(-1, correction=0) + 1e-5)
    found = NPU.npu_group_norm_swish_grad(seed, x.detach().npu(), 3, *on(weight, bias, mean, rstd), [True] * 3, 1.5)
    near(found, wanted, "group_norm_swish", 1e-3)


def softmaxes():
    y = torch.softmax(torch.randn(2, 3, 32, 64), -1)
    mask = torch.rand(2, 1, 32, 64) < 0.5
    grad = torch.randn_like(y)
    wanted = torch.where(mask, 0.0, 0.5 * (grad - (grad * y).sum(-1, keepdim=True)) * y)
    near(NPU.npu_scaled_masked_softmax_backward(*on(grad, y, mask), 0.5, False), wanted)


def convolutions():
    if A5:
        return
    for groups, stride, padding, dilation in ((1, [1, 1], [0, 0], [1, 1]), (2, [2, 1], [1, 2], [1, 2])):
        x, weight, bias = leaf(2, 4, 9, 8), leaf(6, 4 // groups, 3, 2), leaf(6)
        wanted, seed = back(lambda x, w, b: F.conv2d(x, w, b, stride, padding, dilation, groups), x, weight, bias)
        how = [stride, padding, dilation, groups, [True] * 3]
        near(NPU.npu_conv2d_backward(on(x)[0], seed, on(weight)[0], *how), wanted, "conv2d", 1e-3)
        near(NPU.npu_convolution_backward(on(x)[0], seed, on(weight)[0], *how), wanted, "convolution", 1e-3)
        near(NPU.npu_conv2d(*on(x, weight, bias), *how[:4]), F.conv2d(x, weight, bias, stride, padding, dilation, groups))
        weight, bias = leaf(4, 6 // groups, 3, 2), leaf(6)
        wanted, seed = back(
            lambda x, w, b: F.conv_transpose2d(x, w, b, stride, padding, [0, 0], groups, dilation), x, weight, bias
        )
        how = [padding, [0, 0], stride, dilation, groups]
        near(NPU.npu_conv_transpose2d_backward(on(x)[0], seed, on(weight)[0], *how, [True] * 3), wanted, "transposed", 1e-3)
        found = NPU.npu_convolution_transpose_backward(on(x)[0], seed, on(weight)[0], *how, [True] * 3)
        near(found, wanted, "convolution_transpose", 1e-3)
        plain = F.conv_transpose2d(x, weight, bias, stride, padding, [0, 0], groups, dilation)
        near(NPU.npu_convolution_transpose(*on(x, weight, bias), *how), plain, "convolution_transpose")


def convolutions_of_bodies():
    if A5:
        return
    x, weight, bias = leaf(2, 4, 5, 6, 4), leaf(6, 4, 3, 2, 2), leaf(6)
    wanted, seed = back(lambda x, w, b: F.conv3d(x, w, b, 1, 1), x, weight, bias)
    how = [[1] * 3, [1] * 3, [1] * 3, 1, [True] * 3]
    near(NPU.npu_conv3d_backward(on(x)[0], seed, on(weight)[0], *how), wanted, "conv3d", 1e-3)
    weight = leaf(4, 6, 3, 2, 2)
    wanted, seed = back(lambda x, w, b: F.conv_transpose3d(x, w, b, 1, 1), x, weight, bias)
    how = [[1] * 3, [0] * 3, [1] * 3, [1] * 3, 1, [True] * 3]
    near(NPU.npu_conv_transpose3d_backward(on(x)[0], seed, on(weight)[0], *how), wanted, "conv_transpose3d", 1e-3)


def convolutions_of_windows():
    # Without the bias: for its gradient torch_npu 2.14.0 takes sizes from a list that it has freed.
    mask = [True, True, False]
    x = leaf(2, 4, 9, 8)
    weight = leaf(4, 6, 3, 2)
    wanted, seed = back(lambda x, w: F.conv_transpose2d(x, w, None, 2, 1), x, weight)
    found = NPU.slow_conv_transpose2d_backward(seed, *on(x, weight), [3, 2], [2, 2], [1, 1], [0, 0], [1, 1], mask)
    near(found, wanted, "slow_conv_transpose2d", 1e-3)


def products():
    x, weight = leaf(5, 6), leaf(4, 6)
    wanted, seed = back(F.linear, x, weight)
    near(NPU.npu_linear_backward(seed, *on(x, weight)), wanted, "linear")
    near(NPU.npu_linear(*on(x, weight), None), F.linear(x, weight))
    bias = torch.randn(4)
    near(NPU.npu_linear(*on(x, weight, bias)), F.linear(x, weight, bias))
    if not A5:
        one, other = leaf(3, 4, 5), leaf(3, 5, 6)
        wanted, seed = back(torch.bmm, one, other)
        near(NPU.npu_bmm_v2_mat1_backward(seed, *on(one, other), [3, 4, 5]), wanted[0], "bmm of the first")
        near(NPU.npu_bmm_v2_mat2_backward(seed, *on(one, other), [3, 5, 6]), wanted[1], "bmm of the second")
    one, other, grad = leaf(4, 5), leaf(5, 6), leaf(4, 6)
    of_one, of_other = torch.randn(4, 5), torch.randn(5, 6)
    first = torch.autograd.grad(one @ other, (one, other), grad, create_graph=True)
    wanted = torch.autograd.grad(first, (grad, one, other), (of_one, of_other))
    near(NPU.matmul_double_backward(*on(of_one, of_other, grad, one, other), [True] * 3), wanted, "twice")


def extremes():
    if A5:
        return
    x = leaf(5, 7)
    for keepdim in (False, True):
        for function, call in ((torch.max, NPU.npu_max_backward), (torch.min, NPU.npu_min_backward)):
            (wanted,), seed = back(lambda x: function(x, 1, keepdim=keepdim)[0], x)
            index = function(x, 1, keepdim=keepdim)[1].npu()
            near(call(seed, 1, index, [5, 7], keepdim), wanted, function.__name__)


def places():
    x = leaf(5, 7)
    index = torch.randint(0, 5, (3, 7))
    (wanted,), seed = back(lambda x: x.gather(0, index), x)
    near(NPU.npu_gather_backward(seed, [5, 7], 0, index.npu(), False), wanted, "gather")


def repeated():
    x, times = leaf(5, 7), torch.tensor([1, 0, 3, 2, 1])
    (wanted,), seed = back(lambda x: x.repeat_interleave(3, 1), x)
    near(NPU.repeat_interleave_backward_int(seed, on(x)[0], 3, 1), wanted, "repeat_interleave")
    (wanted,), seed = back(lambda x: x.repeat_interleave(times, 0), x)
    near(NPU.repeat_interleave_backward_tensor(seed, on(x)[0], times.npu(), 0), wanted, "repeat_interleave by each")


def moved():
    if A5:
        return
    x = leaf(2, 3, 4)
    (wanted,), seed = back(lambda x: x.permute(2, 0, 1).reshape(8, 3), x)
    # The last argument is the way back: whether the transposition comes first there.
    near(NPU.npu_confusion_transpose_backward(seed, [2, 0, 1], [2, 3, 4], False), wanted, "confusion_transpose")


def renormed():
    x = leaf(4, 5)
    (wanted,), seed = back(lambda x: torch.renorm(x, 2, 0, 1.5), x)
    near(NPU.npu_renorm_backward(seed, on(x)[0], 2, 0, 1.5), wanted, "renorm")


def rotation():
    x, c, s = leaf(2, 8, 4, 64), leaf(1, 8, 1, 64), leaf(1, 8, 1, 64)

    def turned(x, c, s):
        a, b = x.chunk(2, -1)
        return x * c + torch.cat([-b, a], -1) * s

    wanted, seed = back(turned, x, c, s)
    x, c, s = (z.requires_grad_() for z in on(x, c, s))  # it leaves out what needs none
    near(NPU.npu_rotary_mul_backward(seed, x, c, s, "half"), wanted, "", 1e-3)


def casts():
    x = torch.randn(4, 5)
    assert torch.equal(NPU._npu_dtype_cast(x.npu(), torch.float16).cpu(), x.half())
    assert torch.equal(NPU._npu_dtype_cast_backward(x.half().npu(), torch.float32).cpu(), x.half().float())
    assert torch.equal(NPU.npu_dtype_cast_backward(x.half().npu(), torch.float32).cpu(), x.half().float())


def spectra():
    for dims in ([1], [0, 1]):
        x = leaf(4, 6)
        result = torch.fft.rfftn(x, dim=dims)
        seed = torch.randn_like(result)
        (wanted,) = torch.autograd.grad(result, x, seed)
        near(NPU.fft_r2c_backward(seed.npu(), dims, 0, True, 6), wanted, "r2c")
        z = torch.randn(4, 4, dtype=torch.complex64, requires_grad=True)
        result = torch.fft.irfftn(z, (6,) if dims == [1] else (4, 6), dim=dims, norm="forward")
        seed = torch.randn_like(result)
        (wanted,) = torch.autograd.grad(result, z, seed)
        near(torch.view_as_real(NPU.fft_c2r_backward(seed.npu(), dims, 0).cpu()), torch.view_as_real(wanted), "c2r")


def experts():
    tokens, index = leaf(13, 20), torch.randint(0, 5, (13, 3))
    order = index.flatten().sort(stable=True)[1]
    places = order.argsort().int()
    (wanted,), seed = back(lambda t: t[order // 3], tokens)
    near(NPU.npu_moe_token_permute_grad(on(tokens)[0], seed, index.npu(), places.npu()), wanted, "permute")
    near(NPU.npu_moe_token_permute_grad_v2(seed, places.npu(), 13, torch.float32, 3), wanted, "permute")
    rows, probs = leaf(39, 20), leaf(13, 3)

    def summed(rows, probs):
        return (rows[places.long()].reshape(13, 3, 20) * probs[..., None]).sum(1)

    wanted, seed = back(summed, rows, probs)
    near(NPU.npu_moe_token_unpermute_grad(on(rows)[0], seed, places.npu(), on(probs)[0]), wanted, "unpermute")
    found = NPU.npu_moe_token_unpermute_grad_v2(
        seed, places.npu(), 39, torch.float32, on(probs)[0], permuted_tokens=on(rows)[0]
    )
    near(found, wanted, "unpermute")
    near(NPU._npu_moe_token_unpermute(*on(rows), places.npu(), *on(probs))[0], summed(rows, probs))


def gate():
    x = leaf(6, 8)
    norm = torch.softmax(x, -1)
    weight, index = norm.topk(3)
    grad = torch.randn(6, 3)
    (wanted,) = torch.autograd.grad(weight * 2.5, x, grad)
    found = NPU.npu_moe_gating_top_k_backward(*on(norm, grad), index.int().npu(), routed_scaling_factor=2.5)
    near(found, wanted, "gating_top_k", 1e-4)


if __name__ == "__main__":
    for function in (
        pointwise, gated, losses, cross_entropy, norms, softmaxes, convolutions, convolutions_of_bodies,
        convolutions_of_windows, products, extremes, places, repeated, moved, renormed, rotation, casts, spectra,
        experts, gate,
    ):
        function()
        torch.npu.synchronize()
