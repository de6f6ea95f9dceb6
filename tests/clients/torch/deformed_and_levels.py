# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Deformable convolutions with gradients, products with scales of two levels, convolutions of small numbers and numbers
of an exponential distribution, by torch_npu's names, beside PyTorch on the CPU."""
import os

import torch
import torch_npu

torch.manual_seed(11)
F = torch.nn.functional
IS_950 = os.environ.get("BELAY_SOC", "").startswith("Ascend950")


def deformed(x, weight, offset, bias, stride, padding, dilation, groups, moved):
    """The samples by grid_sample, a place of the kernel at a time, and what they give."""
    images, channels, height, width = x.shape
    kh, kw = weight.shape[2:]
    oh, ow = offset.shape[2:]
    across, down, mask = offset.view(images, 3, moved, kh * kw, oh, ow).unbind(1)
    y, x0 = torch.arange(oh, dtype=x.dtype)[:, None] * stride - padding, torch.arange(ow, dtype=x.dtype)[None] * stride - padding
    parts = []
    for k in range(kh * kw):
        places = torch.stack([x0 + k % kw * dilation + across[:, :, k], y + k // kw * dilation + down[:, :, k]], -1)
        grid = places * 2 / torch.tensor([width - 1, height - 1], dtype=x.dtype) - 1
        planes = x.view(images * moved, channels // moved, height, width)
        found = F.grid_sample(planes, grid.view(images * moved, oh, ow, 2), align_corners=True)
        parts.append((found.view(images, moved, -1, oh, ow) * mask[:, :, k, None]).view(images, channels, oh, ow))
    samples = torch.stack(parts, 2).view(images, channels, kh, kw, oh, ow).permute(0, 1, 4, 2, 5, 3).reshape(images, channels, oh * kh, ow * kw)
    return F.conv2d(samples, weight, bias, stride=(kh, kw), groups=groups), samples


if IS_950:
    for dtype, bound in ((torch.float32, 1e-4), (torch.float16, 2e-2), (torch.bfloat16, 2e-1)):
        for groups, moved, stride, padding, dilation in ((1, 1, 1, 0, 1), (2, 2, 2, 1, 1), (1, 2, 1, 2, 2)):
            x, weight, bias = torch.randn(2, 4, 7, 8), torch.randn(6, 4 // groups, 3, 2), torch.randn(6)
            size = [(n + 2 * padding - dilation * (k - 1) - 1) // stride + 1 for n, k in ((7, 3), (8, 2))]
            offset = torch.randn(2, 3 * moved * 6, *size)
            leaves = [t.to(dtype).double().requires_grad_() for t in (x, weight, offset, bias)]
            wanted, samples = deformed(*leaves, stride, padding, dilation, groups, moved)
            near = [t.detach().to(dtype).npu().requires_grad_() for t in leaves]
            rest = [3, 2], [1, 1, stride, stride], [padding] * 4, [1, 1, dilation, dilation], groups, moved, True
            out, made = torch_npu.npu_deformable_conv2d(*near, *rest)
            assert torch.allclose(made.cpu().double(), samples, rtol=bound, atol=bound)
            assert torch.allclose(out.cpu().double(), wanted, rtol=bound, atol=bound * 4)
            given = torch.randn_like(wanted).to(dtype)
            wanted.backward(given.double())
            out.backward(given.npu())
            for leaf, own in zip(leaves, near):
                assert torch.allclose(own.grad.cpu().double(), leaf.grad, rtol=bound * 4, atol=bound * 16), (dtype, leaf.shape)

    # FLOAT4_E2M1 by its like, with a power of two for 32 steps and a FLOAT for 512.
    values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=torch.float64)
    for rows, columns, depth in ((3, 32, 1088), (17, 64, 512)):
        codes = [torch.randint(0, 16, (n, depth)) for n in (rows, columns)]
        packed = [(c[:, ::2] | c[:, 1::2] << 4).to(torch.uint8) for c in codes]
        powers = [torch.randint(122, 130, (n, (depth + 63) // 64, 2), dtype=torch.uint8) for n in (rows, columns)]
        blocks = (depth + 511) // 512
        outer, bias = [torch.rand(rows, blocks) + 0.5, torch.rand(blocks, columns) + 0.5], torch.randn(columns)
        full = [values[c] * (2.0 ** (p.double().view(p.shape[0], -1)[:, : depth // 32] - 127)).repeat_interleave(32, 1)
                * o.double().repeat_interleave(512, 1)[:, :depth] for c, p, o in zip(codes, powers, (outer[0], outer[1].t()))]
        wanted = full[0] @ full[1].t() + bias.double()
        right = torch_npu.npu_format_cast(packed[1].view(torch.int8).npu(), 29)
        scales = [t.view(torch.float8_e8m0fnu).npu() for t in powers]
        for dtype, code in ((torch.bfloat16, 15), (torch.float16, 5)):
            found = torch_npu.npu_dual_level_quant_matmul(packed[0].view(torch.float4_e2m1fn_x2).npu(), right, outer[0].npu(), outer[1].npu(),
                                                          scales[0], scales[1], bias=bias.npu(), output_dtype=code)
            assert found.dtype is dtype and torch.allclose(found.cpu().double(), wanted, rtol=1e-2, atol=1e-2)

    x, weight = torch.randint(-128, 128, (2, 8, 6, 7), dtype=torch.int8), torch.randint(-128, 128, (4, 8, 3, 3), dtype=torch.int8)
    scale, bias = torch.rand(4) / 1e4, torch.randint(-1000, 1000, (4,), dtype=torch.int32)
    wanted = (F.conv2d(x.double(), weight.double(), bias.double(), stride=2, padding=1) * scale.double()[:, None, None])
    found = torch_npu.npu_quant_conv2d(x.npu(), weight.npu(), scale.npu(), strides=2, pads=1, bias=bias.npu(), output_dtype=torch.float16)
    assert torch.allclose(found.cpu().double(), wanted, rtol=2e-3, atol=2e-3)

numbers = torch.zeros(40000).npu()
own = torch.Generator(device="npu").manual_seed(3)
found = torch_npu.npu_sim_exponential_(numbers, lambd=2.0, generator=own)
assert found.data_ptr() == numbers.data_ptr()
drawn = numbers.cpu()
assert bool((drawn >= 0).all()) and abs(drawn.mean() - 0.5) < 0.02 and abs(drawn.std() - 0.5) < 0.03
again = torch_npu.npu_sim_exponential_(torch.zeros(40000).npu(), lambd=2.0, generator=own.manual_seed(3))
assert torch.equal(again.cpu(), drawn)
