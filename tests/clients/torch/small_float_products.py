# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Products of floats of 8 and 4 bits under Ascend950 as torch_npu calls them, beside DOUBLE on the CPU; the older
product refuses such floats."""
import os

import torch
import torch_npu

torch.manual_seed(3)
ROWS, DEPTH, COLUMNS, EXPERTS = 12, 256, 128, 3
E8M0 = 293


def near(found, expected, loose=1e-5):
    found = found.cpu().double()
    assert found.shape == expected.shape, (found.shape, expected.shape)
    size = float(expected.double().abs().max()) + 1e-30
    assert float((found - expected.double()).abs().max()) <= loose * size, (found, expected)


def powers(*shape):
    return torch.randint(120, 134, shape, dtype=torch.uint8)


def spread(scale, depth):
    """Pairs of powers of two of 32 steps of the dim before the last two, or the last but one, one for each step."""
    return torch.exp2(scale.double() - 127).flatten(-2).repeat_interleave(32, -1)[..., :depth]


def drawn(*shape, dtype=torch.float8_e4m3fn):
    return torch.randn(*shape).to(dtype)


def with_older_product():
    try:
        torch_npu.npu_quant_matmul(drawn(4, 32).npu(), drawn(32, 8).npu(), torch.ones(8).npu(), output_dtype=torch.float16)
    except RuntimeError as error:
        assert "FLOAT8" in str(error), error
    else:
        raise AssertionError("a product without floats of 8 bits multiplied some")


def matrices():
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        x, w = drawn(ROWS, DEPTH, dtype=dtype), drawn(DEPTH, COLUMNS, dtype=dtype)
        rows, columns = torch.rand(ROWS), torch.rand(COLUMNS)
        sums = x.double() @ w.double()
        found = torch_npu.npu_quant_matmul(x.npu(), w.npu(), columns.npu(), pertoken_scale=rows.npu(), output_dtype=torch.float32)
        near(found, sums * columns.double() * rows.double()[:, None])
        found = torch_npu.npu_quant_matmul(x.npu(), w.t().contiguous().npu().t(), columns.npu(), pertoken_scale=rows.npu(),
                                           output_dtype=torch.bfloat16)
        near(found, sums * columns.double() * rows.double()[:, None], 1e-2)
        sx, sw = powers(ROWS, DEPTH // 64, 2), powers(COLUMNS, DEPTH // 64, 2)
        found = torch_npu.npu_quant_matmul(x.npu(), w.t().contiguous().npu().t(), sw.npu().transpose(0, 1), pertoken_scale=sx.npu(),
                                           scale_dtype=E8M0, pertoken_scale_dtype=E8M0, group_sizes=[1, 1, 32],
                                           output_dtype=torch.float32)
        near(found, (x.double() * spread(sx, DEPTH)) @ (w.double() * spread(sw, DEPTH).t()))
        bx, bw = torch.rand(ROWS, DEPTH // 128), torch.rand(DEPTH // 128, COLUMNS // 128)
        found = torch_npu.npu_quant_matmul(x.npu(), w.npu(), bw.npu(), pertoken_scale=bx.npu(), group_sizes=[1, 128, 128],
                                           output_dtype=torch.bfloat16)
        wide = bw.double().repeat_interleave(128, 0).repeat_interleave(128, 1)
        near(found, (x.double() * bx.double().repeat_interleave(128, 1)) @ (w.double() * wide), 1e-2)


def groups():
    counts = torch.tensor([5, 0, 6])
    group_of = torch.repeat_interleave(torch.arange(EXPERTS), counts)
    x, w = drawn(ROWS, DEPTH), drawn(EXPERTS, DEPTH, COLUMNS)
    sx, sw = powers(ROWS, DEPTH // 64, 2), powers(EXPERTS, DEPTH // 64, COLUMNS, 2)
    left = x.double() * spread(sx, DEPTH)
    right = w.double() * spread(sw.transpose(1, 2).contiguous(), DEPTH).transpose(1, 2)
    c = torch.zeros(ROWS, COLUMNS, dtype=torch.double)
    for row, group in enumerate(group_of):
        c[row] = left[row] @ right[group]
    (found,) = torch_npu.npu_grouped_matmul(
        [x.npu()], [w.npu()], scale=[sw.npu()], per_token_scale=[sx.npu()], group_list=counts.npu(), split_item=3, group_type=0,
        group_list_type=1, output_dtype=torch.float32, scale_dtype=E8M0, per_token_scale_dtype=E8M0)
    near(found, c)
    found = torch_npu.npu_grouped_matmul_finalize_routing(
        x.npu(), w.npu(), counts.npu(), scale=sw.npu(), pertoken_scale=sx.npu(), logit=torch.ones(ROWS).npu(),
        row_index=torch.zeros(ROWS, dtype=torch.int64).npu(), output_bs=2, scale_dtype=E8M0, pertoken_scale_dtype=E8M0)
    near(found[0], c.sum(0))
    output, scale = torch_npu.npu_grouped_matmul_swiglu_quant_v2(
        x.npu(), [w.npu()], [sw.npu()], sx.npu(), counts.cumsum(0).npu(), dequant_mode=2, quant_mode=2,
        quant_dtype=292, weight_scale_dtype=E8M0, x_scale_dtype=E8M0)
    gated = torch.nn.functional.silu(c[:, : COLUMNS // 2]) * c[:, COLUMNS // 2:]
    made = output.cpu().double() * spread(scale.cpu().view(torch.uint8).reshape(ROWS, -1, 2), COLUMNS // 2)
    near(made, gated, 0.07)


def added():
    """Gradients of weights, added up."""
    x, w = drawn(DEPTH, ROWS), drawn(DEPTH, COLUMNS)
    before = torch.randn(ROWS, COLUMNS)
    sx, sw = powers(DEPTH // 64, ROWS, 2), powers(DEPTH // 64, COLUMNS, 2)
    left = x.double() * spread(sx.transpose(0, 1), DEPTH).t()
    right = w.double() * spread(sw.transpose(0, 1), DEPTH).t()
    for call in (torch_npu.npu_add_quant_matmul, torch_npu.npu_add_quant_matmul_):
        found = call(before.npu(), x.npu().t(), w.npu(), sw.npu(), x1_scale=sx.npu().transpose(0, 1), x1_scale_dtype=E8M0,
                     x2_scale_dtype=E8M0, group_sizes=[1, 1, 32])
        near(found, before.double() + left.t() @ right)
    before, groups = torch.randn(2, ROWS, COLUMNS), torch.tensor([64, 256])
    sx, sw = powers(DEPTH // 64 + 2, ROWS, 2), powers(DEPTH // 64 + 2, COLUMNS, 2)
    wanted = before.double()
    for group, (first, end) in enumerate(((0, 64), (64, 256))):
        start, count = first // 64 + group, end - first
        left = x[first:end].double() * spread(sx[start:start + count // 64].transpose(0, 1), count).t()
        right = w[first:end].double() * spread(sw[start:start + count // 64].transpose(0, 1), count).t()
        wanted[group] += left.t() @ right
    for call in (torch_npu.npu_add_quant_gmm, torch_npu.npu_add_quant_gmm_):
        near(call(before.npu(), x.npu(), w.npu(), sw.npu(), groups.npu(), x1_scale=sx.npu(), x1_scale_dtype=E8M0,
                  x2_scale_dtype=E8M0), wanted)


def batches():
    x, w = drawn(ROWS, 3, DEPTH), drawn(3, DEPTH, COLUMNS)
    rows, columns = torch.rand(ROWS), torch.rand(COLUMNS)
    found = torch_npu.npu_transpose_quant_batchmatmul(
        x.npu(), w.npu(), 15, x1_scale=rows.npu(), x2_scale=columns.npu(), perm_x1=[1, 0, 2], perm_x2=[0, 1, 2], perm_y=[1, 0, 2])
    wanted = torch.einsum("mbk,bkn->mbn", x.double(), w.double()) * columns.double() * rows.double()[:, None, None]
    near(found, wanted, 1e-2)


def whole():
    """Products of INT8 over a batch, added up."""
    x = torch.randint(-128, 128, (3, ROWS, DEPTH), dtype=torch.int8)
    w = torch.randint(-128, 128, (3, DEPTH, COLUMNS), dtype=torch.int8)
    rows, columns = torch.rand(3, ROWS), torch.rand(COLUMNS).bfloat16()
    weight = torch_npu.npu_format_cast(w.npu(), 29)
    found = torch_npu.npu_quant_matmul_reduce_sum(x.npu(), weight, x1_scale=rows.npu(), x2_scale=columns.npu())
    near(found, ((x.double() @ w.double()) * rows.double()[:, :, None]).sum(0) * columns.double(), 1e-2)


def fused():
    """Products of floats of which something is made before they are rounded."""
    x, w, bias, other = torch.randn(ROWS, DEPTH).half(), torch.randn(DEPTH, COLUMNS).half(), torch.randn(COLUMNS).half(), torch.randn(ROWS, COLUMNS).half()
    sums = x.double() @ w.double() + bias.double()
    makes = {"relu": torch.relu, "gelu_erf": torch.nn.functional.gelu, "16cast32": lambda v: v,
             "gelu_tanh": lambda v: torch.nn.functional.gelu(v, approximate="tanh"), "": lambda v: v}
    for name, make in makes.items():
        near(torch_npu.npu_fused_matmul(x.npu(), w.npu(), bias=bias.npu(), fused_op_type=name), make(sums), 1e-3)
    near(torch_npu.npu_fused_matmul(x.npu(), w.npu(), x3=other.npu(), fused_op_type="add"), x.double() @ w.double() + other.double(), 1e-3)


torch_npu.npu.config.allow_internal_format = True
if hasattr(torch_npu, "npu_fused_matmul"):
    fused()
if hasattr(torch_npu, "npu_quant_matmul_reduce_sum"):
    whole()
if "950" in os.environ.get("BELAY_SOC", ""):
    matrices()
    groups()
    if hasattr(torch_npu, "npu_add_quant_gmm"):
        added()
    if hasattr(torch_npu, "npu_transpose_quant_batchmatmul"):
        batches()
else:
    with_older_product()
