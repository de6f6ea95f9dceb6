# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What was silently wrong, or hung."""
import ctypes
import threading

from entry import Functions, entry, equal, message_of
import torch
import torch_npu


@entry("1.1", "a refused operator by name leaves what is behind it right")
def poisoned():
    torch.npu.config.allow_internal_format = True
    try:
        torch_npu.npu_format_cast(torch.ones(32, 64, dtype=torch.float16).npu(), 29).cpu()
        torch_npu.npu_transpose(torch.ones(4).npu(), (5, 7))
        torch.npu.synchronize()
    except RuntimeError:
        pass
    for _ in range(3):
        equal(torch.ones(4).npu() + 1, [2.0] * 4)


@entry("1.2", "the checker's look at a NaN ends though another stream overwrites it", under="check")
def looked_for():
    x = torch.ones(1 << 22).npu()
    x[-1] = -1
    y, beside, ends = torch.zeros(1 << 22).npu(), torch.npu.Stream(), []
    torch.npu.synchronize()

    def overwrite():
        with torch.npu.stream(beside):
            while not ends:
                y.zero_()
                beside.synchronize()

    other = threading.Thread(target=overwrite, daemon=True)
    other.start()
    for _ in range(60):
        torch.log(x, out=y)
        torch.npu.current_stream().synchronize()
    ends.append(1)
    other.join()


def grouped(name):
    """y[0] over what the second group reads."""
    functions = Functions()
    for over in "x", "weight", "bias":
        x = [torch.ones(1, 4).half().npu(), torch.tensor([[100.0, 2, 3, 4]]).half().npu()]
        weight = [torch.tensor([[1.0, 2, 3, 4]] * 4).half().npu() / 4, torch.eye(4).half().npu()]
        bias = [torch.zeros(4).half().npu(), torch.zeros(4).half().npu()]
        wanted = (x[1] @ weight[1] + bias[1]).cpu()
        first = {"x": x[1], "weight": weight[1][:1], "bias": bias[1][None]}[over]
        y = [first, torch.zeros(1, 4).half().npu()]
        more = [None, None] if name.endswith("V5") else [None]
        lists = [functions.tensors(part) for part in (x, weight, bias)]
        status = functions.call(name, *lists, *[None] * 9, ctypes.c_int64(0), ctypes.c_int64(-1), ctypes.c_int64(0), ctypes.c_int64(0),
                                *more[1:], functions.tensors(y), None, None)
        assert status == 0, status
        equal(y[1], wanted)


@entry("1.3 GroupedMatmulV4", "y[0] over x[1], weight[1] or bias[1]")
def products_4():
    grouped("aclnnGroupedMatmulV4")


@entry("1.3 GroupedMatmulV5", "y[0] over x[1], weight[1] or bias[1]")
def products_5():
    grouped("aclnnGroupedMatmulV5")


@entry("1.3 EmbeddingBag", "maxIndices over weight")
def bags():
    functions = Functions()
    weight = torch.tensor([[7.0, 8], [3, 4]]).npu()
    indices, offsets = torch.tensor([1, 0], dtype=torch.int32).npu(), torch.tensor([0, 1], dtype=torch.int32).npu()
    output, groups, sizes = torch.zeros(2, 2).npu(), torch.zeros(2, dtype=torch.int32).npu(), torch.zeros(2, dtype=torch.int32).npu()
    largest = weight.view(torch.int32)
    arguments = [functions.tensor(part) for part in (weight, indices, offsets)]
    results = [functions.tensor(part) for part in (output, groups, sizes, largest)]
    status = functions.call("aclnnEmbeddingBag", *arguments, ctypes.c_bool(False), ctypes.c_int64(2), ctypes.c_bool(False), None,
                            ctypes.c_bool(False), ctypes.c_int64(-1), *results)
    assert status == 0, status
    equal(output, [[3.0, 4], [7, 8]])


@entry("1.3 BatchNormReduceBackward", "sumDy over invstd")
def moments():
    functions = Functions()
    dy, x = torch.tensor([[1.0, 10], [2, 20]]).npu()[:, :, None, None], torch.tensor([[3.0, 4], [5, 6]]).npu()[:, :, None, None]
    mean, invstd = torch.tensor([1.0, 2]).npu(), torch.tensor([0.5, 2.0]).npu()
    wanted = (((x - mean[None, :, None, None]) * dy).sum((0, 2, 3)) * invstd).cpu()
    products_sum, bias = torch.zeros(2).npu(), torch.zeros(2).npu()
    grad = torch.zeros(2).npu()
    given = [functions.tensor(part) for part in (dy, x, mean, invstd, torch.ones(2).npu())]
    results = [functions.tensor(part) for part in (invstd, products_sum, grad, bias)]
    flags = [ctypes.c_bool(True)] * 3
    status = functions.call("aclnnBatchNormReduceBackward", *given, *flags, *results)
    assert status == 0, status
    equal(grad, wanted, 1e-6)


@entry("1.4", "addr with beta 0 leaves self out")
def without_self():
    equal(torch.addr(torch.full((1, 2), float("nan")).npu(), torch.ones(1).npu(), torch.ones(2).npu(), beta=0), [[1.0, 1]])
    x = torch.full((1, 2), float("nan")).npu()
    equal(x.addr_(torch.ones(1).npu(), torch.ones(2).npu(), beta=0), [[1.0, 1]])


@entry("1.5", "rows of -1 are padding to npu_scatter_nd_update_, other rows out of range are told")
def padding():
    rows = torch.tensor([[0], [-1]]).npu()
    equal(torch_npu.npu_scatter_nd_update_(torch.zeros(4, 2).npu(), rows, torch.ones(2, 2).npu()), [[1.0, 1]] + [[0.0, 0]] * 3)
    assert "507035" in message_of(
        lambda: torch_npu.npu_scatter_nd_update_(torch.zeros(4, 2).npu(), torch.tensor([[4]]).npu(), torch.ones(1, 2).npu()))


@entry("1.6", "the second result of triangular_solve is the matrix")
def second_result():
    a = torch.tensor([[2.0, 3], [5, 7]])
    equal(torch.triangular_solve(torch.ones(2, 1).npu(), a.npu(), upper=True)[1], a)


@entry("1.7", "random_ of 16-bit floats stays below its end")
def below():
    torch.manual_seed(1)
    for dtype, end in (torch.float16, 32752), (torch.bfloat16, 1000):
        assert torch.empty(200000, dtype=dtype).npu().random_(0, end).max().item() < end


@entry("1.8", "a 16-bit tensor beside a Python float")
def scalars():
    for dtype in torch.float16, torch.bfloat16:
        x = torch.cat([torch.tensor([72.0625]), torch.linspace(-90, 90, 999)]).to(dtype)
        for s in 41.7022, 0.1, -3.1:
            equal(s - x.npu(), s - x)
            equal(torch.rsub(x.npu(), s), torch.rsub(x, s))
