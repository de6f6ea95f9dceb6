# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Floats of 8 bits as storage under Ascend950, bit by bit beside the CPU; older products refuse them."""

import os

import torch
import torch_npu  # noqa: F401

FORMATS = (torch.float8_e4m3fn, torch.float8_e5m2)


def same(found, wanted):
    found, wanted = found.cpu(), wanted.cpu()
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, (found, wanted)
    codes = [x.view(torch.uint8) if x.element_size() == 1 else x.float() for x in (found, wanted)]
    assert torch.equal(codes[0].nan_to_num(), codes[1].nan_to_num()), (found, wanted)


def with_older_product():
    try:
        torch.tensor([0.3, -1.7]).npu().to(FORMATS[0]).cpu()
    except RuntimeError as error:
        assert "FLOAT8" in str(error), error
    else:
        raise AssertionError("a product without floats of 8 bits took one")


def moves(dtype):
    """What only moves elements, beside bytes of the same values."""
    codes = torch.randint(0, 256, (4, 3, 6), dtype=torch.uint8)
    other = torch.randint(0, 256, (4, 3, 6), dtype=torch.uint8)
    mask = torch.randint(0, 2, (4, 3, 6)).bool()
    rows, places = torch.tensor([2, 0]), torch.randint(0, 3, (4, 3, 6))
    calls = (
        lambda x, y, m, r, p: torch.stack([x, y], 1),
        lambda x, y, m, r, p: torch.cat([x, y], 2),
        lambda x, y, m, r, p: x.repeat(2, 1, 3),
        lambda x, y, m, r, p: x.repeat_interleave(2, 1),
        lambda x, y, m, r, p: x.split(2)[1],
        lambda x, y, m, r, p: x.chunk(3, 2)[2].contiguous(),
        lambda x, y, m, r, p: x.flip(0, 2),
        lambda x, y, m, r, p: x.roll(2, 1),
        lambda x, y, m, r, p: x.gather(1, p),
        lambda x, y, m, r, p: x.index_select(0, r),
        lambda x, y, m, r, p: x.take(p),
        lambda x, y, m, r, p: x[r],
        lambda x, y, m, r, p: x[m],
        lambda x, y, m, r, p: x.masked_select(m),
        lambda x, y, m, r, p: torch.where(m, x, y),
        lambda x, y, m, r, p: x.scatter(0, p, y),
        lambda x, y, m, r, p: x.index_put((r,), y[:2]),
        lambda x, y, m, r, p: x.index_copy(0, r, y[:2]),
        lambda x, y, m, r, p: torch.nn.functional.embedding(r, x[:, :, 0]),
        lambda x, y, m, r, p: x.clone().masked_fill_(m, 0),
        lambda x, y, m, r, p: torch.nn.functional.pad(x, (1, 2)),
        lambda x, y, m, r, p: x.expand(2, 4, 3, 6).contiguous(),
        lambda x, y, m, r, p: x.tril(),
    )
    for call in calls:
        wanted = call(codes, other, mask, rows, places)
        given = (codes.view(dtype).npu(), other.view(dtype).npu(), mask.npu(), rows.npu(), places.npu())
        found = call(*given).cpu()
        assert found.dtype is dtype and torch.equal(found.view(torch.uint8), wanted), (call, found, wanted)
    numbers = torch.zeros(3, dtype=dtype).npu()
    filled = numbers.masked_fill(torch.tensor([True, False, True]).npu(), 0.3)
    assert filled.float().cpu().tolist() == [0.3125, 0, 0.3125]
    assert torch.ones(2, dtype=dtype, device="npu").float().cpu().tolist() == [1, 1]
    assert torch.full((2,), -1.7, dtype=dtype, device="npu").float().cpu().tolist() == [-1.75, -1.75]


def with_newest_product():
    for dtype in FORMATS:
        known = torch.tensor([0.3, -1.7, 100]).npu().to(dtype)
        assert known.float().cpu().tolist() == [0.3125, -1.75, 96], known
        codes = torch.arange(256, dtype=torch.uint8).view(dtype)
        for other in (torch.float32, torch.float16, torch.bfloat16):
            same(codes.npu().to(other), codes.to(other))
            numbers = torch.cat([torch.randn(4000) * 2.0**k for k in range(-20, 20)]).to(other)
            if dtype is FORMATS[0]:  # beyond that PyTorch 2.9 has NaN, and 2.14 the greatest number
                numbers = numbers.clamp(-448, 448)
                assert torch.tensor([1000.0, -1e9]).npu().to(dtype).float().cpu().tolist() == [448, -448]
            same(numbers.npu().to(dtype), numbers.to(dtype))
        x = torch.randn(6, 5, 4).to(dtype)
        npu = x.npu()
        same(npu, x)
        same(npu.clone(), x.clone())
        same(npu.transpose(0, 2).contiguous(), x.transpose(0, 2).contiguous())
        same(npu[1:, ::2, -1], x[1:, ::2, -1])
        rows = torch.tensor([3, 0, 3])
        same(npu.index_select(1, rows.npu()), x.index_select(1, rows))
        same(npu[rows.npu()], x.view(torch.uint8)[rows].view(dtype))
        same(torch.zeros(3, 2, dtype=dtype, device="npu"), torch.zeros(3, 2, dtype=dtype))
        same(torch.cat([npu, npu[:2]]), torch.cat([x, x[:2]]))
        target = torch.empty_like(npu)
        target.copy_(npu)
        same(target, x)
        assert "float8" in repr(npu)
        moves(dtype)
    # Weights are stored in 8 bits and computed with in 16, as by layerwise casting.
    linear = torch.nn.Linear(16, 8).to(torch.bfloat16)
    stored = torch.nn.Linear(16, 8).npu()
    stored.load_state_dict(linear.state_dict())
    stored.to(FORMATS[0])
    words = torch.randn(3, 16, dtype=torch.bfloat16)
    wanted = torch.nn.functional.linear(
        words, linear.weight.to(FORMATS[0]).to(torch.bfloat16), linear.bias.to(FORMATS[0]).to(torch.bfloat16)
    )
    stored.to(torch.bfloat16)
    assert torch.allclose(stored(words.npu()).cpu().float(), wanted.float(), rtol=1e-2, atol=1e-2)


if "950" in os.environ.get("BELAY_SOC", ""):
    with_newest_product()
else:
    with_older_product()
