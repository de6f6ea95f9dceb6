# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Tokens that become numbers of few bits on their way to experts, by every mode of npu_moe_init_routing_v2, beside what
PyTorch makes of them on the CPU; those above 1 are Ascend950's."""
import os

import torch
import torch_npu

torch.manual_seed(1)
E5M2, E4M3 = torch.float8_e5m2, torch.float8_e4m3fn
MOST = {E5M2: 57344.0, E4M3: 448.0}
TOKENS, WIDTH, EXPERTS = 6, 200, 5
x = torch.randn(TOKENS, WIDTH, dtype=torch.bfloat16)
index = torch.stack([torch.randperm(EXPERTS)[:2] for _ in range(TOKENS)]).int()
order = torch.argsort(index.flatten(), stable=True)
routed = x[order // 2].float()


def route(mode, tokens=x, **more):
    rows, where, counts, scale = torch_npu.npu_moe_init_routing_v2(
        tokens.npu(), index.npu(), active_num=2 * TOKENS, expert_num=EXPERTS, expert_tokens_num_type=1,
        expert_tokens_num_flag=True, quant_mode=mode, active_expert_range=[0, EXPERTS], **more)
    assert torch.equal(where.cpu(), torch.argsort(order).int())
    assert torch.equal(counts.cpu(), torch.bincount(index.flatten(), minlength=EXPERTS))
    return rows.cpu(), scale.cpu()


def blocks(size):
    """The greatest size of each block of a row, and these for each element."""
    greatest = torch.stack([part.abs().amax(-1) for part in routed.split(size, -1)], -1)
    return greatest, lambda each: each.repeat_interleave(size, -1)[:, :WIDTH]


def by_mx(mode, dtype, least=0.0):
    rows, scale = route(mode)
    greatest, spread = blocks(32)
    exponent = torch.ceil(torch.log2(greatest.clamp(min=least) / MOST[dtype]))
    assert rows.dtype == dtype and scale.dtype == torch.float8_e8m0fnu
    byte = scale.view(torch.uint8).reshape(2 * TOKENS, -1)
    assert torch.equal(byte[:, :greatest.shape[1]].float(), exponent + 127) and byte.shape[1] == 8 and not byte[:, 7:].any()
    assert torch.equal(rows.float(), (routed / spread(2.0**exponent)).to(dtype).float())


def by_128(mode, dtype):
    rows, scale = route(mode)
    greatest, spread = blocks(128)
    wanted = greatest / MOST[dtype]
    assert rows.dtype == dtype and torch.equal(scale.reshape(2 * TOKENS, -1), wanted)
    quotient = (routed.double() / spread(wanted).double()).clamp(-MOST[dtype], MOST[dtype])
    lost = (quotient.float().to(dtype).double() - quotient).abs()  # of what is next to a tie, on either side
    assert ((rows.double() - quotient).abs() <= lost + 1e-6 * quotient.abs()).all()


def hifloat8():
    """Three bits behind the first one of numbers up to 8: halves of the last one at most are lost."""
    rows, _ = route(6)
    assert rows.dtype == torch.uint8
    codes = {-1.0: 0x88, 1.0: 0x08, 1.125: 0x09, 32768.0: 0x6E, 0.0: 0}
    tokens = torch.tensor(list(codes) * 40, dtype=torch.bfloat16).repeat(TOKENS, 1)
    assert torch.equal(route(6, tokens)[0], torch.tensor(list(codes.values()) * 40, dtype=torch.uint8).repeat(2 * TOKENS, 1))
    rows, _ = route(7, tokens / 4, scale=torch.tensor([4.0]).npu())
    assert torch.equal(rows, torch.tensor(list(codes.values()) * 40, dtype=torch.uint8).repeat(2 * TOKENS, 1))
    rows, scale = route(8, tokens)
    assert torch.equal(scale, torch.ones(2 * TOKENS)) and torch.equal(rows[0, :5], torch.tensor(list(codes.values()), dtype=torch.uint8))


def halves(rows):
    return torch.stack([rows & 15, rows >> 4], -1).flatten(-2)


def by_four_bits():
    rows, scale = route(9)
    greatest, spread = blocks(32)
    exponent = torch.floor(torch.log2(greatest)) - 2
    byte = scale.view(torch.uint8).reshape(2 * TOKENS, -1)
    assert torch.equal(byte[:, :greatest.shape[1]].float(), exponent + 127)
    worth = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6, 0, -.5, -1, -1.5, -2, -3, -4, -6])
    found, wanted = worth[halves(rows).long()], (routed / spread(2.0**exponent)).clamp(-6, 6)
    nearest = (wanted[..., None] - worth).abs().amin(-1)
    assert torch.equal((found - wanted).abs(), nearest)


def by_int4():
    smooth = torch.rand(1, WIDTH) + .5
    for factors in (None, smooth):
        rows, scale = route(13, **({} if factors is None else {"scale": factors.npu()}))
        scaled = routed.double() * (1 if factors is None else factors.double())
        wanted = (scaled.abs().amax(-1) / 7).float()
        assert torch.equal(scale, wanted)
        codes = (scaled / wanted.double()[:, None]).round().clamp(-8, 7).long() & 15
        assert torch.equal(halves(rows).long(), codes)


def moved():
    """The other way of vllm-ascend: numbers that have come from other ranks with their scales."""
    tokens, scale = torch_npu.npu_dynamic_mx_quant(x.npu(), dst_type=E4M3)
    rows, scales = torch_npu.npu_moe_init_routing_v2(
        tokens, index.npu(), scale=scale, active_num=2 * TOKENS, expert_num=EXPERTS, expert_tokens_num_type=1,
        expert_tokens_num_flag=True, active_expert_range=[0, EXPERTS])[::3]
    assert torch.equal(rows.cpu().view(torch.uint8), tokens.cpu().view(torch.uint8)[order // 2])
    assert torch.equal(scales.cpu().view(torch.uint8), scale.cpu().view(torch.uint8)[order // 2])


if "950" in os.environ.get("BELAY_SOC", "") and "x_dtype" in str(torch.ops.npu.npu_moe_init_routing_v2.default._schema):
    for dtype, modes in ((E5M2, (2, 16, 4, 14, 11)), (E4M3, (3, 17, 5, 15, 12))):
        by_mx(modes[0], dtype)
        by_mx(modes[1], dtype, 1e-4)
        for mode in modes[2:]:
            by_128(mode, dtype)
    hifloat8()
    by_four_bits()
    by_int4()
    moved()
else:
    rows, scale = route(1)
    assert torch.equal(scale, routed.abs().amax(-1) / 127)
