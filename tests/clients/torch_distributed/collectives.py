# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The collectives that move: every dtype, sizes on both sides of every boundary, at once and in the background."""
import torch
import torch.distributed as dist
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, expect, numbers, of_all, put, run

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.int8, torch.uint8)
DTYPES += (torch.int16, torch.bool, torch.float64) if IS_HCCL else (torch.float64,)
SIZES = (1, 7, 128, 1000, 16384, 65537)
LARGE = (1 << 20) + 3


def cases():
    for dtype in DTYPES:
        for count in SIZES:
            yield dtype, count
    yield torch.float32, LARGE
    yield torch.float16, LARGE


def empty(count, dtype):
    return torch.zeros(count, dtype=dtype, device=DEVICE)


def broadcast():
    for dtype, count in cases():
        for root in range(SIZE):
            x = put(numbers(RANK, count, dtype))
            dist.broadcast(x, root)
            expect(f"broadcast {dtype} {count} from {root}", x, numbers(root, count, dtype))


def all_gather():
    for dtype, count in cases():
        x, wanted = put(numbers(RANK, count, dtype, 1)), of_all(count, dtype, 1)
        parts = [empty(count, dtype) for _ in range(SIZE)]
        dist.all_gather(parts, x)
        expect(f"all_gather {dtype} {count}", parts, wanted)
        whole = empty(SIZE * count, dtype)
        dist.all_gather_into_tensor(whole, x)
        expect(f"all_gather_into_tensor {dtype} {count}", whole, torch.cat(wanted))


def all_gather_unequal():
    if not IS_HCCL:
        return
    for dtype in (torch.float32, torch.int64, torch.bfloat16):
        wanted = [numbers(rank, 5 + 3 * rank, dtype) for rank in range(SIZE)]
        parts = [empty(5 + 3 * rank, dtype) for rank in range(SIZE)]
        dist.all_gather(parts, put(wanted[RANK]))
        expect(f"all_gather unequal {dtype}", parts, wanted)


def gather_and_scatter():
    for dtype, count in cases():
        for root in {0, SIZE - 1}:
            wanted = of_all(count, dtype, 2)
            parts = [empty(count, dtype) for _ in range(SIZE)] if RANK == root else None
            dist.gather(put(numbers(RANK, count, dtype, 2)), parts, root)
            if RANK == root:
                expect(f"gather {dtype} {count} to {root}", parts, wanted)
            given = [put(part) for part in wanted] if RANK == root else None
            part = empty(count, dtype)
            dist.scatter(part, given, root)
            expect(f"scatter {dtype} {count} from {root}", part, wanted[RANK])


def all_to_all_equal():
    for dtype, count in cases():
        if count > 100000:
            count //= 4
        mine = put(numbers(RANK, SIZE * count, dtype, 3))
        got = empty(SIZE * count, dtype)
        dist.all_to_all_single(got, mine)
        wanted = [numbers(rank, SIZE * count, dtype, 3)[RANK * count:(RANK + 1) * count] for rank in range(SIZE)]
        expect(f"all_to_all_single {dtype} {count}", got, torch.cat(wanted))


def shares(sender, scale):
    """How much `sender` gives to each: nothing to some."""
    return [scale * ((sender + 2 * receiver) % 3) for receiver in range(SIZE)]


def all_to_all_unequal():
    for dtype in DTYPES:
        for scale in (1, 100, 5000):
            split = {rank: numbers(rank, sum(shares(rank, scale)), dtype, 4).split(shares(rank, scale))
                     for rank in range(SIZE)}
            wanted = [split[rank][RANK] for rank in range(SIZE)]
            got = empty(sum(map(len, wanted)), dtype)
            dist.all_to_all_single(got, put(torch.cat(split[RANK])), [len(part) for part in wanted],
                                   shares(RANK, scale))
            expect(f"all_to_all_single unequal {dtype} {scale}", got, torch.cat(wanted))
            if IS_HCCL:
                parts = [empty(len(part), dtype) for part in wanted]
                dist.all_to_all(parts, [put(part) for part in split[RANK]])
                expect(f"all_to_all {dtype} {scale}", parts, wanted)


def nothing():
    """Zero elements: the others take part all the same."""
    for dtype in (torch.float32, torch.int64):
        dist.broadcast(empty(0, dtype), 0)
        if not IS_HCCL:
            continue
        dist.all_reduce(empty(0, dtype))
        dist.all_gather_into_tensor(empty(0, dtype), empty(0, dtype))
        dist.all_to_all_single(empty(0, dtype), empty(0, dtype), [0] * SIZE, [0] * SIZE)
        got = empty(3 if RANK == SIZE - 1 else 0, dtype)
        sent = put(numbers(0, 3 if RANK == 0 else 0, dtype))
        dist.all_to_all_single(got, sent, [3 * (RANK == SIZE - 1 and rank == 0) for rank in range(SIZE)],
                               [3 * (RANK == 0 and rank == SIZE - 1) for rank in range(SIZE)])
        if RANK == SIZE - 1:
            expect("from the first to the last", got, numbers(0, 3, dtype))


def in_the_background():
    """Twenty at once: each result is its own, and waiting in another order changes nothing."""
    works, tensors = [], []
    for salt in range(20):
        tensors.append(put(numbers(RANK, 3000 + salt, torch.float32, salt)))
        works.append(dist.broadcast(tensors[-1], salt % SIZE, async_op=True))
    for work in reversed(works):
        work.wait()
    for salt, tensor in enumerate(tensors):
        expect(f"async broadcast {salt}", tensor, numbers(salt % SIZE, 3000 + salt, torch.float32, salt))
    assert all(work.is_completed() or not IS_HCCL for work in works)
    whole = empty(SIZE * 501, torch.int32)
    work = dist.all_gather_into_tensor(whole, put(numbers(RANK, 501, torch.int32)), async_op=True)
    work.wait()
    expect("async all_gather_into_tensor", whole, torch.cat(of_all(501, torch.int32)))


def shaped():
    """Tensors of several dims, and one that is not contiguous where PyTorch takes it."""
    rows = [numbers(rank, 24, torch.float32).view(2, 3, 4) for rank in range(SIZE)]
    parts = [torch.zeros(2, 3, 4, device=DEVICE) for _ in range(SIZE)]
    dist.all_gather(parts, put(rows[RANK]))
    expect("all_gather of a cube", parts, rows)
    whole = torch.zeros(SIZE * 2, 3, 4, device=DEVICE)
    dist.all_gather_into_tensor(whole, put(rows[RANK]))
    expect("all_gather_into_tensor of a cube", whole, torch.cat(rows))


def barriers():
    for _ in range(10):
        dist.barrier()
    dist.barrier(async_op=True).wait()


if __name__ == "__main__":
    run(broadcast, all_gather, all_gather_unequal, gather_and_scatter, all_to_all_equal, all_to_all_unequal, nothing,
        in_the_background, shaped, barriers)
