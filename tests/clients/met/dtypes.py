# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Dtypes and shapes that a device takes."""
from entry import NEWEST, Functions, entry, equal
import torch
import torch.nn.functional as F
import torch_npu

torch.manual_seed(2)
Z, W = torch.randn(4, 4, dtype=torch.complex64), torch.randn(4, 4, dtype=torch.complex64)


def both(function, *inputs, tolerance=0.0):
    equal(function(*[x.npu() for x in inputs]), function(*inputs), tolerance)


@entry("6 nearest of UINT8", "nearest and nearest-exact, 1d and 2d")
def bytes_near():
    for shape in (2, 3, 7), (2, 3, 5, 6):
        x = torch.randint(0, 256, shape, dtype=torch.uint8)
        for mode in "nearest", "nearest-exact":
            both(lambda x, m=mode: F.interpolate(x, scale_factor=1.5, mode=m), x)


@entry("6 nearest of DOUBLE", "1d, 2d, 3d")
def doubles_near():
    for shape in (2, 3, 7), (2, 3, 5, 6), (1, 2, 3, 4, 5):
        both(lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), torch.randn(shape, dtype=torch.float64))


@entry("6 DOUBLE", "trilinear, AdaptiveMaxPool2d")
def doubles():
    both(lambda x: F.interpolate(x, scale_factor=1.7, mode="trilinear"), torch.randn(1, 2, 3, 4, 5, dtype=torch.float64), tolerance=1e-12)
    both(lambda x: F.adaptive_max_pool2d(x, (2, 3)), torch.randn(1, 2, 4, 6, dtype=torch.float64))


@entry("6 complex powers", "z ** 2, pow(z, w), 1 - z")
def powers():
    both(lambda z, w: z**2, Z, W, tolerance=1e-5)
    both(torch.pow, Z, W, tolerance=1e-4)
    both(lambda z: 1 - z, Z)


@entry("6 complex tanh, matmul", "of COMPLEX64")
def complex_more():
    both(torch.tanh, Z, tolerance=1e-5)
    both(torch.matmul, Z, W, tolerance=1e-5)


@entry("6 complex index", "COMPLEX64 indexed by integers")
def complex_index():
    both(lambda z, i: z[i], Z, torch.tensor([3, 0, 3]))


@entry("6 complex qr", "linalg.qr of COMPLEX64")
def complex_qr():
    q, r = (part.cpu() for part in torch.linalg.qr(Z.npu()))
    equal(q @ r, Z, 1e-5)
    equal(q.mH @ q, torch.eye(4, dtype=torch.complex64), 1e-5)
    equal(r, r.triu())


@entry("6 Addmv", "of integers and DOUBLE")
def vectors():
    both(torch.addmv, torch.tensor([1, 2]), torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([1, 0, 2]))
    both(torch.addmv, torch.ones(2).double(), torch.ones(2, 3).double(), torch.ones(3).double())


@entry("6 Addr of BOOL", "with INT64 alpha and beta")
def truths():
    both(torch.addr, torch.tensor([[True, False]]), torch.tensor([True]), torch.tensor([False, True]))


@entry("6 AddRelu", "of integers")
def clipped():
    both(torch._VF._add_relu, torch.tensor([-3, 4]), torch.tensor([1, 2]))


@entry("6 LeftShift", "of UINT64")
def shifted():
    functions, x = Functions(), torch.tensor([1, 3, 5]).npu()
    by, out = torch.tensor([1, 2, 3]).npu(), torch.zeros(3, dtype=torch.int64).npu()
    functions.codes[torch.int64] = 10  # UINT64
    tensors = [functions.tensor(part) for part in (x, by, out)]
    assert functions.call("aclnnLeftShift", *tensors) == 0
    equal(out, [2, 12, 40])


@entry("6 dynamic_quant", "to INT4")
def quantised():
    y, scale = torch_npu.npu_dynamic_quant(torch.tensor([[7.0, -3.5, 1, 0, 2, 3, 4, 5]]).half().npu(), dst_type=torch.quint4x2)
    equal(scale, [1.0], 1e-3)
    equal(y, [[0x543201C7]])  # -3.5 is -4, and the first number has the lowest bits


@entry("6 moe_gating_top_k_softmax", "of 5,120 columns")
def gated():
    x = torch.randn(2, 5120)
    found = torch_npu.npu_moe_gating_top_k_softmax(x.npu(), None, 2)[0]
    equal(found, x.softmax(1).topk(2)[0], 1e-5)


@entry("6 FLOAT8", "conversions, copies, clones, cat, index, under Ascend950", NEWEST)
def eights():
    for dtype in torch.float8_e4m3fn, torch.float8_e5m2:
        x = torch.tensor([0.3, -1.7, 100]).npu().to(dtype)
        equal(x.float(), [0.3125, -1.75, 96])
        equal(torch.cat([x, x.clone()])[torch.tensor([5, 0]).npu()].float(), [96.0, 0.3125])


@entry("6 pad", "F.pad(ones(5, 3), [-1, -2, 1, 1]) is [7, 0]")
def cropped():
    assert F.pad(torch.ones(5, 3).npu(), [-1, -2, 1, 1]).shape == (7, 0)


@entry("6 gather", "an empty index of another rank")
def gathered():
    assert torch.gather(torch.ones(2, 3).npu(), 0, torch.empty(0, dtype=torch.int64).npu()).shape == (0,)


@entry("6 unfold", "the gradient of unfold of a 0-d tensor")
def unfolded():
    x = torch.tensor(2.0).npu().requires_grad_()
    x.unfold(0, 1, 1).sum().backward()
    equal(x.grad, torch.tensor(1.0))


@entry("6 multilabel_margin_loss", "of 0-d tensors")
def margins():
    both(F.multilabel_margin_loss, torch.tensor(0.5), torch.tensor(0))


@entry("6 coalesce", "coalesce, torch.sparse.sum, a step of Embedding(sparse=True)")
def coalesced():
    x = torch.sparse_coo_tensor(torch.tensor([[1, 0, 1]]).npu(), torch.tensor([1.0, 2, 4]).npu(), (3,))
    equal(x.coalesce().values(), [2.0, 5])
    equal(torch.sparse.sum(x), torch.tensor(7.0))
    table = torch.nn.Embedding(4, 2, sparse=True).npu()
    before = table.weight.detach().cpu()
    table(torch.tensor([1, 1, 3]).npu()).sum().backward()
    torch.optim.SGD(table.parameters(), lr=0.5).step()
    equal(table.weight.detach(), before - torch.tensor([[0.0], [1], [0], [0.5]]), 1e-6)


@entry("6 names", "Diag, CoalesceSparse, Einsum, Flatten, Heaviside, MaxN, MaxV2, MinN, Qr, Real")
def names():
    import ctypes
    library = ctypes.CDLL("libopapi.so")
    for name in "Diag", "CoalesceSparse", "Einsum", "Flatten", "Heaviside", "MaxN", "MaxV2", "MinN", "Qr", "Real":
        getattr(library, f"aclnn{name}GetWorkspaceSize")


@entry("6 quantize_per_tensor", "beside the CPU")
def by_tensor():
    x = torch.randn(9)
    found = torch.quantize_per_tensor(x.npu(), 0.1, 3, torch.qint8)
    equal(found.int_repr() if found.is_quantized else found, torch.quantize_per_tensor(x, 0.1, 3, torch.qint8).int_repr())
