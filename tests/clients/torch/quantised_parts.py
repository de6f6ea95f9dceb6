# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Numbers of few bits of what is made of x, and back, by torch_npu's own names, beside the formulas on the CPU."""
import os

import torch
import torch_npu

torch.manual_seed(5)
HIFLOAT8, E4M3, E2M1 = torch_npu.hifloat8 if hasattr(torch_npu, "hifloat8") else 290, torch.float8_e4m3fn, 296
FLOAT4 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def close(found, expected, most=1):
    found = found.cpu()
    assert found.shape == expected.shape and (found.int() - expected.int()).abs().max() <= most, (found, expected)


def near(found, expected, loose=1e-6):
    found = found.cpu()
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert torch.allclose(found.double(), expected.double(), atol=loose, rtol=loose), (found, expected)


def unpacked(found):
    """Eight numbers of an INT32, the first in the lowest bits."""
    numbers = torch.stack([found.cpu() >> 4 * i & 15 for i in range(8)], -1).flatten(-2)
    return torch.where(numbers > 7, numbers - 16, numbers)


def float4(y):
    y = y.cpu().view(torch.uint8)
    return FLOAT4[torch.stack([y & 15, y >> 4], -1).flatten(-2).long()]


def powers(scale):
    return torch.exp2(scale.cpu().view(torch.uint8).double() - 127)


