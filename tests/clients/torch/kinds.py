# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""torch_npu's own functions that call operators by name under Ascend910B3, beside the CPU."""
import math

import torch
import torch.nn.functional as F
import torch_npu

torch.manual_seed(3)
is_910 = "950" not in torch_npu.npu.get_device_name()
count = 0


def r(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def check(name, function, wanted, tolerance=1e-5):
    """The function's results, and its gradients for sums where inputs want them."""
    global count
    count += 1
    found = function()
    found, wanted = [x if isinstance(x, (tuple, list)) else (x,) for x in (found, wanted)]
    assert len(found) >= len(wanted), name
    for f, w in zip(found, wanted):
        if w is None:
            continue
        f = f.detach().cpu()
        assert f.shape == w.shape, (name, f.shape, w.shape)
        assert torch.allclose(f.double(), w.detach().double(), tolerance, tolerance), (name, f, w)


def gradients(function, *inputs):
    """Of sum(function * weights) for all inputs, on the CPU and on npu."""
    results = []
    for place in "cpu", "npu":
        leaves = [x.detach().to(place).requires_grad_() for x in inputs]
        out = function(place, *leaves)
        weights = torch.arange(1.0, out.numel() + 1).reshape(out.shape).to(out.dtype) / out.numel()
        (out * weights.to(place)).sum().backward()
        results.append([out] + [x.grad for x in leaves])
    return results


def both(name, ours, theirs, *inputs, tolerance=1e-5):
    wanted, found = gradients(lambda place, *x: (ours if place == "npu" else theirs)(*x), *inputs)
    check(name, lambda: found, wanted, tolerance)


N = torch_npu
a, b, h = r(2, 3, 4), r(2, 3), torch.float16
if is_910:
    check("npu_transpose", lambda: N.npu_transpose(a.npu(), (2, 0, 1)), a.permute(2, 0, 1))
    check("npu_pad", lambda: N.npu_pad(b.npu(), [1, 1, 0, 2]), F.pad(b, (0, 2, 1, 1)))
    check("npu_slice", lambda: N.npu_slice(b.npu(), [0, 1], [2, 2]), b[:, 1:])
    check("npu_indexing", lambda: N.npu_indexing(b.npu(), [0, 0], [2, 3], [1, 2]), b[:, ::2])
    check("npu_one_hot", lambda: N.npu_one_hot(torch.tensor([1, 0, 3], dtype=torch.int32).npu(), depth=4),
          F.one_hot(torch.tensor([1, 0, 3]), 4).float())
    check("npu_broadcast", lambda: N.npu_broadcast(b.npu()[:1], (4, 3)), b[:1].expand(4, 3))
    check("npu_max", lambda: N.npu_max(a.npu(), dim=1), (a.max(1)[0], a.max(1)[1].int()))
    check("npu_min", lambda: N.npu_min(a.npu(), dim=1, keepdim=True),
          (a.min(1, keepdim=True)[0], a.min(1, keepdim=True)[1].int()))
    check("npu_sort_v2", lambda: N.npu_sort_v2(b.npu(), descending=True), b.sort(descending=True)[0])
    both("npu_silu", N.npu_silu, F.silu, b)
    check("npu_silu_", lambda: N.npu_silu_(b.npu()), F.silu(b))
    both("npu_mish", N.npu_mish, F.mish, b)
    both("npu_bmmV2", lambda x, y: N.npu_bmmV2(x, y, []), torch.bmm, a, r(2, 4, 3))
    x, w, c = r(1, 2, 5, 5), r(3, 2, 3, 3), r(3)
    check("npu_conv2d", lambda: N.npu_conv2d(x.npu(), w.npu(), c.npu(), [1, 1], [1, 1], [1, 1], 1),
          F.conv2d(x, w, c, 1, 1), 1e-4)
    check("npu_convolution", lambda: N.npu_convolution(x.npu(), w.npu(), c.npu(), [2, 1], [1, 0], [1, 1], 1),
          F.conv2d(x, w, c, (2, 1), (1, 0)), 1e-4)
    x3, w3 = r(1, 2, 4, 4, 4), r(3, 2, 2, 2, 2)
    check("npu_conv3d", lambda: N.npu_conv3d(x3.npu(), w3.npu(), c.npu(), [1, 1, 1], [1, 1, 1], [1, 1, 1], 1),
          F.conv3d(x3, w3, c, 1, 1), 1e-4)
    wt = r(2, 3, 3, 3)
    check("npu_conv_transpose2d", lambda: N.npu_conv_transpose2d(x.npu(), wt.npu(), c.npu(), [1, 1], [0, 0], [1, 1], [1, 1], 1),
          F.conv_transpose2d(x, wt, c, 1, 1), 1e-4)
    y, g, z = r(2, 8), r(8), r(8)
    check("npu_layer_norm_eval", lambda: N.npu_layer_norm_eval(y.npu(), [8], g.npu(), z.npu(), 1e-5),
          F.layer_norm(y, (8,), g, z))
    scores, hidden = r(1, 2, 32, 32, dtype=h), torch.rand(1, 2, 32, 32) > 0.7
    both("npu_scaled_masked_softmax", lambda x: N.npu_scaled_masked_softmax(x, hidden.npu(), 0.5, False),
         lambda x: (x.float() * 0.5).masked_fill(hidden, -10000).softmax(-1).half(), scores, tolerance=2e-3)
    check("npu_confusion_transpose", lambda: N.npu_confusion_transpose(a.npu(), [0, 2, 1], (2, 12), True),
          a.permute(0, 2, 1).reshape(2, 12))
    both("npu_confusion_transpose", lambda x: N.npu_confusion_transpose(x, [0, 2, 1], (2, 12), True),
         lambda x: x.permute(0, 2, 1).reshape(2, 12), a)
    var, m, v, grad = r(2, 3), r(2, 3), r(2, 3).abs(), r(2, 3)
    nm, nv = m + 0.1 * (grad - m), v + 0.01 * (grad * grad - v)
    check("npu_apply_adam",
          lambda: N.npu_apply_adam(0.9, 0.99, 0.01, 0.9, 0.99, 1e-8, grad.npu(), False, False,
                                   out=(var.npu(), m.npu(), v.npu())),
          (var - 0.01 * (1 - 0.99) ** 0.5 / (1 - 0.9) * nm / (nv.sqrt() + 1e-8), nm, nv))
    check("npu_apply_adam_w",
          lambda: N.npu_apply_adam_w(0.9, 0.99, 0.01, 0.1, 0.9, 0.99, 1e-8, grad.npu(), None, False, False,
                                     out=(var.npu(), m.npu(), v.npu())),
          (var * (1 - 0.01 * 0.1) - 0.01 / (1 - 0.81) * nm / ((nv / (1 - 0.9801)).sqrt() + 1e-8), nm, nv))
    check("npu_alloc_float_status", lambda: N.npu_alloc_float_status(b.npu()), torch.zeros(8))
    check("npu_get_float_status", lambda: N.npu_get_float_status(torch.zeros(8).npu()), None)
    check("npu_clear_float_status", lambda: N.npu_clear_float_status(torch.zeros(8).npu()), None)
    check("npu_scatter", lambda: N.npu_scatter(torch.zeros(2, 3).npu(), torch.tensor([1, 2], dtype=torch.int32).npu(),
                                               torch.tensor([5.0, 6]).npu(), 1), torch.tensor([[0.0, 5, 0], [0, 0, 6]]))
    both("npu_max", lambda x: N.npu_max(x, 1)[0], lambda x: x.max(1)[0], b)
    both("npu_min", lambda x: N.npu_min(x, 1)[0], lambda x: x.min(1)[0], b)
    check("npu_softmax_cross_entropy_with_logits",
          lambda: N.npu_softmax_cross_entropy_with_logits(b.npu(), b.softmax(1).npu()),
          -(b.softmax(1) * b.log_softmax(1)).sum(1))
    check("npu_stride_copy", lambda: N.npu_stride_copy(b.npu(), [2, 2], [3, 1], 1), b[:, 1:])

    # Sums that are normalised, whose gradients torch_npu asks for by name where no function has theirs.
    w4, c4 = r(4), r(4)
    x4, g4, dy = r(3, 4), r(3, 4), r(3, 4)
    hidden = (0.5 * x4 + g4).requires_grad_()
    weight, bias = w4.clone().requires_grad_(), c4.clone().requires_grad_()
    F.layer_norm(hidden, (4,), weight, bias, 1e-5).backward(dy)
    mean = hidden.detach().mean(-1, keepdim=True)
    rstd = 1 / (hidden.detach().var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()
    check("npu_deep_norm", lambda: N.npu_deep_norm(x4.npu(), g4.npu(), c4.npu(), w4.npu(), 0.5, 1e-5),
          (mean, rstd, F.layer_norm(0.5 * x4 + g4, (4,), w4, c4, 1e-5)))
    check("npu_deep_norm_backward",
          lambda: torch.ops.npu.npu_deep_norm_backward(dy.npu(), x4.npu(), g4.npu(), w4.npu(), mean.npu(), rstd.npu(), 0.5),
          (0.5 * hidden.grad, hidden.grad, bias.grad, weight.grad))
    both("npu_add_layer_norm", lambda x, y, w, c: N.npu_add_layer_norm(x, y, w, c, 1e-5, True)[0],
         lambda x, y, w, c: F.layer_norm(x + y, (4,), w, c, 1e-5), x4, g4, w4, c4)

    # Boxes: the kinds whose formulas are public.
    box = torch.tensor([[0.0, 0, 10, 10], [5, 5, 15, 15], [32, 32, 38, 42]])
    other = torch.tensor([[0.0, 0, 10, 20], [0, 10, 10, 10]])

    def shares(first, second, eps, of_second):
        low, high = torch.max(first[:, None, :2], second[:, :2]), torch.min(first[:, None, 2:], second[:, 2:])
        common = (high - low).clamp_min(0).prod(-1)
        area, own = [(v[:, 2:] - v[:, :2] + eps).prod(-1) for v in (first, second)]
        return common / (own if of_second else area[:, None] + own - common)

    for mode in 0, 1:
        check("npu_iou", lambda: N.npu_iou(box.npu(), other.npu(), mode), shares(box, other, 0.01, mode).t(), 1e-3)
        check("npu_ptiou", lambda: N.npu_ptiou(box.npu(), other.npu(), mode), shares(box, other, 0.01, mode).t(), 1e-3)
    rows = torch.tensor([[0.0, 0, 10, 20], [4, 6, 10, 12]])
    centred = lambda v: torch.cat([(v[:, :2] + v[:, 2:]) / 2, v[:, 2:] - v[:, :2]], 1).t().contiguous().npu()  # noqa: E731
    iou = shares(box[:2], rows, 0, False).diagonal()
    hull = torch.max(box[:2, 2:], rows[:, 2:]) - torch.min(box[:2, :2], rows[:, :2])
    common = (torch.min(box[:2, 2:], rows[:, 2:]) - torch.max(box[:2, :2], rows[:, :2])).clamp_min(0).prod(1)
    union = (box[:2, 2:] - box[:2, :2]).prod(1) + (rows[:, 2:] - rows[:, :2]).prod(1) - common
    apart = ((box[:2, :2] + box[:2, 2:] - rows[:, :2] - rows[:, 2:]) / 2).square().sum(1)
    check("npu_giou", lambda: N.npu_giou(centred(box[:2]), centred(rows), trans=True, is_cross=False, mode=0).flatten(),
          iou - (hull.prod(1) - union) / hull.prod(1))
    check("npu_diou", lambda: N.npu_diou(centred(box[:2]), centred(rows), trans=True, is_cross=False, mode=0).flatten(),
          iou - apart / hull.square().sum(1))
    scored = torch.tensor([[0.0, 0, 10, 10, 0.9, 0, 0, 0], [0, 0, 10, 9, 0.8, 0, 0, 0], [20, 20, 30, 30, 0.7, 0, 0, 0]])
    check("npu_nms_with_mask", lambda: N.npu_nms_with_mask(scored.npu(), 0.5),
          (scored[:, :5], torch.arange(3), torch.tensor([1, 0, 1])))
    check("npu_nms_v4", lambda: N.npu_nms_v4(scored[:, :4].contiguous().npu(), torch.tensor([0.8, 0.9, 0.1]).npu(), 3,
                                             torch.tensor(0.5).npu(), torch.tensor(0.3).npu()),
          (torch.tensor([1, 0, 0]), torch.tensor(1)))
    corners = [torch.tensor(v) for v in ([[1.0, 2, 3, 4], [3, 4, 5, 6]], [[5.0, 6, 7, 8], [7, 8, 9, 6]])]
    thirds = math.log(1 / 3) / 0.2
    check("npu_bounding_box_encode", lambda: N.npu_bounding_box_encode(*[v.npu() for v in corners], 0, 0, 0, 0, 0.1, 0.1, 0.2, 0.2),
          torch.tensor([[40 / 3, 40 / 3, 0, 0], [40 / 3, 20 / 3, 0, thirds]]))
    check("npu_bounding_box_decode",
          lambda: N.npu_bounding_box_decode(*[v.npu() for v in corners], 0, 0, 0, 0, 1, 1, 1, 1, (10, 10), 0.1),
          torch.tensor([[2.5, 6.5, 9, 9], [9, 9, 9, 9]]))

    # Rows.
    signs = torch.tensor([5.0, 4, 3, 2, 0, -1, -2, 4, 3, 2, 1, 0, -1, -2])
    packed = torch.tensor([[159], [15]], dtype=torch.uint8)
    check("npu_sign_bits_pack", lambda: N.npu_sign_bits_pack(signs.npu(), 2), packed)
    check("npu_sign_bits_unpack", lambda: N.npu_sign_bits_unpack(packed.flatten().npu(), 2, torch.float32),
          torch.tensor([[1.0, 1, 1, 1, 1, -1, -1, 1], [1, 1, 1, 1, -1, -1, -1, -1]]))
    one = torch.ones(1, 1, 1, 1, 1)
    check("npu_stride_add", lambda: N.npu_stride_add(one.npu(), one.npu(), 0, 0, 1),
          F.pad(2 * one, (0, 0, 0, 0, 0, 0, 0, 15)))
    x, lengths = r(2, 3, 6), torch.tensor([3, 5], dtype=torch.int32)
    for kind, dims in (0, (1,)), (1, (0, 1)):
        wanted = torch.stack([(v - v[:, :n].mean(dims, keepdim=True)) / (v[:, :n].std(dims, keepdim=True) + 1e-5)
                              for v, n in zip(x, lengths.tolist())])
        check("npu_normalize_batch", lambda: N.npu_normalize_batch(x.npu(), lengths.npu(), kind), wanted)
    x, start = r(4, 4), torch.tensor([[0, 1, 2]], dtype=torch.int32)
    filled = x.clone()
    filled[[0, 1, 2], [0, 1, 2]] = 1
    check("npu_masked_fill_range", lambda: N.npu_masked_fill_range(x.npu(), start.npu(), (start + 1).npu(), torch.tensor([1.0]).npu(), 1),
          filled)
    image, kernel, dy = r(1, 3, 5, 5), r(3, 1, 3, 3), r(1, 3, 5, 5)
    leaves = [v.clone().requires_grad_() for v in (image, kernel)]
    F.conv2d(*leaves, None, 1, 1, 1, 3).backward(dy)
    check("_conv_depthwise2d_backward",
          lambda: torch.ops.npu._conv_depthwise2d_backward(dy.npu(), image.npu(), kernel.npu(), [3, 3], [1, 1], [1, 1], [1, 1], [True, True]),
          [v.grad for v in leaves])

    # Attention of heads whose results lie side by side, without dropout, and what half of it drops.
    q, k, v = [r(2, 2, 32, 16).half() for _ in range(3)]
    added = r(2, 2, 32, 32).half()
    leaves = [x.float().requires_grad_() for x in (q, k, v)]
    weights = (leaves[0] @ leaves[1].mT * 0.25 + added.float()).softmax(-1)
    wanted = (weights @ leaves[2]).transpose(1, 2).reshape(64, 32)
    wanted.backward(dy := r(64, 32).half().float())
    check("npu_fused_attention_score_fwd", lambda: torch.ops.npu.npu_fused_attention_score_fwd(q.npu(), k.npu(), v.npu(), added.npu(), 0.25, 1.0)[:2],
          (wanted, weights), 2e-3)
    keeps = torch.ones(weights.numel(), dtype=torch.uint8).npu()
    for name in "npu_fused_attention_score_grad", "npu_fused_attention_score_backward":
        found = getattr(torch.ops.npu, name)(dy.half().npu(), weights.detach().half().npu(), q.npu(), k.npu(), v.npu(), keeps, 0.25, 1.0)
        check(name, lambda: [x if x.dim() == 4 else x.reshape(2, 32, 2, 16).transpose(1, 2) for x in found], [x.grad for x in leaves], 5e-3)
    ours = [x.npu().requires_grad_() for x in (q, k, v)]
    found = N.npu_fused_attention_score(*ours, added.npu(), 0.25, 1.0)
    check("npu_fused_attention_score", lambda: found, wanted, 2e-3)
    found.backward(dy.half().npu())
    check("npu_fused_attention_score_backward", lambda: [x.grad for x in ours], [x.grad for x in leaves], 5e-3)
    ones = torch.ones_like(v)
    sums = N.npu_fused_attention_score(q.npu(), k.npu(), ones.npu(), added.npu(), 0.25, 0.5).cpu()
    assert 0.9 < sums.mean() < 1.1 and sums.std() > 0.01, sums

    # A GRU of one layer, whose gates are rzh, beside PyTorch's with the same numbers.
    steps, batch, width = 3, 2, 16
    gru = torch.nn.GRU(width, width)
    with torch.no_grad():
        for value in gru.parameters():
            value.copy_((value * 64).round() / 64)  # exact in FLOAT16
    x, state = (r(steps, batch, width) * 8).round() / 8, (r(1, batch, width) * 8).round() / 8
    weights = [gru.weight_ih_l0.t(), gru.weight_hh_l0.t(), gru.bias_ih_l0, gru.bias_hh_l0]
    leaves = [v.detach().contiguous().half().npu().requires_grad_() for v in (x, state, *weights)]
    lengths = torch.full((batch,), steps, dtype=torch.int32).npu()
    found = N.npu_gru(*leaves, lengths, True, 1, 0.0, True, False, False)
    x.requires_grad_()
    wanted = gru(x, state)[0]
    check("npu_gru", lambda: found[0], wanted.detach(), 2e-3)
    wanted.sum().backward()
    found[0].sum().backward()
    check("npu_gru_backward", lambda: (leaves[0].grad, leaves[2].grad.t(), leaves[3].grad.t(), leaves[4].grad),
          (x.grad, gru.weight_ih_l0.grad, gru.weight_hh_l0.grad, gru.bias_ih_l0.grad), 2e-2)
print(count, "calls")
