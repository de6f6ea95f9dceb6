# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Quantisation in blocks, with scales that are powers of two (MX) or FLOAT, beside the formulas on the CPU."""

import os

import torch
import torch_npu

E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def powers(x, largest_exponent):
    """Of the greatest size of each row its exponent, less that of the greatest number."""
    return torch.floor(torch.log2(x.abs().amax(-1))).int() - largest_exponent


def codes_of_float4(y):
    """Two to a byte, the first in the lower half."""
    y = y.cpu().view(torch.uint8)
    return torch.stack([y & 15, y >> 4], -1).flatten(-2)


def float4(x):
    """Rounded to the nearest number of E2M1, ties to even, no further than 6."""
    table = torch.tensor(E2M1)
    size = x.abs().clamp(max=6)
    near = (size.unsqueeze(-1) - table).abs()
    lowest = near.amin(-1, keepdim=True)
    ties = (near == lowest) & (torch.arange(8) % 2 == 0)
    code = torch.where(ties.any(-1), ties.int().argmax(-1), near.argmin(-1))
    return code + 8 * torch.signbit(x)


def along_rows():
    x = torch.randn(6, 96).bfloat16()
    blocks = x.float().reshape(6, 3, 32)
    y, scale = torch_npu.npu_dynamic_mx_quant(x.npu(), dst_type=torch.float8_e4m3fn)
    s = powers(blocks, 8)
    wanted = (blocks * torch.exp2(-s.float()).unsqueeze(-1)).clamp(-448, 448).to(torch.float8_e4m3fn)
    assert torch.equal(y.cpu().view(torch.uint8), wanted.view(torch.uint8).reshape(6, 96))
    scale = scale.cpu().view(torch.uint8)
    assert scale.shape == (6, 2, 2) and torch.equal(scale.reshape(6, 4)[:, :3].int(), s + 127)
    assert (scale.reshape(6, 4)[:, 3] == 0).all()
    y, scale = torch_npu.npu_dynamic_mx_quant(x.npu())  # of 4 bits
    s = powers(blocks, 2)
    wanted = float4(blocks * torch.exp2(-s.float()).unsqueeze(-1)).reshape(6, 96)
    assert torch.equal(codes_of_float4(y).int(), wanted.int())
    one = torch.arange(1, 7, dtype=torch.bfloat16).reshape(1, 6)
    y, scale = torch_npu.npu_dynamic_mx_quant(one.npu())
    assert int(y.cpu().view(torch.uint8).flatten()[0]) == 0x42 and int(scale.cpu().view(torch.uint8).flatten()[0]) == 127


def along_columns():
    x = torch.randn(70, 8).half()
    y, scale = torch_npu.npu_dynamic_mx_quant(x.npu(), axis=-2, dst_type=torch.float8_e5m2)
    scale = scale.cpu().view(torch.uint8).int()
    assert scale.shape == (2, 8, 2)
    for block in range(3):
        rows = x.float()[32 * block : 32 * block + 32]
        s = powers(rows.t(), 15)
        assert torch.equal(scale[block // 2, :, block % 2], s + 127)
        wanted = (rows * torch.exp2(-s.float())).clamp(-57344, 57344).to(torch.float8_e5m2)
        assert torch.equal(y.cpu().view(torch.uint8)[32 * block : 32 * block + 32], wanted.view(torch.uint8))
    y1, s1, y2, s2 = torch_npu.npu_dynamic_mx_quant_with_dual_axis(x.npu(), dst_type=torch.float8_e5m2)
    assert torch.equal(y2.cpu().view(torch.uint8), y.cpu().view(torch.uint8))
    assert torch.equal(s2.cpu().view(torch.uint8).int(), scale)
    again, s = torch_npu.npu_dynamic_mx_quant(x.npu(), dst_type=torch.float8_e5m2)
    assert torch.equal(y1.cpu().view(torch.uint8), again.cpu().view(torch.uint8))
    assert torch.equal(s1.cpu().view(torch.uint8), s.cpu().view(torch.uint8))


def of_groups():
    x = torch.randn(100, 8).bfloat16()
    ends = torch.tensor([40, 100], dtype=torch.int32)
    y, scale = torch_npu.npu_grouped_dynamic_mx_quant(x.npu(), ends.npu(), dst_type=torch.float8_e5m2, blocksize=32)
    scale = scale.cpu().view(torch.uint8)
    assert scale.shape == (3, 8, 2)
    for begin, end, row in ((0, 40, 0), (40, 100, 1)):
        alone, of_alone = torch_npu.npu_dynamic_mx_quant(x[begin:end].npu(), axis=0, dst_type=torch.float8_e5m2)
        assert torch.equal(y.cpu()[begin:end].view(torch.uint8), alone.cpu().view(torch.uint8))
        assert torch.equal(scale[row : row + 1], of_alone.cpu().view(torch.uint8))


def with_float_scales(dtype, greatest):
    x = torch.randn(5, 300).half()
    y, scale = torch_npu.npu_dynamic_block_quant(x.npu(), dst_type=dtype)
    for block in range(3):
        part = x.float()[:, 128 * block : 128 * block + 128]
        wanted = part.abs().amax(-1) / greatest
        assert torch.equal(scale.cpu()[:, block], wanted)
        quotient = (part.double() / wanted.double().unsqueeze(-1)).clamp(-greatest, greatest)
        codes = quotient.round().to(dtype) if dtype == torch.int8 else quotient.float().to(dtype)
        assert torch.equal(y.cpu()[:, 128 * block : 128 * block + 128].view(torch.uint8), codes.view(torch.uint8))


torch.manual_seed(3)
with_float_scales(torch.int8, 127)
if "950" in os.environ.get("BELAY_SOC", ""):
    with_float_scales(torch.float8_e4m3fn, 448)
    along_rows()
    along_columns()
    of_groups()
else:
    try:
        torch_npu.npu_dynamic_mx_quant(torch.ones(1, 64).half().npu(), dst_type=torch.float8_e4m3fn)[0].cpu()
    except RuntimeError as error:
        assert "Ascend910B3" in str(error), error
    else:
        raise AssertionError("a product without floats of 8 bits made some")
