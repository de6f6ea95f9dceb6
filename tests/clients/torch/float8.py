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
        same(npu[rows.npu()], x[rows])
        same(torch.zeros(3, 2, dtype=dtype, device="npu"), torch.zeros(3, 2, dtype=dtype))
        same(torch.cat([npu, npu[:2]]), torch.cat([x, x[:2]]))
        target = torch.empty_like(npu)
        target.copy_(npu)
        same(target, x)
        assert "float8" in repr(npu)
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
