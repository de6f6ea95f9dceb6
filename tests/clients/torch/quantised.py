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
