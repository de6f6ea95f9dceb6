# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Norms of sums, products of INT8, blocks and gradients by torch_npu's own names that no other program calls, beside the CPU."""
import os

import torch
import torch_npu

torch.manual_seed(6)
IS_950 = os.environ.get("BELAY_SOC", "").startswith("Ascend950")


def near(found, expected, loose=1e-5):
    found = found.cpu()
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert torch.allclose(found.double(), expected.double(), atol=loose, rtol=loose), (found, expected)


def close(found, expected):
    found = found.cpu()
    assert found.shape == expected.shape and (found.int() - expected.int()).abs().max() <= 1, (found, expected)


def norm(x, gamma):
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt() * gamma.double()


def norms():
    x1, x2, gamma = torch.randn(5, 64).bfloat16(), torch.randn(5, 64).bfloat16(), torch.randn(64).bfloat16()
    both = x1.double() + x2.double()
    y1, y2, rstd, total = torch_npu.npu_add_rms_norm_cast(x1.npu(), x2.npu(), gamma.npu())
    near(y1, norm(both, gamma))
    near(y2, norm(both, gamma).bfloat16(), 1e-2)
    near(rstd.flatten(), 1 / (both.square().mean(-1) + 1e-6).sqrt())
    near(total, both.bfloat16(), 0)
    own1, own2 = x1.npu(), x2.npu()
    torch_npu.npu_add_rms_norm_v2(own1, own2, gamma.npu())
    near(own2, both.bfloat16(), 0)
    near(own1, norm(both.bfloat16().double(), gamma).bfloat16(), 1e-2)
    found = torch_npu.npu_add_rms_norm_v2_functional(x1.npu(), x2.npu(), gamma.npu())
    shaped = [t for t in found if t.shape == x1.shape]
    near(shaped[0], norm(both.bfloat16().double(), gamma).bfloat16(), 1e-2)
    near(shaped[1], both.bfloat16(), 0)
    scale, offset = torch.tensor([0.05]).bfloat16(), torch.tensor([2], dtype=torch.int8)
    y = torch_npu.npu_rms_norm_quant_v2(x1.npu(), gamma.npu(), scale.npu(), offset=offset.npu())[0]
    close(y, (norm(x1.double(), gamma) / scale.double() + 2).round().clamp(-128, 127))


def products():
    x, weight = torch.randn(6, 32).half(), torch.randint(-128, 128, (8, 32), dtype=torch.int8)
    of_column = torch.rand(8) / 100
    rows = (x.double().abs().amax(-1) / 127).float().double()
    numbers = (x.double() / rows[:, None]).round()
    found = torch_npu.npu_quant_matmul_dequant(x.npu(), weight.npu(), of_column.npu())
    near(found, (numbers @ weight.double().t() * rows[:, None] * of_column).half(), 2e-2)
    experts = torch.randint(-128, 128, (2, 8, 32), dtype=torch.int8)
    scales, ends = torch.rand(2, 8) / 100, torch.tensor([2, 6])
    found = torch_npu.npu_quant_grouped_matmul_dequant(x.npu(), experts.npu(), scales.npu(), ends.npu())
    group = torch.tensor([0, 0, 1, 1, 1, 1])
    wanted = torch.einsum("rk,rnk->rn", numbers, experts.double()[group]) * rows[:, None] * scales.double()[group]
    near(found, wanted.half(), 2e-2)
    left, right = torch.randint(-128, 128, (6, 32), dtype=torch.int8), torch.randint(-128, 128, (32, 8), dtype=torch.int8)
    of_row = torch.rand(6) / 100
    found = torch_npu.npu_quant_matmul_gelu(left.npu(), right.npu(), of_row.npu(), of_column.npu())
    wanted = torch.nn.functional.gelu(left.double() @ right.double() * of_row.double()[:, None] * of_column.double())
    near(found, wanted.to(found.dtype), 1e-2)
    sums, x, grad = torch.randn(2, 16, 8), torch.randn(10, 16).half(), torch.randn(10, 8).half()
    ends = torch.tensor([4, 10])
    found = torch_npu.npu_grouped_matmul_add(sums.npu(), x.npu(), grad.npu(), ends.npu())
    wanted = sums.double() + torch.stack([x[b:e].double().t() @ grad[b:e].double() for b, e in ((0, 4), (4, 10))])
    near(found.reshape(2, 16, 8), wanted, 1e-3)
    own = sums.npu()
    torch_npu.npu_grouped_matmul_add_(own, x.npu(), grad.npu(), ends.npu())
    near(own, wanted, 1e-3)


