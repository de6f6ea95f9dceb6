# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""npu_ffn: two products with an activation between them, of floats, INT8, and floats by INT8, by experts too."""
import torch
import torch_npu

torch.manual_seed(0)
F = torch.nn.functional
activations = {"relu": torch.relu, "gelu": F.gelu, "silu": F.silu, "fastgelu": lambda x: x * torch.sigmoid(1.702 * x)}
gates = {"reglu": torch.relu, "geglu": F.gelu, "swiglu": F.silu}


def layers(x, w1, w2, b1, b2, activation):
    h = x.double() @ w1.double() + b1.double()
    if activation in gates:
        a, g = h.chunk(2, -1)
        h = gates[activation](a) * g
    else:
        h = activations[activation](h)
    return h.to(x.dtype).double() @ w2.double() + b2.double()


for dtype, bound in ((torch.float16, 2e-3), (torch.bfloat16, 2e-2)):
    for activation in list(activations) + list(gates):
        width = 96 * (2 if activation in gates else 1)
        x, w1, w2 = torch.randn(2, 7, 32).to(dtype), torch.randn(32, width).to(dtype) / 6, torch.randn(96, 32).to(dtype) / 10
        b1, b2 = torch.randn(width), torch.randn(32)
        if dtype is torch.float16:
            b1, b2 = b1.half(), b2.half()
        got = torch_npu.npu_ffn(x.npu(), w1.npu(), w2.npu(), activation, bias1=b1.npu(), bias2=b2.npu())
        assert got.dtype is dtype
        torch.testing.assert_close(got.cpu().double(), layers(x, w1, w2, b1, b2, activation), rtol=bound, atol=bound * 4)

# By experts, whose rows are counted, or end.
x, w1, w2 = torch.randn(9, 32).half(), torch.randn(3, 32, 64).half() / 6, torch.randn(3, 64, 32).half() / 8
b1, b2 = torch.randn(3, 64).half(), torch.randn(3, 32).half()
parts = [layers(x[first:last], w1[e], w2[e], b1[e], b2[e], "silu") for e, (first, last) in enumerate(((0, 4), (4, 4), (4, 9)))]
for tokens in ({"expert_tokens": [4, 0, 5]}, {"expert_tokens_index": [4, 4, 9]}):
    got = torch_npu.npu_ffn(x.npu(), w1.npu(), w2.npu(), "silu", bias1=b1.npu(), bias2=b2.npu(), **tokens)
    torch.testing.assert_close(got.cpu().double(), torch.cat(parts), rtol=2e-3, atol=8e-3)

# INT8 with scales, whose numbers are exact here.
x, w1, w2 = (torch.randint(-9, 9, shape, dtype=torch.int8) for shape in ((5, 32), (32, 64), (64, 32)))
b1, b2 = torch.randint(-99, 99, (64,), dtype=torch.int32), torch.randint(-99, 99, (32,), dtype=torch.int32)
d1, d2 = torch.full((64,), 2.0 ** -4), torch.full((32,), 2.0 ** -3)
h = torch.relu((x.double() @ w1.double() + b1) * 2.0 ** -4).half().double()
q = torch.clamp(torch.round(h * 0.5 + 3), -128, 127)
expected = ((q @ w2.double() + b2) * 2.0 ** -3).half()
got = torch_npu.npu_ffn(x.npu(), w1.npu(), w2.npu(), "relu", bias1=b1.npu(), bias2=b2.npu(), scale=torch.tensor([0.5]).npu(),
                        offset=torch.tensor([3.0]).npu(), deq_scale1=d1.npu(), deq_scale2=d2.npu())
assert torch.equal(got.cpu(), expected)

# Floats by INT8 weights.
x, s1, s2 = torch.randn(5, 32).half(), torch.rand(64).half() / 40, torch.rand(32).half() / 60
o1, o2 = torch.randint(-3, 3, (64,)).half(), torch.randint(-3, 3, (32,)).half()
wide1, wide2 = (w1.double() + o1.double()) * s1.double(), (w2.double() + o2.double()) * s2.double()
got = torch_npu.npu_ffn(x.npu(), w1.npu(), w2.npu(), "gelu", antiquant_scale1=s1.npu(), antiquant_scale2=s2.npu(),
                        antiquant_offset1=o1.npu(), antiquant_offset2=o2.npu())
zero = torch.zeros(1)
torch.testing.assert_close(got.cpu().double(), layers(x, wide1, wide2, zero, zero, "gelu"), rtol=2e-3, atol=4e-3)
