# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Formats in blocks."""
from entry import NEWEST, entry, equal
import torch
import torch_npu

NZ = 29
torch.manual_seed(0)


def laid(x, wanted=NZ):
    torch.npu.config.allow_internal_format = True
    y = torch_npu.npu_format_cast(x.npu(), wanted)
    assert int(torch_npu.get_npu_format(y)) in (wanted, 50), torch_npu.get_npu_format(y)
    return y


def there_and_back():
    for dtype in torch.float16, torch.bfloat16, torch.float32, torch.int8:
        for shape in (3, 20), (16, 32), (2, 17, 33):
            x = torch.randint(0, 100, shape).to(dtype)
            y = laid(x)
            equal(torch_npu.npu_format_cast(y, 2), x)
            equal(y, x)


@entry("4 Identity", "casts to FRACTAL_NZ and back")
def by_identity():
    there_and_back()


@entry("4 NpuFormatCast", "casts to FRACTAL_NZ and back", NEWEST)
def by_function():
    there_and_back()


@entry("4 NC1HWC0", "casts to NC1HWC0 and back")
def channels():
    x = torch.randn(2, 35, 3, 5).half()
    equal(torch_npu.npu_format_cast(laid(x, 3), 2), x)


def products():
    x, w = torch.randn(5, 32).half(), torch.randn(48, 32).half()
    equal(torch.nn.functional.linear(x.npu(), laid(w)), torch.nn.functional.linear(x.float(), w.float()), 5e-3)
    equal(x.npu() @ laid(w.t().contiguous()), x.float() @ w.float().t(), 5e-3)


@entry("4 products", "linear and matmul on FRACTAL_NZ weights")
def products_910():
    products()


@entry("4 products, 950", "linear and matmul on FRACTAL_NZ weights", NEWEST)
def products_950():
    products()


@entry("4 grouped products", "GroupedMatmul on FRACTAL_NZ weights")
def grouped():
    x, w = torch.randn(6, 32).half(), torch.randn(2, 32, 48).half()
    found = torch_npu.npu_grouped_matmul([x.npu()], [laid(w)], group_list=torch.tensor([2, 6]).npu(), group_list_type=0, split_item=3,
                                         group_type=0, output_dtype=torch.float16)
    equal(found[0], torch.cat([x[:2].float() @ w[0].float(), x[2:].float() @ w[1].float()]), 5e-3)


def seen():
    x = torch.randn(40, 37).half()
    y = laid(x)
    assert repr(y.cpu()) == repr(x) and str(y).split("dtype")[0].split("device")[0] == str(x).split("dtype")[0]
    assert y.tolist() == x.tolist()


@entry("4 printed", "a tensor in blocks prints what it stands for")
def printed():
    seen()


@entry("4 printed, 950", "a tensor in blocks prints what it stands for", NEWEST)
def printed_950():
    seen()


PARTS = (slice(3, 5), slice(1, None), 0, 7, -1, slice(2, 3), slice(-1, None), (3, slice(2, 8)), (3, 5), (-1, -1))
ACROSS = ((slice(None), 5), (slice(None), slice(4, 9)), slice(None, None, 2))


def sliced(parts, shape=(40, 37)):
    for dtype in torch.float16, torch.float32, torch.int8:
        x = torch.randint(0, 100, shape).to(dtype)
        for part in parts:
            y = laid(x)[part]
            equal(y, x[part])
            assert y.tolist() == x[part].tolist() and repr(y.cpu()) == repr(x[part])


@entry("4 sliced", "rows, columns, their parts and elements: copied, printed, as lists")
def sliced_910():
    sliced(PARTS + ACROSS)


@entry("4 sliced, 950", "rows, their parts and elements: copied, printed, as lists", NEWEST)
def sliced_950():
    sliced(PARTS)
    sliced((0, 1, -1, (0, 2), (1, -1, slice(0, 4)), (2, 3, 4), slice(1, 3)), (3, 40, 37))
