# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The collectives that compute: every operation and dtype, to the bit: a fold in the order of the ranks."""
import functools

import torch
import torch.distributed as dist
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, bits, expect, numbers, of_all, put, run

FLOATS = (torch.float32, torch.float16, torch.bfloat16)
DTYPES = FLOATS + (torch.int32, torch.int64, torch.int8) + ((torch.int16, torch.uint8) if IS_HCCL else (torch.uint8,))
SIZES = (1, 7, 1000, 16384, 16385, 65537)
LARGE = (1 << 20) + 3
OPERATIONS = ("SUM", "PRODUCT", "MAX", "MIN") + (("AVG",) if IS_HCCL else ())
FOLDS = {"SUM": torch.add, "AVG": torch.add, "PRODUCT": torch.mul, "MAX": torch.maximum, "MIN": torch.minimum}


def rounded(numbers, dtype):
    """From fp64, once: PyTorch goes to 16 bits by way of fp32, which must not be a tie that there was none."""
    near = numbers.float()
    if dtype in (torch.float16, torch.bfloat16):
        bits_of = near.view(torch.int32)
        is_exact = (near.double() == numbers) | ~near.isfinite()
        bits_of = bits_of - (near.double().abs() > numbers.abs()).int()
        near = torch.where(is_exact, near, (bits_of | 1).view(torch.float32))
    return near.to(dtype)


def folded(name, parts, dtype):
    """Rank after rank, floats in fp64, rounded once. Integers wrap."""
    wide = torch.float64 if dtype.is_floating_point else torch.int64
    total = functools.reduce(FOLDS[name], (part.to(wide) for part in parts))
    total = rounded(total, dtype) if dtype.is_floating_point else total.to(dtype)
    return total / SIZE if name == "AVG" else total


def tolerance(dtype):
    """The CPU's collectives fold in other orders; theirs only have to be near."""
    return None if IS_HCCL or not dtype.is_floating_point else {torch.float32: 1e-5}.get(dtype, 0.05)


def cases():
    for dtype in DTYPES:
        for name in OPERATIONS:
            if name == "AVG" and not dtype.is_floating_point:
                continue
            for count in SIZES:
                yield dtype, name, count
    for dtype in FLOATS:
        yield dtype, "SUM", LARGE
    yield torch.float32, "MAX", LARGE


def all_reduce():
    for dtype, name, count in cases():
        x = put(numbers(RANK, count, dtype))
        dist.all_reduce(x, getattr(dist.ReduceOp, name))
        expect(f"all_reduce {name} {dtype} {count}", x, folded(name, of_all(count, dtype), dtype), tolerance(dtype))


def reduce():
    for dtype, name, count in cases():
        if count not in (7, 16385) or dtype == torch.uint8 and IS_HCCL:
            continue
        for root in range(SIZE):
            mine = numbers(RANK, count, dtype, 1)
            x = put(mine)
            dist.reduce(x, root, getattr(dist.ReduceOp, name))
            if RANK == root:
                wanted = folded(name, of_all(count, dtype, 1), dtype)
                expect(f"reduce {name} {dtype} {count} to {root}", x, wanted, tolerance(dtype))


def reduce_scatter():
    for dtype, name, count in cases():
        if dtype == torch.uint8 and IS_HCCL or count > 100000 and SIZE > 4:
            continue
        mine = put(numbers(RANK, SIZE * count, dtype, 2))
        wanted = folded(name, [part.view(SIZE, count)[RANK] for part in of_all(SIZE * count, dtype, 2)], dtype)
        got = torch.zeros(count, dtype=dtype, device=DEVICE)
        dist.reduce_scatter_tensor(got, mine, getattr(dist.ReduceOp, name))
        expect(f"reduce_scatter_tensor {name} {dtype} {count}", got, wanted, tolerance(dtype))
        got = torch.zeros(count, dtype=dtype, device=DEVICE)
        dist.reduce_scatter(got, list(mine.chunk(SIZE)), getattr(dist.ReduceOp, name))
        expect(f"reduce_scatter {name} {dtype} {count}", got, wanted, tolerance(dtype))