def selected():
    rows, keys, heads, depth, wide, block = 6, 12, 4, 16, 8, 4
    q, k, v = torch.randn(rows, heads, depth).half(), torch.randn(keys, 2, depth).half(), torch.randn(keys, 2, wide).half()
    index = torch.stack([torch.randperm(3)[:2] for _ in range(rows * 2)]).view(rows, 2, 2).int()
    lengths = dict(actual_seq_qlen=[rows], actual_seq_kvlen=[keys])
    out, most, total = torch_npu.npu_nsa_select_attention(q.npu(), k.npu(), v.npu(), index.npu(), 0.2, heads, block, 2, **lengths)
    grad = torch.randn(rows, heads, wide).half()
    found = torch_npu.npu_nsa_select_attention_grad(
        grad.npu(), q.npu(), k.npu(), v.npu(), out, most, total, index.npu(), 0.2, heads, block, 2, **lengths)
    fq, fk, fv = (t.double().requires_grad_() for t in (q, k, v))
    hidden = torch.full((rows, 2, keys), -torch.inf)
    for r in range(rows):
        for m in range(2):
            for b in index[r, m].tolist():
                hidden[r, m, b * block : min((b + 1) * block, r + keys - rows + 1)] = 0
    scores = torch.einsum("rmgd,kmd->rmgk", fq.view(rows, 2, 2, depth), fk) * 0.2 + hidden[:, :, None].double()
    weights = torch.where(hidden[:, :, None] == -torch.inf, 0, scores - scores.amax(-1, keepdim=True).clamp(min=-1e30)).exp() * (hidden[:, :, None] == 0)
    wanted = torch.einsum("rmgk,kmd->rmgd", weights / weights.sum(-1, keepdim=True).clamp(min=1e-30), fv).reshape(rows, heads, wide)
    near(out, wanted.half(), 5e-3)
    wanted.backward(grad.double())
    for ours, theirs in zip(found, (fq, fk, fv)):
        near(ours, theirs.grad, 2e-2)


def blocks():
    x = torch.randn(64, 64).bfloat16()
    y, scale1, scale2 = torch_npu.npu_dynamic_block_mx_quant(x.npu(), dst_type=292)
    tiles = x.double().reshape(2, 32, 2, 32).transpose(1, 2)
    powers = tiles.abs().amax((-1, -2)).log2().floor() - 8
    wanted = (tiles * torch.exp2(-powers)[..., None, None]).clamp(-448, 448).float().to(torch.float8_e4m3fn).double()
    assert torch.equal(y.cpu().double().reshape(2, 32, 2, 32).transpose(1, 2), wanted)
    assert torch.equal(scale1.cpu().view(torch.uint8).reshape(64, 2), (powers + 127).repeat_interleave(32, 0).to(torch.uint8))
    assert torch.equal(scale2.cpu().view(torch.uint8).reshape(64, 2), (powers + 127).t().repeat_interleave(32, 0).to(torch.uint8))
    x, ends = torch.randn(5, 256).half(), torch.tensor([2, 5], dtype=torch.int32)
    y, scale = torch_npu.npu_grouped_dynamic_block_quant(x.npu(), ends.npu(), dst_type=292)
    parts = x.double().reshape(5, 2, 128)
    wanted = (parts.abs().amax(-1) / 448).float()
    rows = [0, 1, 3, 4, 5]  # of scales: group g begins at its first row + g
    near(scale.cpu()[rows], wanted, 1e-6)
    quotient = (parts / wanted.double()[..., None]).clamp(-448, 448).float().to(torch.float8_e4m3fn).reshape(5, 256)
    assert (y.cpu().double() - quotient.double()).abs().max() <= 32


norms()
products()
selected()
if IS_950:
    blocks()
