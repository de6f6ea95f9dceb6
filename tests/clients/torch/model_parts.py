# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Norms, losses and checks that trainers of large models call by torch_npu, beside PyTorch on the CPU."""

import torch
import torch.nn.functional as F
import torch_npu

NPU = torch.ops.npu
torch.manual_seed(35)
is_950 = "950" in torch.npu.get_device_name()


def near(found, wanted, what, tolerance=1e-4):
    assert found.shape == wanted.shape, (what, found.shape, wanted.shape)
    assert torch.allclose(found.detach().cpu().double(), wanted.detach().double(), tolerance, tolerance), what


def gradients(function, *inputs):
    """What comes out, and the gradients of a weighted sum of it, for tensors on the CPU."""
    leaves = [x.detach().requires_grad_() for x in inputs]
    out = function(*leaves)
    weights = torch.arange(1.0, out.numel() + 1).reshape(out.shape) / out.numel()
    return [out, weights, *torch.autograd.grad((out * weights).sum(), leaves)]


def deep_norm():
    x, gx, beta, gamma = torch.randn(3, 5, 8), torch.randn(3, 5, 8), torch.randn(8), torch.randn(8)

    def plain(a, b, c, d):
        return F.layer_norm(a * 0.3 + b, (8,), d, c, 1e-6)

    out, weights, *wanted = gradients(plain, x, gx, beta, gamma)
    mean, rstd, y = torch_npu.npu_deep_norm(x.npu(), gx.npu(), beta.npu(), gamma.npu())
    near(y, out, "npu_deep_norm")
    near(mean, (x * 0.3 + gx).mean(-1, keepdim=True), "its mean")
    found = NPU.npu_deep_norm_backward(weights.npu(), x.npu(), gx.npu(), gamma.npu(), mean, rstd)
    for f, w, name in zip(found, wanted, ("dx", "dgx", "dbeta", "dgamma")):
        near(f, w, f"npu_deep_norm_backward: {name}")


def add_layer_norm():
    inputs = [torch.randn(4, 6), torch.randn(4, 6), torch.randn(6), torch.randn(6)]
    out, weights, *wanted = gradients(lambda a, b, c, d: F.layer_norm(a + b, (6,), c, d), *inputs)
    leaves = [x.npu().requires_grad_() for x in inputs]
    y = torch_npu.npu_add_layer_norm(*leaves)[0]
    near(y, out, "npu_add_layer_norm")
    (y * weights.npu()).sum().backward()
    for x, w in zip(leaves, wanted):
        near(x.grad, w, "npu_add_layer_norm's gradients")


def vocabulary():
    rows, depth, columns, start = 21, 16, 300, 1000
    x, w = torch.randn(rows, depth).half(), torch.randn(columns, depth).half()
    target = torch.randint(start - 40, start + columns + 40, (rows,), dtype=torch.int32)
    logits = x.float() @ w.float().t()
    outside = (target < start) | (target > start + columns - 1)
    place = torch.where(outside, 0, target - start)
    most = logits.max(-1).values
    found = NPU.npu_fused_linear_online_max_sum(x.npu(), w.npu(), target.npu(), start, start + columns - 1, True)
    total = (logits - most[:, None]).exp().sum(-1)
    chosen = torch.where(outside, 0, logits.gather(1, place.long()[:, None])[:, 0] - most)
    near(found[0], most, "the greatest", 1e-5)
    near(found[1], total, "the sum", 1e-5)
    near(found[2], chosen, "the target's", 1e-5)
    assert torch.equal(found[4].cpu(), place), "masked target"
    near(found[5], logits, "the logits", 2e-3)
    loss, softmax = NPU.npu_fused_cross_entropy_loss_with_max_sum(*found[:3], vocab_parallel_logits=found[5])
    near(loss, total.log() - chosen, "the loss", 1e-5)
    near(softmax, logits.softmax(-1), "the softmax", 2e-2)
    grad = torch.randn(rows)
    p = (logits.softmax(-1) - F.one_hot(place.long(), columns) * ~outside[:, None]) * grad[:, None]
    for given in ({"logits_max": found[0], "sum_exp_logits": found[1]}, {"softmax": logits.softmax(-1).npu()}):
        of_x, of_w = NPU.npu_fused_linear_cross_entropy_loss_with_max_sum_backward(
            grad.npu(), x.npu(), w.npu(), found[3], found[4], 0.0, **given
        )
        near(of_x, p @ w.float(), "input's gradient", 4e-3)
        near(of_w, p.t() @ x.float(), "weight's gradient", 4e-3)


def silent():
    known, step, grad = torch.zeros(3).npu(), torch.zeros(1, dtype=torch.int64).npu(), torch.randn(5, 5).npu()
    for value, wanted in ((1.0, 0), (3.0, 0), (torch.nan, 2), (2.0, 0)):
        found = NPU._npu_silent_check_v2(torch.tensor(value).npu(), grad, known, step, 7, 1e6, 1e5, 1e4, 5e3, 1)
        assert found.item() == wanted, (value, found)
    assert step.item() == 4 and known.tolist() == [2.0, 1.0, 3.0], (step, known)
    average, step = torch.zeros(1).npu(), torch.zeros(1, dtype=torch.int64).npu()
    for value, wanted in ((1.0, 0), (3.0, 0), (torch.inf, 2), (2.0, 0)):
        one = torch.tensor(value).npu()
        found = NPU._npu_silent_check_v3(one, grad, step, one, average, 1e6, 1e4, 0.5, 1)
        assert found.item() == wanted, (value, found)
    assert step.item() == 4 and average.item() == 1.875, (step, average)


