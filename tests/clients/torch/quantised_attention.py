# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Attention of HIFLOAT8 with its gradients, weights of FLOAT4_E2M1 laid out for products, and gates that become
FLOAT4, by torch_npu's names, beside PyTorch on the CPU. They are Ascend950's alone."""
import os

import torch
import torch_npu

torch.manual_seed(12)
if not os.environ.get("BELAY_SOC", "").startswith("Ascend950") or not hasattr(torch.ops.npu, "npu_quant_fusion_attention"):
    print("quantised attention is not there")
    raise SystemExit

HIFLOAT8, FLOAT8_E4M3FN, FLOAT8_E8M0, FLOAT4_E2M1, FLOAT4_E1M2 = 290, 292, 293, 296, 297
# A few codes of HIFLOAT8, and what they are worth.
CODES = torch.tensor([0x08, 0x88, 0x09, 0x89, 0x00, 0x0C, 0x0E, 0x8A], dtype=torch.uint8)
WORTH = torch.tensor([1, -1, 1.125, -1.125, 0, 1.5, 1.75, -1.25], dtype=torch.float64)

for rows, keys, depth in ((140, 300, 16), (5, 600, 24), (300, 7, 8)):
    def drawn(count, block):
        which, scale = torch.randint(0, 8, (2, 3, count, depth)), torch.rand(2, 3, (count + block - 1) // block) + 0.5
        number = WORTH[which] * scale.double().repeat_interleave(block, 2)[:, :, :count, None]
        return CODES[which].npu(), scale.npu(), number.requires_grad_()

    (q, qs, query), (k, ks, key), (v, vs, value), (dy, dys, grad) = [drawn(*of) for of in ((rows, 128), (keys, 256), (keys, 256), (rows, 128))]
    wanted = torch.softmax(query @ key.transpose(-1, -2) * 0.25, -1) @ value
    wanted.backward(grad.detach())
    out, greatest, total, *_ = torch_npu.npu_quant_fusion_attention(
        q, k, v, 3, "BNSD", d_scale_q=qs, d_scale_k=ks, d_scale_v=vs, scale=0.25, query_dtype=HIFLOAT8)
    assert greatest.shape == (2, 3, rows, 1) and torch.allclose(out.cpu().double(), wanted, rtol=1e-2, atol=1e-2)
    made = torch.ops.npu.npu_quant_fusion_attention_backward(
        q, k, v, dy, 3, "BNSD", qs, ks, vs, dys, softmax_max=greatest, softmax_sum=total, attention_in=out, scale_value=0.25,
        query_dtype=HIFLOAT8)
    for found, leaf in zip(made, (query, key, value)):
        assert torch.allclose(found.cpu().double(), leaf.grad, rtol=2e-2, atol=2e-2 * leaf.grad.abs().max().item())

# Weights come transposed and stay so; what they are is read from the layout that is named.
weight, scale = torch.randint(0, 256, (128, 64), dtype=torch.uint8), torch.randint(100, 130, (128, 2, 2), dtype=torch.uint8)
laid, scales, *_ = torch_npu.npu_weight_quant_preprocess(
    weight.npu().t(), scale.npu().transpose(0, 1), x_dtype=FLOAT8_E4M3FN, x_scale_dtype=FLOAT8_E8M0, weight_dtype=FLOAT4_E2M1,
    weight_scale_dtype=FLOAT8_E8M0, k_group_size=32)
assert torch_npu.get_npu_format(laid) == 50 and laid.shape == (64, 128)
assert torch.equal(scales.cpu(), scale.transpose(0, 1))
assert torch.equal(laid.t().cpu(), weight)

# Gates in two numbers to a byte, the first in its lower half, and a scale for each row.
values = {FLOAT4_E2M1: [0, 0.5, 1, 1.5, 2, 3, 4, 6], FLOAT4_E1M2: [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75]}
x = torch.randn(7, 128).half()
gates = torch.nn.functional.silu(x[:, :64].double()) * x[:, 64:].double()
for dtype, sizes in values.items():
    packed, found = torch_npu.npu_dequant_swiglu_quant(x.npu(), quant_mode=1, dst_type=dtype, activate_left=True)
    assert torch.allclose(found.cpu().double(), gates.abs().amax(1) / sizes[-1], rtol=1e-3)
    numbers = torch.tensor(sizes + [-size for size in sizes], dtype=torch.float64)
    code = torch.stack([packed.cpu() & 15, packed.cpu() >> 4], -1).flatten(1).long()
    exact = gates / found.cpu().double()[:, None]
    nearest = (exact[..., None] - numbers).abs().amin(-1)
    assert torch.allclose((numbers[code] - exact).abs(), nearest, atol=1e-3)
print("quantised attention, weights and gates are right")
