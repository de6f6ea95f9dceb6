# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Mistakes that are planted in kernels, each of which is found, with the kernel, the program and the line of Python; and
what is refused, with what it is.

    belay run python tests/clients/triton/mistakes.py [NAME...]
"""
import os
import sys

os.environ["PYTORCH_NO_NPU_MEMORY_CACHING"] = "1"  # a block for each tensor, which an overrun leaves

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from cases import DEVICE, case, drawn, line, main, near, refused  # noqa: E402

FAR = 1 << 12


def found(kernel, mark, words, launch):
    """The next synchronisation tells it; the work behind it runs as ever."""
    refused(rf"{kernel.fn.__name__}: program \(\d+, \d+, \d+\) at mistakes.py:{line(kernel, mark)} {words}", launch)
    near(torch.ones(3, device=DEVICE) + 1, torch.full((3,), 2.0))


@triton.jit
def copy_kernel(x, out, count, shift, MASKED: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if MASKED:
        value = tl.load(x + at + shift, mask=at < count)
        tl.store(out + at + shift, value, mask=at < count)
    else:
        value = tl.load(x + at + shift)  # the load
        tl.store(out + at, value)  # the store


def copies(count, size, shift=0, masked=False):
    x, out = torch.zeros(count, device=DEVICE), torch.zeros(size, device=DEVICE)
    return lambda: copy_kernel[(4,)](x, out, count, shift, MASKED=masked, BLOCK=FAR)


@case
def loads_without_a_mask():
    found(copy_kernel, "the load", "loads within bytes .* of pointer 0", copies(4 * FAR - 16, 4 * FAR))


@case
def stores_without_a_mask():
    found(copy_kernel, "the store", "stores within bytes .* of pointer 1", copies(4 * FAR, 4 * FAR - 16))


@case
def loads_before_the_tensor():
    found(copy_kernel, "the load", "loads within bytes -4 to .* of pointer 0", copies(4 * FAR, 4 * FAR, -1))


@case
def masks_are_respected():
    copies(FAR - 5, FAR - 5, 0, True)()
    torch.npu.synchronize()


@triton.jit
def pick_kernel(x, index, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    place = tl.load(index + at)
    tl.store(out + at, tl.load(x + place))  # here


@triton.jit
def put_kernel(x, index, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + tl.load(index + at), tl.load(x + at))  # here


@triton.jit
def add_at_kernel(x, index, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(index + at), tl.load(x + at))  # here


def indexed(kernel, words):
    x, out = drawn(32).to(DEVICE), torch.zeros(32, device=DEVICE)
    for place in (1 << 28, -(1 << 20)):
        index = torch.arange(32, dtype=torch.int32)
        index[7] = place
        index = index.to(DEVICE)
        found(kernel, "here", words, lambda: kernel[(1,)](x, index, out, BLOCK=32))


@case
def gathers_beyond_the_tensor():
    indexed(pick_kernel, "loads 4 bytes at byte -?\\d+ of pointer 0")


@case
def scatters_beyond_the_tensor():
    indexed(put_kernel, "stores 4 bytes at byte -?\\d+ of pointer 2")


@case
def atomics_beyond_the_tensor():
    indexed(add_at_kernel, "stores 4 bytes at byte -?\\d+ of pointer 2")


@case
def gathers_whose_mask_knows_better():
    x, out = drawn(32), torch.zeros(32, device=DEVICE)
    index = torch.arange(32, dtype=torch.int32)
    index[7], index[9] = 1 << 28, -1
    pick_where_kernel[(1,)](x.to(DEVICE), index.to(DEVICE), out, 32, BLOCK=32)
    wanted = x.clone()
    wanted[7] = wanted[9] = -5
    near(out, wanted)


@triton.jit
def pick_where_kernel(x, index, out, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    place = tl.load(index + at)
    tl.store(out + at, tl.load(x + place, mask=(place >= 0) & (place < count), other=-5.0))


@triton.jit
def window_kernel(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    block = tl.make_block_ptr(x, shape=(rows, columns), strides=(columns, 1), offsets=(0, 0), block_shape=(R, C),
                              order=(1, 0))
    value = tl.load(block)  # here
    tl.store(out + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :], value)


@case
def windows_without_a_check():
    x, out = torch.zeros(1000, 1000, device=DEVICE), torch.zeros(1024, 1024, device=DEVICE)
    found(window_kernel, "here", "loads within bytes", lambda: window_kernel[(1,)](x, out, 1000, 1000, 1024, 1024))


@triton.jit
def one_kernel(x, out, at):
    tl.store(out + tl.program_id(0), tl.load(x + at) + 1)  # here


@case
def single_elements():
    x, out = torch.zeros(8, device=DEVICE), torch.zeros(8, device=DEVICE)
    found(one_kernel, "here", "loads 4 bytes at byte 4000000 of pointer 0",
          lambda: one_kernel[(1,)](x, out, 1000000))


@case
def more_programs_than_elements():
    x, out = torch.zeros(8, device=DEVICE), torch.zeros(8, device=DEVICE)
    found(one_kernel, "here", "stores 4 bytes at byte", lambda: one_kernel[(60000,)](x, out, 1))


@triton.jit
def none_kernel(x, out):
    tl.store(out, tl.load(x))  # here


@case
def pointers_that_are_null():
    out = torch.zeros(8, device=DEVICE)
    empty = torch.empty(0, device=DEVICE)
    found(none_kernel, "here", "loads through pointer 0, which is NULL", lambda: none_kernel[(1,)](empty, out))


@triton.jit
def table_kernel(table, out, N: tl.constexpr):
    source = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.store(out + tl.arange(0, N), tl.load(source + tl.arange(0, N)))  # here


@case
def addresses_of_nothing():
    out = torch.zeros(8, device=DEVICE)
    x = torch.zeros(4, device=DEVICE)
    table = torch.tensor([x.data_ptr() + (1 << 20)], dtype=torch.int64).to(DEVICE)
    found(table_kernel, "here", "loads .* the address", lambda: table_kernel[(1,)](table, out, 8))


@triton.jit
def assert_kernel(x, N: tl.constexpr):
    value = tl.load(x + tl.program_id(0) * N + tl.arange(0, N))
    tl.device_assert(value > 0, "positive numbers are expected")  # here


@case
def assertions():
    x = torch.ones(4, 8)
    assert_kernel[(4,)](x.to(DEVICE), 8, debug=True)
    torch.npu.synchronize()
    x[2, 3] = -1
    x = x.to(DEVICE)
    found(assert_kernel, "here", "finds that an assertion does not hold for element 3 of dim 0: positive numbers",
          lambda: assert_kernel[(4,)](x, 8, debug=True))


@triton.jit
def device_memory_kernel(x, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.load(x + tl.arange(0, N)))


@case
def tensors_of_the_host():
    out = torch.zeros(8, device=DEVICE)
    x = torch.zeros(8)
    refused("pointer 0 of kernel device_memory_kernel.* device memory is expected",
            lambda: device_memory_kernel[(1,)](x, out, 8))


if __name__ == "__main__":
    sys.exit(main())
