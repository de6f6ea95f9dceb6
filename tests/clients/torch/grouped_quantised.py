# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Products of INT8 and INT4 by groups as torch_npu calls them, beside loops in PyTorch on the CPU."""
import torch
import torch_npu

torch.manual_seed(2)
ROWS, DEPTH, COLUMNS, EXPERTS = 12, 64, 64, 3
counts = torch.tensor([5, 0, 6])
group_of = torch.repeat_interleave(torch.arange(EXPERTS), counts)
x = torch.randint(-128, 128, (ROWS, DEPTH), dtype=torch.int8)
weight = torch.randint(-128, 128, (EXPERTS, DEPTH, COLUMNS), dtype=torch.int8)
scale, token = torch.rand(EXPERTS, COLUMNS) / 500, torch.rand(ROWS)


def near(found, expected, loose):
    found = found.cpu()
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert torch.allclose(found.double(), expected.double(), atol=loose, rtol=loose), (found, expected)


def product(left, right):
    """Rows of groups, in DOUBLE; the others are 0."""
    out = torch.zeros(ROWS, right.shape[2], dtype=torch.double)
    for row, group in enumerate(group_of):
        out[row] = left[row].double() @ right[group].double()
    return out


sums = product(x, weight)
by_row = torch.zeros(ROWS, COLUMNS, dtype=torch.double)
by_row[: len(group_of)] = scale.double()[group_of]
(found,) = torch_npu.npu_grouped_matmul([x.npu()], [weight.npu()], group_list=counts.npu(), split_item=3, group_type=0,
                                        group_list_type=1, output_dtype=torch.int32)
assert torch.equal(found.cpu(), sums.int())
for dtype in (torch.float16, torch.bfloat16):
    (found,) = torch_npu.npu_grouped_matmul(
        [x.npu()], [weight.npu()], scale=[scale.bfloat16().npu() if dtype == torch.bfloat16 else scale.npu()],
        per_token_scale=[token.npu()], group_list=counts.cumsum(0).npu(), split_item=2, group_type=0, group_list_type=0,
        output_dtype=dtype)
    assert found.dtype == dtype
    near(found, sums * by_row * token.double()[:, None], 2e-2)

output, output_scale = torch_npu.npu_grouped_matmul_swiglu_quant(
    x.npu(), weight.npu(), counts.cumsum(0).npu(), scale.npu(), token.npu())[:2]
c = sums * by_row * token.double()[:, None]
s = torch.nn.functional.silu(c[:, : COLUMNS // 2]) * c[:, COLUMNS // 2:]
near(output_scale, s.abs().amax(1) / 127, 1e-5)
near(output.cpu().double() * output_scale.cpu().double()[:, None], s, float(s.abs().max()) / 200)
output, output_scale = torch_npu.npu_grouped_matmul_swiglu_quant_v2(
    x.npu(), [weight.npu()], [scale.npu()], token.npu(), counts.cumsum(0).npu())
near(output_scale, s.abs().amax(1) / 127, 1e-5)

index = torch.randint(0, 4, (ROWS,))
logit = torch.rand(ROWS)
found = torch_npu.npu_grouped_matmul_finalize_routing(
    x.npu(), weight.npu(), counts.npu(), scale=scale.npu(), pertoken_scale=token.npu(), logit=logit.npu(),
    row_index=index.npu(), output_bs=4)
expected = torch.zeros(4, COLUMNS, dtype=torch.double)
for row in range(len(group_of)):
    expected[index[row]] += logit[row].double() * c[row]
near(found, expected, 1e-4)

# Weights of 4 bits beside FLOAT16, eight to an INT32.
small = torch.randint(-8, 8, (DEPTH, COLUMNS), dtype=torch.int32)
packed = torch_npu.npu_convert_weight_to_int4pack(small.npu())
columns = torch.rand(COLUMNS).half() / 10
left = torch.randn(ROWS, DEPTH).half()
found = torch_npu.npu_weight_quant_batchmatmul(left.npu(), packed, columns.npu())
near(found, left.double() @ (small.double() * columns.double()), 2e-2)

# Products of INT4, eight to an INT32.
halves = torch.randint(-8, 8, (ROWS, DEPTH), dtype=torch.int32)
found = torch_npu.npu_quant_matmul(torch_npu.npu_convert_weight_to_int4pack(halves.npu()), packed, scale[0].npu(),
                                   pertoken_scale=token.npu(), output_dtype=torch.float16)
near(found, halves.double() @ small.double() * scale[0].double() * token.double()[:, None], 2e-2)

# Gradients of weights, which are added up by groups.
before, rows, gradients = torch.randn(EXPERTS, 16, 24), torch.randn(ROWS, 16).bfloat16(), torch.randn(ROWS, 24).bfloat16()
total = before.npu()
torch_npu.npu_grouped_matmul_add_(total, rows.npu(), gradients.npu(), counts.cumsum(0).npu(), transpose_x=True,
                                  transpose_weight=False, group_type=2)
expected = before.double()
for row, group in enumerate(group_of):
    expected[group] += torch.outer(rows[row].double(), gradients[row].double())
near(total, expected, 1e-4)

# Sums as floats.
whole = torch.randint(-1000, 1000, (ROWS, COLUMNS), dtype=torch.int32)
found = torch_npu.npu_dequant_bias(whole.npu(), scale[0].npu(), token.npu(), None, output_dtype=torch.float16)
near(found, whole.double() * scale[0].double() * token.double()[:, None], 2e-3)