def assert_blocks(y, scale, wanted):
    """Numbers times the powers of two of their blocks of 32 along the last dim, near to what is wanted."""
    y = y.cpu()
    numbers = float4(y) if y.dtype == torch.uint8 or "float4" in str(y.dtype) else y.double()
    blocks = powers(scale).flatten(-2)[..., : (wanted.shape[-1] + 31) // 32].repeat_interleave(32, -1)
    assert numbers.shape == wanted.shape, (numbers.shape, wanted.shape)
    found, most = numbers * blocks[..., : wanted.shape[-1]], 6 if numbers.abs().max() <= 6 else 448
    greatest = torch.stack([b.abs().amax(-1) for b in wanted.split(32, -1)], -1).repeat_interleave(32, -1)
    loose = greatest[..., : wanted.shape[-1]] * (0.26 if most == 6 else 0.13) + 1e-6
    assert ((found - wanted).abs() <= loose).all(), (found, wanted)
    assert (blocks > 0).all() and (numbers.abs().amax() > most / 4)


def assert_columns(y, scale, wanted):
    """The same along the dim before the last."""
    scale = scale.cpu().view(torch.uint8).movedim(-1, -2).flatten(-3, -2)[..., : (wanted.shape[-2] + 31) // 32, :]
    found = y.cpu().double() * torch.exp2(scale.double() - 127).repeat_interleave(32, -2)[..., : wanted.shape[-2], :]
    assert torch.allclose(found, wanted, atol=float(wanted.abs().max()) * 0.07, rtol=0.07), (found, wanted)


def everywhere():
    x = torch.randn(3, 4, 16).bfloat16()
    left, right = torch.randn(4, 4).bfloat16(), torch.randn(16, 16).bfloat16()
    out, scale = torch_npu.npu_kronecker_quant(x.npu(), left.npu(), right.npu(), 0.9)
    both = (left.double() @ (x.double() @ right.double()).bfloat16().double()).bfloat16().double()
    wanted = (both.abs().amax((1, 2)) * 0.9 / 7).float()
    near(scale, wanted)
    close(unpacked(out), (both / wanted.double()[:, None, None]).round().clamp(-8, 7))

    x, scales = torch.randn(6, 8).half(), torch.rand(3, 8).half() * 20
    ends = torch.tensor([2, 2, 6], dtype=torch.int32)
    y = torch_npu.npu_group_quant(x.npu(), scales.npu(), ends.npu(), offset=torch.tensor([2.0]).half().npu(), dst_dtype=torch.int8)
    group = torch.tensor([0, 0, 2, 2, 2, 2])
    close(y, (x.double() * scales.double()[group] + 2).round().clamp(-128, 127))

    cache = torch.randint(-9, 9, (2, 3, 5, 4), dtype=torch.int8)
    updates, scale, zero = torch.randn(2, 3, 2, 4).half(), torch.rand(4).half() / 10 + 0.01, torch.tensor([1, -2, 3, 0]).half()
    places = torch.tensor([3, 1], dtype=torch.int32)
    wanted, numbers = cache.clone(), (updates.double() / scale.double() + zero.double()).round().clamp(-128, 127).to(torch.int8)
    for batch, place in enumerate(places.tolist()):
        wanted[batch, :, place : place + 2] = numbers[batch]
    arguments = places.npu(), updates.npu(), scale.npu(), zero.npu()
    close(torch_npu.npu_quant_scatter(cache.npu(), *arguments, axis=-2), wanted)
    own = cache.npu()
    torch_npu.npu_quant_scatter_(own, *arguments, axis=-2)
    close(own, wanted)

    x, scale, offset = torch.randint(-128, 128, (5, 6), dtype=torch.int8), torch.rand(6), torch.rand(6)
    y = torch_npu.npu_anti_quant(x.npu(), scale.npu(), offset=offset.npu(), dst_dtype=torch.float16)
    near(y, ((x.double() + offset.double()) * scale.double()).half(), 1e-3)

    x, scale, zero = torch.randn(4, 5), torch.tensor([0.02]), torch.tensor([3], dtype=torch.int32)
    own = x.clone().npu()
    y = torch.fake_quantize_per_tensor_affine(own, scale.npu(), zero.npu(), -128, 127)
    near(y, torch.fake_quantize_per_tensor_affine(x, scale, zero, -128, 127))
    scale, zero = torch.rand(5) / 10 + 0.01, torch.tensor([0, 1, -2, 3, 4], dtype=torch.int32)
    y = torch.fake_quantize_per_channel_affine(own, scale.npu(), zero.npu(), 1, -128, 127)
    near(y, torch.fake_quantize_per_channel_affine(x, scale, zero, 1, -128, 127))


def gradient_of_norm():
    x, dy, gamma = torch.randn(4, 8).half(), torch.randn(4, 8).half(), torch.randn(8).half()
    own = x.double().requires_grad_()
    weight = gamma.double().requires_grad_()
    rstd = 1 / (own.square().mean(-1, keepdim=True) + 1e-6).sqrt()
    (own * rstd * weight).backward(dy.double())
    dx, dgamma = torch_npu._npu_rms_norm_backward_quant(
        dy.npu(), x.npu(), rstd.float().detach().npu(), gamma.npu(), torch.tensor([0.05]).npu(), offset_x=torch.tensor([2], dtype=torch.int32).npu())
    close(dx, (own.grad / 0.05 + 2).round().clamp(-128, 127))
    near(dgamma, weight.grad, 1e-5)


def in_blocks():
    x1, x2 = torch.randn(3, 96).bfloat16(), torch.randn(3, 96).bfloat16()
    gamma, beta = torch.randn(96).bfloat16(), torch.randn(96).bfloat16()
    norm = lambda x: x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt() * gamma.double() + beta.double()
    y, scale, rstd = torch_npu.npu_rms_norm_dynamic_mx_quant(x1.npu(), gamma.npu(), beta=beta.npu())
    assert_blocks(y, scale, norm(x1.double()))
    both = x1.double() + x2.double()
    y, total, scale, rstd = torch_npu.npu_add_rms_norm_dynamic_mx_quant(x1.npu(), x2.npu(), gamma.npu(), beta=beta.npu(), dst_type=292)
    assert_blocks(y, scale, norm(both))
    near(total, both.bfloat16(), 0)

    x = torch.randn(70, 128).half()
    left, right = x.double().chunk(2, -1)
    silu = torch.nn.functional.silu
    y, scale = torch_npu.npu_swiglu_mx_quant(x.npu())
    assert_blocks(y, scale, silu(right) * left)
    y, scale = torch_npu.npu_swiglu_mx_quant(x.npu(), activate_left=True, axis=-2, dst_type=292, scale_alg=1)
    assert_columns(y, scale, silu(left) * right)
    y1, scale1, y2, scale2 = torch_npu.npu_swiglu_mx_quant_with_dual_axis(x.npu())
    assert_blocks(y1, scale1, silu(left) * right)
    assert_columns(y2, scale2, silu(left) * right)
    own, grad = x.double().requires_grad_(), torch.randn(70, 64).half()
    (silu(own[:, :64]) * own[:, 64:]).backward(grad.double())
    y1, scale1, y2, scale2 = torch_npu._npu_swiglu_backward_mx_quant_with_dual_axis(x.npu(), grad.npu())
    assert_blocks(y1, scale1, own.grad)
    assert_columns(y2, scale2, own.grad)

    x = torch.full((2, 512), 8.0).bfloat16()
    y, level0, level1 = torch_npu.npu_dynamic_dual_level_mx_quant(x.npu())
    near(level0.flatten(), torch.full((2,), 8 / 6))
    assert (level1.cpu().view(torch.uint8) == 127).all() and (y.cpu().view(torch.uint8) == 0x77).all()

    x = torch.randn(4, 64).bfloat16()
    turn = torch.linalg.qr(torch.randn(32, 32))[0].bfloat16()
    turned = (x.double().reshape(4, 2, 32) @ turn.double()).reshape(4, 64)
    y, scale = torch_npu.npu_rotate_quant(x.npu(), turn.npu())
    wanted = (turned.abs().amax(-1) / 127).float()
    near(scale.flatten(), wanted)
    close(y, (turned / wanted.double()[:, None]).round())
    y, scale = torch_npu.npu_rotate_quant(x.npu(), turn.npu(), dst_dtype=292)
    assert_blocks(y, scale, turned)

    y, scale = torch_npu.npu_dynamic_mx_quant(x.npu(), dst_type=E4M3)
    back = torch_npu.npu_anti_mx_quant(y, scale, dst_type=6)
    near(back, y.cpu().double() * powers(scale).flatten(-2).repeat_interleave(32, -1), 0)

    x = torch.randn(5, 40).bfloat16()
    y, most = torch_npu.npu_quant_max(x.npu(), torch.tensor([3.0]).npu(), dst_dtype=292)
    assert torch.equal(y.cpu().view(torch.uint8), (x.float() * 3).clamp(-448, 448).to(E4M3).view(torch.uint8))
    near(most, x.abs().max().reshape(1), 0)
    ends = torch.tensor([2, 2, 5])
    y, most = torch_npu.npu_quant_max(x.npu(), torch.tensor([3.0, 1, 0.5]).npu(), dst_dtype=292, group_list=ends.npu())
    near(most, torch.stack([x[:2].abs().max(), torch.tensor(0.0).bfloat16(), x[2:].abs().max()]), 0)

    out, scale = torch_npu.npu_kronecker_quant(x[:, :32].reshape(5, 2, 16).npu(), torch.eye(2).bfloat16().npu(), torch.eye(16).bfloat16().npu(), dst_dtype=296)
    assert_blocks(out, scale, x[:, :32].double())


def groups_of_gates():
    x = torch.randn(6, 256).bfloat16()
    a, b = x.double().chunk(2, -1)
    weight = torch.rand(6)
    h = torch.nn.functional.silu(a.clamp(max=1.5)) * b.clamp(-1.5, 1.5) * weight.double()[:, None]
    counts = torch.tensor([4, 2])
    y, scale, origin = torch_npu.npu_swiglu_group_quant(
        x.npu(), weight=weight.npu(), group_index=counts.npu(), dst_type=HIFLOAT8, quant_mode=3, clamp_limit=1.5, output_origin=True)
    wanted = torch.stack([h[:4].abs().max(), h[4:].abs().max()]) / 15
    near(scale.flatten(), wanted)
    near(origin, h.bfloat16(), 1e-2)
    own = x.double().requires_grad_()
    a, b = own.chunk(2, -1)
    factor = weight.double().requires_grad_()
    grad = torch.randn(6, 128).bfloat16()
    (torch.nn.functional.silu(a.clamp(max=1.5)) * b.clamp(-1.5, 1.5) * factor[:, None]).backward(grad.double())
    dx, dweight = torch_npu.npu_swiglu_group_quant_backward(
        grad.npu(), x.npu(), weight=weight.npu(), y_origin=origin, group_index=counts.npu(), clamp_limit=1.5)
    near(dx, own.grad.bfloat16(), 1e-2)
    near(dweight.flatten(), (grad.double() * origin.cpu().double()).sum(-1), 1e-4)


everywhere()
gradient_of_norm()
if os.environ.get("BELAY_SOC", "").startswith("Ascend950"):
    in_blocks()
    groups_of_gates()