def convolved(rows, weight):
    """Of each channel, with the rows before the first of them at hand."""
    window = weight.shape[0]
    return sum(weight[k] * rows[k : rows.shape[0] - window + 1 + k] for k in range(window))


def causal():
    x, weight, states = torch.randn(7, 5).half(), torch.randn(3, 5).half(), torch.randn(4, 2, 5).half()
    start, lines = [0, 3, 7], [2, 0]
    wanted, kept = torch.empty(7, 5), states.float().clone()
    for b, line in enumerate(lines):
        rows = torch.cat([states[line].float(), x[start[b] : start[b + 1]].float()])
        wanted[start[b] : start[b + 1]] = convolved(rows, weight.float())
        kept[line] = rows[-2:]
    numbers = dict(
        query_start_loc=torch.tensor(start, dtype=torch.int32).npu(), cache_indices=torch.tensor(lines, dtype=torch.int32).npu()
    )
    cache = states.npu()
    y = NPU.npu_fused_causal_conv1d(x.npu(), weight.npu(), cache, **numbers)
    near(y, wanted, "npu_fused_causal_conv1d", 2e-2)
    near(cache, kept, "its states", 1e-6)
    cache, own = states.npu(), x.npu()
    NPU.npu_fused_causal_conv1d_v2(own, weight.npu(), cache, **numbers)
    near(own, wanted, "npu_fused_causal_conv1d_v2", 2e-2)


def masked():
    x, weight = torch.randn(6, 2, 4).half(), torch.randn(3, 4).half()
    mask = torch.rand(2, 6) > 0.3

    def plain(a, w):
        rows = torch.cat([torch.zeros(2, 2, 4), a])
        out = sum(w[k] * rows[k : k + 6] for k in range(3))
        return out * mask.t()[:, :, None]

    out, weights, *wanted = gradients(plain, x.float(), weight.float())
    near(NPU.npu_masked_causal_conv1d(x.npu(), weight.npu(), mask=mask.npu()), out, "masked conv", 2e-2)
    found = NPU.npu_masked_causal_conv1d_backward(weights.half().npu(), x.npu(), weight.npu(), mask=mask.npu())
    for f, w in zip(found, wanted):
        near(f, w, "masked conv's gradients", 2e-2)


def indexed():
    x, index = torch.randn(9, 4), torch.tensor([3, 0, 8, 3])
    near(NPU.npu_gather_sparse_index(x.npu(), index.npu()), x[index], "npu_gather_sparse_index", 0)
    found = x.npu().index_add(0, index.npu(), torch.ones(4, 4).npu(), alpha=2)
    near(found, x.index_add(0, index, torch.ones(4, 4), alpha=2), "index_add", 1e-6)
    y = torch.randn(2, 3, 4, 6)
    turned = torch_npu.npu_confusion_transpose(y.npu(), (0, 2, 1, 3), (2, 4, 18), True)
    near(turned, y.permute(0, 2, 1, 3).reshape(2, 4, 18), "npu_confusion_transpose", 0)
    turned = torch_npu.npu_confusion_transpose(y.npu(), (0, 2, 1), (2, 12, 6), False)
    near(turned, y.reshape(2, 12, 6).permute(0, 2, 1), "npu_confusion_transpose, shape first", 0)


def lora():
    y, x, a, b = torch.randn(3, 16).half(), torch.randn(3, 32).half(), torch.randn(2, 1, 16, 32), torch.randn(2, 1, 16, 16)
    index = torch.tensor([1, 0, -1], dtype=torch.int32)
    wanted = y.float()
    for row in range(2):
        w = int(index[row])
        wanted[row] += 0.125 * x[row].float() @ a.half().float()[w, 0].t() @ b.half().float()[w, 0].t()
    found = torch_npu.npu_batch_gather_matmul_(  # the other one gives y back
        y.npu(), x.npu(), b.half().npu(), index.npu(), a.half().npu(), layer_idx=0, scale=0.125, y_offset=0, y_slice_size=16
    )
    near(found, wanted, "npu_batch_gather_matmul_", 2e-2)


def asked(function, *inputs, **options):
    """What comes out, or None where torch_npu itself asks for a newer toolkit."""
    try:
        return function(*inputs, **options)
    except RuntimeError as error:
        assert "requires CANN" in str(error), error
        return None


