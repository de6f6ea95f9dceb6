# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Races between the programs of one launch that are planted in kernels, each of which is reported with the line of Python;
and kernels without any, of which nothing is said.

    BELAY_CHECK=report,race belay run python tests/clients/triton/races.py [NAME...]
"""
import os
import re
import sys
import tempfile

os.environ.setdefault("BELAY_CHECK", "report,race")
os.environ["PYTORCH_NO_NPU_MEMORY_CACHING"] = "1"

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from cases import DEVICE, case, drawn, line, main, near  # noqa: E402


def said(launch):
    """The reports about kernels on the standard error stream."""
    with tempfile.TemporaryFile("w+") as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            launch()
            torch.npu.synchronize()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return re.sub(r"\s+", " ", "".join(text for text in file if "belay check" in text).replace("belay check:", ""))


def races(kernel, mark, words, launch):
    text = said(launch)
    pattern = (rf"DC-026: {kernel.fn.__name__}: program \(\d+, 0, 0\) at races.py:{line(kernel, mark)} {words}, and nothing "
               "orders the two")
    assert re.search(pattern, text), text
    assert text.count("nothing orders") == 1, text


def is_silent(launch):
    text = said(launch)
    assert "nothing orders" not in text, text


@triton.jit
def total_kernel(x, out, N: tl.constexpr, ATOMIC: tl.constexpr):
    value = tl.sum(tl.load(x + tl.program_id(0) * N + tl.arange(0, N)))
    if ATOMIC:
        tl.atomic_add(out, value)
    else:
        tl.store(out, value)  # here


@case
def stores_to_one_place():
    x, out = torch.ones(4, 32), torch.zeros(1, device=DEVICE)
    races(total_kernel, "here", "stores byte 0 of pointer 1, which program .* has stored",
          lambda: total_kernel[(4,)](x.to(DEVICE), out, 32, False))


@case
def sums_by_atomic_operations():
    x, out = torch.ones(4, 32), torch.zeros(1, device=DEVICE)
    is_silent(lambda: total_kernel[(4,)](x.to(DEVICE), out, 32, True))
    near(out, torch.tensor([128.0]))


@triton.jit
def shift_kernel(x, out, count, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(x + at + 1, mask=at + 1 < count, other=0.0)
    tl.store(out + at, value, mask=at < count)  # here


@case
def shifts_in_place():
    x = drawn(100).to(DEVICE)
    races(shift_kernel, "here", "stores byte 128 of pointer 0, which program .* has loaded",
          lambda: shift_kernel[(4,)](x, x, 100, 32))


@case
def shifts_to_another_tensor():
    x = drawn(100)
    out = torch.zeros(100, device=DEVICE)
    is_silent(lambda: shift_kernel[(4,)](x.to(DEVICE), out, 100, 32))
    near(out, torch.cat([x[1:], torch.zeros(1)]))


@triton.jit
def columns_kernel(x, out, rows, step, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * 64 + tl.program_id(0) * step + tl.arange(0, C)[None, :]
    mask = (tl.arange(0, R) < rows)[:, None]
    tl.store(out + at, tl.load(x + at, mask=mask) * 2, mask=mask)  # here


@case
def columns_side_by_side():
    x = drawn(10, 64)
    out = torch.zeros(10, 64, device=DEVICE)
    is_silent(lambda: columns_kernel[(4,)](x.to(DEVICE), out, 10, 16, 16, 16))
    near(out, 2 * x)
    is_silent(lambda: columns_kernel[(4,)](out, out, 10, 16, 16, 16))
    near(out, 4 * x)


@case
def columns_that_overlap():
    x = drawn(10, 64).to(DEVICE)
    out = torch.zeros(10, 64, device=DEVICE)
    races(columns_kernel, "here", "stores byte 60 of pointer 1, which program .* has stored",
          lambda: columns_kernel[(4,)](x, out, 10, 15, 16, 16))


@triton.jit
def put_kernel(x, index, out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + tl.load(index + at), tl.load(x + at))  # here


@case
def scatters():
    x, out = drawn(32), torch.zeros(32, device=DEVICE)
    index = torch.randperm(32).int()
    is_silent(lambda: put_kernel[(4,)](x.to(DEVICE), index.to(DEVICE), out, 8))
    near(out, torch.zeros(32).index_put((index.long(),), x))
    index[30] = index[3]
    races(put_kernel, "here", f"stores byte {4 * index[3].item()} of pointer 2, which program .* has stored",
          lambda: put_kernel[(4,)](x.to(DEVICE), index.to(DEVICE), out, 8))


if __name__ == "__main__":
    sys.exit(main())