def truths():
    """Of bools a sum is whether any is true."""
    if not IS_HCCL:
        return
    for name, wanted in (("SUM", torch.any), ("MAX", torch.any), ("MIN", torch.all), ("PRODUCT", torch.all)):
        x = put(numbers(RANK, 1000, torch.bool))
        dist.all_reduce(x, getattr(dist.ReduceOp, name))
        expect(f"all_reduce {name} of bools", x, wanted(torch.stack(of_all(1000, torch.bool)), 0))


def wrapping():
    if not IS_HCCL:
        return
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64):
        largest = torch.iinfo(dtype).max
        x = put(torch.full((100,), largest, dtype=dtype))
        dist.all_reduce(x)
        wanted = functools.reduce(torch.add, [torch.full((100,), largest, dtype=dtype)] * SIZE)
        expect(f"sum of the largest {dtype}", x, wanted)


def specials():
    """NaN and infinities arrive, and NaN wins."""
    if not IS_HCCL:
        return
    infinity, nan = float("inf"), float("nan")
    for dtype in FLOATS:
        mine = torch.tensor([nan if RANK == 0 else 1, infinity if RANK == SIZE - 1 else 2, -0.0, 3.0], dtype=dtype)
        for name in ("SUM", "MAX", "MIN", "PRODUCT"):
            x = put(mine)
            dist.all_reduce(x, getattr(dist.ReduceOp, name))
            got = x.cpu()
            expect(f"{name} {dtype} with a NaN", bool(got[0].isnan()), True)
            wanted = 2.0 if name == "MIN" and SIZE > 1 else infinity
            expect(f"{name} {dtype} with an infinity", got[1].item(), wanted)
    x = put(torch.tensor([3e38, 1e-45], dtype=torch.float32))
    dist.all_reduce(x)
    wanted = torch.tensor([3e38, 1e-45], dtype=torch.float32).double() * SIZE
    expect("sums that overflow, and denormal ones", x, wanted.float())


def the_same_again():
    """Whatever is cut into pieces, and however often: the same bits, in every rank."""
    for count in (1000, LARGE):
        x = numbers(RANK, count, torch.float32, 5)
        results = []
        for _ in range(3):
            y = put(x)
            dist.all_reduce(y)
            results.append(y)
        expect(f"again {count}", results[1:], [results[0].cpu()] * 2)
        whole = results[0].cpu()
        pieces = [put(piece) for piece in x.split(999)]
        for work in [dist.all_reduce(piece, async_op=True) for piece in pieces]:
            work.wait()
        expect(f"in pieces {count}", torch.cat(pieces), whole, None if IS_HCCL else 1e-5)
        checksum = put(bits(whole).long().sum().reshape(1))
        sums = [torch.zeros(1, dtype=torch.int64, device=DEVICE) for _ in range(SIZE)]
        dist.all_gather(sums, checksum)
        expect(f"in every rank {count}", sums, [checksum.cpu()] * SIZE)


def scaled():
    if not IS_HCCL:
        return
    x = put(numbers(RANK, 1000, torch.float32))
    dist.all_reduce(x, dist._make_nccl_premul_sum(0.5))
    parts = [part * 0.5 for part in of_all(1000, torch.float32)]
    expect("sum of scaled numbers", x, folded("SUM", parts, torch.float32))


def together():
    """Tensors of one call, which is one after the other or all at once."""
    tensors = [put(numbers(RANK, count, torch.float32, 7)) for count in (1, 50, 3000)]
    wanted = [folded("SUM", of_all(count, torch.float32, 7), torch.float32) for count in (1, 50, 3000)]
    for tensor in tensors:
        dist.all_reduce(tensor, async_op=True)
    dist.barrier()
    if IS_HCCL:
        torch.npu.synchronize()
    expect("all_reduce without a wait of its own", tensors, wanted, tolerance(torch.float32))


if __name__ == "__main__":
    run(all_reduce, reduce, reduce_scatter, truths, wrapping, specials, the_same_again, scaled, together)