def hyper_connections():
    tokens, n, width = 5, 4, 16
    x, h_out = torch.randn(tokens, n, width), torch.randn(tokens, width)
    phi, alpha, bias = torch.randn(n * n + 2 * n, n * width) * 0.2, torch.randn(3), torch.randn(n * n + 2 * n)

    def joined(x, phi, alpha, bias):
        v = x.reshape(tokens, -1)
        h = v @ phi.t() * (v.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
        pre = (alpha[0] * h[:, :n] + bias[:n]).sigmoid() + 1e-6
        post = 2 * (alpha[1] * h[:, n : 2 * n] + bias[n : 2 * n]).sigmoid()
        res = (alpha[2] * h[:, 2 * n :] + bias[2 * n :]).reshape(tokens, n, n)
        return torch.cat([(pre[..., None] * x).sum(1), post, res.reshape(tokens, -1)], -1)

    half = x.bfloat16()
    out, weights, *wanted = gradients(joined, half.float(), phi, alpha, bias)
    found = asked(NPU.npu_mhc_pre, half.npu(), phi.npu(), alpha.npu(), bias.npu(), out_flag=1)
    if found is None:
        return mixed(half, h_out.bfloat16(), torch.randn(tokens, n, n), torch.rand(tokens, n))
    near(found[0], out[:, :width], "npu_mhc_pre", 2e-2)
    near(found[1], out[:, width : width + n], "its hPost", 1e-4)
    near(found[2], out[:, width + n :].reshape(tokens, n, n), "its hRes", 1e-4)
    grads = weights[:, :width].bfloat16(), weights[:, width : width + n], weights[:, width + n :].reshape(tokens, n, n)
    back = NPU.npu_mhc_pre_backward(
        half.npu(), phi.npu(), alpha.npu(), *[g.contiguous().npu() for g in grads], *found[3:6], found[1]
    )
    for f, w, name in zip(back, wanted, ("x", "phi", "alpha", "bias")):
        near(f.reshape(w.shape), w, f"npu_mhc_pre_backward: {name}", 5e-2)
    mixed(half, h_out.bfloat16(), found[2].cpu(), found[1].cpu())


def mixed(half, half_out, res, post):
    def parted(x, r, h, p):
        return torch.einsum("tji,tjd->tid", r, x) + p[..., None] * h[:, None]

    out, weights, *wanted = gradients(parted, half.float(), res, half_out.float(), post)
    near(NPU.npu_mhc_post(half.npu(), res.npu(), half_out.npu(), post.npu()), out, "npu_mhc_post", 5e-2)
    given = [a.npu() for a in (weights.bfloat16(), half, res, half_out, post)]
    back = asked(NPU.npu_mhc_post_backward, *given)
    for f, w, name in zip(back or (), wanted, ("x", "hRes", "hOut", "hPost")):
        near(f, w, f"npu_mhc_post_backward: {name}", 5e-2)

    def balanced(a):
        c = a.softmax(-1) + 1e-6
        c = c / (c.sum(-2, keepdim=True) + 1e-6)
        for _ in range(4):
            c = c / (c.sum(-1, keepdim=True) + 1e-6)
            c = c / (c.sum(-2, keepdim=True) + 1e-6)
        return c

    out, weights, wanted = gradients(balanced, res)
    kept = asked(NPU.npu_mhc_sinkhorn, res.npu(), num_iters=5, out_flag=1)
    if kept is None:
        return
    y, norm, total = kept
    near(y, out, "npu_mhc_sinkhorn", 1e-5)
    near(NPU.npu_mhc_sinkhorn_backward(weights.npu(), norm, total), wanted, "its gradient", 1e-4)
    near(NPU.npu_mhc_sinkhorn(res.npu(), num_iters=5)[0], out, "npu_mhc_sinkhorn alone", 1e-5)


def regions():
    x = torch.arange(1.0, 37).reshape(1, 1, 6, 6)
    roi = torch.tensor([[0.0, -2, -2, 22, 22]])
    wanted = torch.tensor([[4.5, 6.5, 8.5], [16.5, 18.5, 20.5], [28.5, 30.5, 32.5]]).reshape(1, 1, 3, 3)
    near(torch_npu.npu_roi_align(x.npu(), roi.npu(), 0.25, 3, 3, 2, 0), wanted, "npu_roi_align", 1e-5)
    back = NPU.npu_roi_alignbk(torch.ones(1, 1, 3, 3).npu(), roi.npu(), [1, 1, 6, 6], 3, 3, 0.25, 2, 0)
    near(back.sum().cpu(), torch.tensor(9.0), "what npu_roi_align gives back", 1e-5)
    if is_950:  # elsewhere it is one of the operators by name
        a, b = torch.tensor([[0.0, 0, 10, 10], [5, 5, 15, 15]]), torch.tensor([[0.0, 0, 10, 20], [0, 10, 10, 20]])
        found = torch_npu.npu_iou(a.npu(), b.npu(), 0)
        assert abs(found[0, 0].item() - 0.49875) < 1e-4, found


STEPS = (deep_norm, add_layer_norm, vocabulary, silent, causal, masked, indexed, lora, hyper_connections, regions)
for take in STEPS:
    try:
        take()
    except Exception as error:  # say which, and go on: the others are told, too
        print(f"{take.__name__}: {type(error).__name__}: {error}")
        failed = True
assert "failed" not in globals()
print("model_parts: all right")
