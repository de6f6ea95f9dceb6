# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""CIoU, and tensors taken apart and put together again, by torch_npu's names, beside the CPU."""
import math
import os

import torch
import torch_npu

torch.manual_seed(7)


def ciou(box, other, trans):
    def corners(b):
        return torch.cat([b[:2] - b[2:] / 2, b[:2] + b[2:] / 2]) if trans else b

    sizes = [b[2:] if trans else b[2:] - b[:2] for b in (box, other)]
    a, b = corners(box), corners(other)
    common = (torch.minimum(a[2:], b[2:]) - torch.maximum(a[:2], b[:2])).clamp(min=0).prod(0)
    iou = common / (sizes[0].prod(0) + sizes[1].prod(0) - common)
    apart = ((a[:2] + a[2:] - b[:2] - b[2:]) / 2).square().sum(0)
    hull = (torch.maximum(a[2:], b[2:]) - torch.minimum(a[:2], b[:2])).square().sum(0)
    angles = torch.atan(sizes[1][0] / sizes[1][1]) - torch.atan(sizes[0][0] / sizes[0][1])
    v = 4 / math.pi**2 * angles.square()
    return iou - apart / hull - v / (1 - iou + v) * v, angles


if os.environ.get("BELAY_SOC", "").startswith("Ascend950"):
    box, other = torch.rand(4, 9) + 0.1, torch.rand(4, 9) + 0.1
    found, angles = torch.ops.npu._npu_ciou(box.npu(), other.npu(), True, False, 0, True)
    wanted, apart = ciou(box.double(), other.double(), True)
    assert torch.allclose(found.cpu().double().flatten(), wanted, atol=1e-5) and torch.allclose(angles.cpu().double().flatten(), apart, atol=1e-5)
    found = torch_npu.npu_ciou(box.npu(), other.npu(), True, False, 0)
    assert torch.allclose(found.cpu().double().flatten(), wanted, atol=1e-5)

for dtype in (torch.float16, torch.float32, torch.bfloat16):
    x = torch.randn(64, 1024).to(dtype)
    size = x.element_size()
    pdf = torch.zeros(1, 256, dtype=torch.int32).npu()
    mantissa = torch.zeros(x.numel() * (size - 1) // size, dtype=dtype).npu()
    fixed, var = torch.zeros(x.numel() // 4, dtype=dtype).npu(), torch.zeros(x.numel() * 4, dtype=dtype).npu()
    torch_npu.npu_hans_encode(x.npu(), True, False, out=(pdf, mantissa, fixed, var))
    high = x.view(torch.uint8).reshape(-1, size)[:, -1].long()
    assert torch.equal(pdf.cpu()[0].long(), torch.bincount(high, minlength=256))
    out = torch.zeros_like(x).npu()
    torch_npu.npu_hans_decode(mantissa, fixed, var, pdf, False, out=out)
    assert torch.equal(out.cpu().view(torch.uint8), x.view(torch.uint8))
