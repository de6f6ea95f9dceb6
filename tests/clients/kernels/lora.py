# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The kernels of vllm-ascend for adapters (LoRA), compiled by Belay's bisheng into the library that is named, beside
PyTorch: tokens by matrices that each token, or each request, chooses.

  belay run PYTHON lora.py LIBRARY
"""
import ctypes
import hashlib
import sys

import torch
import torch_npu  # noqa: F401

KINDS = {torch.float16: 0, torch.bfloat16: 1}
TOKENS, HIDDEN, ADAPTERS, FULL, OFFSET, PER_CORE = 13, 512, 3, 384, 128, 2
library = ctypes.CDLL(sys.argv[1])
digest = hashlib.sha256()
failed = 0


def kernel(name, *arguments):
    """The function of the host side, by the name that a compiler of C++ gives it."""
    short = f"{len(name) + 5}{name}_impl"
    tails = {"bgmv_expand": "PvS1_S1_S1_jS1_S1_jjjjjj", "bgmv_shrink": "PvS1_S1_S1_jS1_jjjjf",
             "sgmv_expand": "PvS1_S1_S1_jS1_jS1_S1_jjjjjj", "sgmv_shrink": "PvS1_S1_S1_jS1_jS1_jjjjf"}
    call = getattr(library, f"_ZN11vllm_ascend{short}ENS_10AscendTypeE{tails[name]}")
    call(*(ctypes.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor) else a for a in arguments))
    torch.npu.synchronize()


def number(value):
    return ctypes.c_uint32(value)


def compare(name, got, wanted, bound):
    global failed
    digest.update(got.cpu().view(torch.uint8).numpy().tobytes())
    off = (got.cpu().double() - wanted.double()).abs().max().item()
    failed += not off <= bound
    print(f"{name}: {'right' if off <= bound else f'{off} off, {bound} allowed'}", flush=True)


def tokens_choose(dtype, rank, by_request):
    x = torch.randn(TOKENS, HIDDEN).to(dtype)
    down = (torch.randn(ADAPTERS, 1, rank, HIDDEN) / HIDDEN ** 0.5).to(dtype)
    up = torch.randn(ADAPTERS, 1, FULL - OFFSET, rank).to(dtype)
    lengths = torch.tensor([4, 1, 6, 2])
    chosen = torch.tensor([2, 0, 1, 2]) if by_request else torch.randint(0, ADAPTERS, (TOKENS,))
    each = chosen.repeat_interleave(lengths) if by_request else chosen
    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    indices = chosen.npu()
    choice = (indices, number(len(chosen)))
    if by_request:
        choice += (lengths.npu(), number(len(lengths)))
    prefix, kind = "sgmv" if by_request else "bgmv", KINDS[dtype]
    what = f"{dtype} rank {rank}"

    small = torch.zeros(TOKENS, rank, device="npu")
    kernel(f"{prefix}_shrink", kind, stream, x.npu(), down.npu(), *choice, small, number(TOKENS), number(PER_CORE),
           number(HIDDEN), number(rank), ctypes.c_float(0.5))
    wanted = torch.einsum("th,trh->tr", x.double(), down[each, 0].double()) * 0.5
    compare(f"{prefix}_shrink {what}", small, wanted, 1e-5)

    before = torch.randn(TOKENS, FULL).to(dtype)
    y, rows = before.npu(), torch.randn(TOKENS, rank)
    kernel(f"{prefix}_expand", kind, stream, rows.npu(), up.npu(), *choice, y, y, number(TOKENS), number(PER_CORE),
           number(rank), number(FULL - OFFSET), number(OFFSET), number(FULL))
    wanted = before.double()
    wanted[:, OFFSET:] += torch.einsum("tr,tor->to", rows.double(), up[each, 0].double())
    compare(f"{prefix}_expand {what}", y, wanted, 0.05 if dtype == torch.float16 else 0.4)
    assert torch.equal(y.cpu()[:, :OFFSET], before[:, :OFFSET]), "the other slices changed"


torch.manual_seed(1)
for dtype in KINDS:
    for rank in (8, 16, 32, 64):
        for by_request in (False, True):
            tokens_choose(dtype, rank, by_request)
print(f"digest {digest.hexdigest()[:16]}")
print(f"{failed} failed")
sys.exit(failed > 0)
