# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What kernels in Triton cost, by the clock and the processor time of the process: a vector addition of 16M numbers beside
aclnnAdd, a product of 512 x 512 beside aclnnMm, in turn, once they agree; and Belay's own part of a launch, without
Triton's launcher. A line for each: medians, the least times in brackets, and how many times as long the kernel takes.

  belay run PYTHON bench/kernels.py [RUNS]        with the PyTorch and triton-ascend of docs/triton.md
"""
import ctypes
import sys
import time

import torch
import torch_npu  # noqa: F401
import triton
import triton.language as tl

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 15
COUNT, BLOCK, SIDE, LAUNCHES = 16 << 20, 1024, 512, 500


@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def product_kernel(a, b, c, SIDE: tl.constexpr, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for k in range(0, SIDE, DEPTH):
        depth = k + tl.arange(0, DEPTH)
        total += tl.dot(tl.load(a + row[:, None] * SIDE + depth[None, :]), tl.load(b + depth[:, None] * SIDE + column[None, :]))
    tl.store(c + row[:, None] * SIDE + column[None, :], total)


def compare(name, theirs, kernel, agree):
    theirs()
    kernel()
    assert agree(), f"the kernel gives other numbers than {name}"
    times = {theirs: ([], []), kernel: ([], [])}
    for _ in range(RUNS):
        for which, (clock, processor) in times.items():
            begun, used = time.perf_counter(), time.process_time()
            which()
            torch.npu.synchronize()
            clock.append(time.perf_counter() - begun)
            processor.append(time.process_time() - used)
    for what, i in ("clock", 0), ("processor", 1):
        a, b = (sorted(taken[i]) for taken in times.values())
        print(f"{what:<9} {name} {a[RUNS // 2] * 1e3:.2f} ms ({a[0] * 1e3:.2f}), kernel {b[RUNS // 2] * 1e3:.2f} ({b[0] * 1e3:.2f}): "
              f"{b[RUNS // 2] / a[RUNS // 2]:.2f} times ({b[0] / a[0]:.2f})", flush=True)


class Binary(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_uint32), ("version", ctypes.c_uint32), ("data", ctypes.c_char_p), ("length", ctypes.c_uint64)]


def launches(code, x, y, z):
    """One program, called as a launcher does, by an address of this process that stands for the kernel."""
    runtime, handle, stub = ctypes.CDLL("libruntime.so"), ctypes.c_void_p(), ctypes.create_string_buffer(8)
    assert runtime.rtDevBinaryRegister(ctypes.byref(Binary(0, 0, code, len(code))), ctypes.byref(handle)) == 0
    assert runtime.rtFunctionRegister(handle, stub, b"add_kernel", b"add_kernel", 0) == 0
    pointers = (ctypes.c_uint64 * 5)(0, 0, x.data_ptr(), y.data_ptr(), z.data_ptr())
    numbers = (ctypes.c_int32 * 4)(COUNT, 1, 1, 1)
    arguments = bytes(pointers) + bytes(numbers)
    stream, taken = ctypes.c_void_p(torch.npu.current_stream().npu_stream), []
    z.zero_()
    torch.npu.synchronize()  # torch_npu's queue would come behind the launch
    assert runtime.rtKernelLaunch(stub, 1, arguments, len(arguments), None, stream) == 0
    alone = torch.cat((x[:BLOCK] + y[:BLOCK], torch.zeros_like(z[BLOCK:])))
    assert torch.equal(z, alone), "one program gives other numbers"
    for _ in range(RUNS):
        begun = time.perf_counter()
        for _ in range(LAUNCHES):
            assert runtime.rtKernelLaunch(stub, 1, arguments, len(arguments), None, stream) == 0
        torch.npu.synchronize()
        taken.append((time.perf_counter() - begun) / LAUNCHES)
    print(f"launch {sorted(taken)[RUNS // 2] * 1e6:.2f} us (least {min(taken) * 1e6:.2f}), with one program of {BLOCK} numbers")


x, y = torch.rand(COUNT, device="npu"), torch.rand(COUNT, device="npu")
z, added = torch.empty_like(x), torch.empty_like(x)
compiled = add_kernel[(COUNT // BLOCK,)](x, y, z, COUNT, BLOCK=BLOCK)
compare("aclnnAdd", lambda: torch.add(x, y, out=added), lambda: add_kernel[(COUNT // BLOCK,)](x, y, z, COUNT, BLOCK=BLOCK),
        lambda: torch.equal(z.cpu(), added.cpu()))
a, b = torch.rand(SIDE, SIDE, device="npu"), torch.rand(SIDE, SIDE, device="npu")
c, product = torch.empty_like(a), torch.empty_like(a)
compare("aclnnMm", lambda: torch.mm(a, b, out=product),
        lambda: product_kernel[(SIDE // 64, SIDE // 64)](a, b, c, SIDE=SIDE, TILE=64, DEPTH=64),
        lambda: torch.allclose(c.cpu(), product.cpu(), rtol=1e-4))
launches(compiled.asm["npubin"], x, y, z)
