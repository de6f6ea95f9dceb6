# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Quantisation with given scales and products of INT8 by torch_npu, beside loops in PyTorch on the CPU."""
import torch
import torch_npu

torch.manual_seed(1)


def near(found, expected, loose):
    found = found.cpu()
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found.dtype, found.shape, expected.shape)
    assert torch.allclose(found.float(), expected.float(), atol=loose, rtol=loose), (found, expected)


x = torch.randn(6, 16, dtype=torch.float16)
scale, zero = torch.rand(16).half() * 20, torch.randint(-5, 5, (16,)).half()
found = torch_npu.npu_quantize(x.npu(), scale.npu(), zero.npu(), torch.qint8, -1, False).cpu()
expected = (x.double() * scale.double() + zero.double()).round().clamp(-128, 127).to(torch.int8)
found = found.int_repr() if found.is_quantized else found
assert torch.equal(found.to(torch.int8), expected), (found, expected)

left = torch.randint(-128, 128, (6, 16), dtype=torch.int8)
weight = torch.randint(-128, 128, (24, 16), dtype=torch.int8)
per_column, per_row = torch.rand(24) / 100, torch.rand(6)
sums = left.double() @ weight.double().t()
for dtype in (torch.float16, torch.bfloat16):
    columns = per_column if dtype == torch.float16 else per_column.bfloat16()
    found = torch_npu.npu_quant_matmul(left.npu(), weight.npu().t(), columns.npu(), pertoken_scale=per_row.npu(), output_dtype=dtype)
    near(found, (sums * columns.double() * per_row.double()[:, None]).to(dtype), 1e-2)
bias = torch.randint(-1000, 1000, (24,), dtype=torch.int32)
found = torch_npu.npu_quant_matmul(left.npu(), weight.npu().t(), per_column.npu(), bias=bias.npu(), output_dtype=torch.float16)
near(found, ((sums + bias) * per_column).half(), 1e-2)
found = torch_npu.npu_quant_matmul(left.npu(), weight.npu().t(), per_column.npu(), output_dtype=torch.int32)
assert torch.equal(found.cpu(), sums.int())

# Rows that become numbers: norms of sums, gates, gelu, and scales of rows, tensors and columns.
def quantised(rows, scale=None, most=127):
    scale = (rows.abs().amax(-1) / most).float() if scale is None else scale
    return (rows / scale.double()[..., None]).nan_to_num().round().clamp(-most - 1, most).to(torch.int8), scale


def close(found, expected):
    found = found.cpu()
    assert found.shape == expected.shape and (found.int() - expected.int()).abs().max() <= 1, (found, expected)


def packed(found):
    found = found.cpu()
    numbers = torch.stack([found >> 4 * i & 15 for i in range(8)], -1).flatten(-2)
    return torch.where(numbers > 7, numbers - 16, numbers)


x1, x2 = torch.randn(5, 64, dtype=torch.bfloat16), torch.randn(5, 64, dtype=torch.bfloat16)
gamma, beta = torch.randn(64, dtype=torch.bfloat16), torch.randn(64, dtype=torch.bfloat16)
smooth, other = torch.rand(64).bfloat16(), torch.rand(64).bfloat16()
both = x1.double() + x2.double()
norm = both / (both.square().mean(-1, keepdim=True) + 1e-6).sqrt() * gamma.double()
y, _, total = torch_npu.npu_add_rms_norm_quant(x1.npu(), x2.npu(), gamma.npu(), (smooth / 10 + .01).npu(), None)[:3]
close(y, (norm / (smooth / 10 + .01).double()).round().clamp(-128, 127))
near(total, both.bfloat16(), 0)
y1, y2, total, scale1, scale2 = torch_npu.npu_add_rms_norm_dynamic_quant(x1.npu(), x2.npu(), gamma.npu(), smooth_scale1=smooth.npu(), smooth_scale2=other.npu(), beta=beta.npu())
for y, scale, factor in ((y1, scale1, smooth), (y2, scale2, other)):
    numbers, wanted = quantised((norm + beta.double()) * factor.double())
    close(y, numbers)
    near(scale, wanted, 1e-6)
y, _, _, scale, _ = torch_npu.npu_add_rms_norm_dynamic_quant(x1.npu(), x2.npu(), gamma.npu())  # the other two are placeholders
close(y, quantised(norm)[0])
near(scale, quantised(norm)[1], 1e-6)
y = torch_npu.npu_rms_norm_quant(x1.npu(), gamma.npu(), beta.npu(), torch.tensor([.05]).bfloat16().npu(), torch.tensor([3], dtype=torch.int8).npu())
own = x1.double() / (x1.double().square().mean(-1, keepdim=True) + 1e-6).sqrt() * gamma.double() + beta.double()
close(y, (own / torch.tensor([.05]).bfloat16().double() + 3).round().clamp(-128, 127))

left, right = x1.double().chunk(2, -1)
gated = right * torch.sigmoid(right) * left
y, scale = torch_npu.npu_swiglu_quant(x1.npu(), quant_mode=1)
numbers, wanted = quantised(gated)
close(y, numbers)
near(scale, 1 / wanted, 1e-5)
sums = torch.randint(-1000, 1000, (5, 64), dtype=torch.int32)
columns, rows = torch.rand(64) / 500, torch.rand(5)
y, scale = torch_npu.npu_dequant_swiglu_quant(sums.npu(), weight_scale=columns.npu(), activation_scale=rows.npu(), quant_mode=1, activate_left=True, group_index=torch.tensor([5]).npu())
left, right = (sums.double() * columns.double() * rows.double()[:, None]).chunk(2, -1)
numbers, wanted = quantised(left * torch.sigmoid(left) * right)
close(y, numbers)
near(scale, wanted, 1e-6)

y, scale = torch_npu.npu_dynamic_quant(x1.npu(), quant_mode="pertensor")
numbers, wanted = quantised(x1.double().flatten()[None])
close(y, numbers.view(5, 64))
near(scale, wanted, 1e-6)
y, scale = torch_npu.npu_dynamic_quant(x1.npu(), quant_mode="perchannel")
numbers, wanted = quantised(x1.double().t())
close(y, numbers.t())
near(scale, wanted, 1e-6)
y, scale = torch_npu.npu_dynamic_quant(x1.npu(), dst_type=torch.quint4x2)
numbers, wanted = quantised(x1.double(), most=7)
close(packed(y), numbers)
near(scale, wanted, 1e-6)
y, scale = torch_npu.npu_gelu_quant(x1.npu())
numbers, wanted = quantised(torch.nn.functional.gelu(x1.double()))
close(y, numbers)
near(scale, wanted, 1e-6)
