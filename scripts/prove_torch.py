#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Judges PyTorch's CPU operators over the inputs of the proof, by the same judge; needs PyTorch.

scripts/prove_torch.py LIBRARY [--stride N] [--tuples N] [--report FILE]
LIBRARY is libnumerics_peer.so of a build of this project.
"""
import argparse
import ctypes
import sys
import time

BLOCK = 65536
STEMS = ("hardswish_backward", "leaky_relu_backward", "silu_backward", "smooth_l1_loss_backward")


def operator(torch, stem, gradient, self, target, slope, beta):
    """PyTorch's own name for each operator, reduction none."""
    aten = torch.ops.aten
    if stem == "hardswish_backward":
        return aten.hardswish_backward(gradient, self)
    if stem == "leaky_relu_backward":
        return aten.leaky_relu_backward(gradient, self, slope, False)
    if stem == "silu_backward":
        return aten.silu_backward(gradient, self)
    return aten.smooth_l1_loss_backward(gradient, self, target, 0, beta)


def load(path):
    library = ctypes.CDLL(path)
    u64, pointer = ctypes.c_uint64, ctypes.c_void_p
    library.peer_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p, u64, u64]
    library.peer_blocks.argtypes, library.peer_blocks.restype = [ctypes.c_int], u64
    library.peer_fill.argtypes = [ctypes.c_int, u64, pointer, pointer, pointer]
    library.peer_attributes.argtypes = [ctypes.c_int, u64, pointer, pointer, pointer]
    library.peer_judge.argtypes = [ctypes.c_int, u64, pointer, pointer, pointer, pointer]
    library.peer_print.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
    return library


def prove(torch, library, stem, name, dtype, choices, say):
    arrays = [torch.zeros(BLOCK, dtype=dtype) for _ in range(3)]
    address = [array.data_ptr() for array in arrays]
    slope, beta, divisor = ctypes.c_double(), ctypes.c_double(), ctypes.c_uint64()
    sweeps = library.peer_open(stem.encode(), name.encode(), choices.stride, choices.tuples)
    for i in range(sweeps):
        blocks = library.peer_blocks(i)
        begun, tried = time.monotonic(), 0
        for n in range(blocks):
            attributes = [ctypes.byref(value) for value in (slope, beta, divisor)]
            library.peer_attributes(i, n, *attributes)
            # Its mean divides by the size of the tensor, which is not the N of these sweeps.
            if divisor.value != 1:
                continue
            library.peer_fill(i, n, *address)
            result = operator(torch, stem, *arrays, slope.value, beta.value).contiguous()
            library.peer_judge(i, n, *address, result.data_ptr())
            tried += 1
            if sys.stderr.isatty() and n % 64 == 0:
                left = (time.monotonic() - begun) * (blocks - n) / (n + 1)
                print(f"\r\033[K{stem} {name} {i + 1}/{sweeps}: {100 * n // blocks} %, "
                      f"about {left:.0f} s left", end="", file=sys.stderr, flush=True)
        if tried == 0:
            continue
        text = ctypes.create_string_buffer(1000)
        library.peer_print(i, text, len(text))
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        say(text.value.decode())


def main():
    parser = argparse.ArgumentParser(description="Judges PyTorch's CPU operators.")
    parser.add_argument("library")
    parser.add_argument("--stride", type=int, default=1, help="of the pairs and lines, one block in so many")
    parser.add_argument("--tuples", type=lambda text: int(float(text)), default=10**7, help="random tuples")
    parser.add_argument("--operator", choices=STEMS, action="append")
    parser.add_argument("--report", help="write the lines to this file too")
    choices = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("prove_torch.py: PyTorch is not installed")
    torch.set_num_threads(1)
    torch.set_flush_denormal(False)
    library = load(choices.library)
    report = open(choices.report, "w", encoding="utf-8") if choices.report else None

    def say(line):
        print(line, flush=True)
        if report:
            print(line, file=report, flush=True)

    say(f"PyTorch {torch.__version__}, CPU, {torch.backends.cpu.get_cpu_capability()}")
    dtypes = (("fp32", torch.float32), ("fp16", torch.float16), ("bf16", torch.bfloat16))
    for stem in choices.operator or STEMS:
        for name, dtype in dtypes:
            prove(torch, library, stem, name, dtype, choices, say)


if __name__ == "__main__":
    main()
