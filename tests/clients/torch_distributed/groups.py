# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Several groups: parts of the ranks, all kinds at once, from threads of their own; and objects."""
import threading

import torch
import torch.distributed as dist
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, expect, numbers, put, refused, run


def total(ranks, count, salt):
    return sum(numbers(rank, count, torch.int64, salt) for rank in ranks)


def check(group, ranks, salt, what):
    x = put(numbers(RANK, 321, torch.int64, salt))
    dist.all_reduce(x, group=group)
    expect(what, x, total(ranks, 321, salt))


def halves():
    """Ranks of even and of odd numbers, and all of them, by turns."""
    members = [[rank for rank in range(SIZE) if rank % 2 == odd] for odd in (0, 1)]
    groups = [dist.new_group(ranks) if ranks else None for ranks in members]
    mine, ranks = groups[RANK % 2], members[RANK % 2]
    for turn in range(10):
        check(mine, ranks, turn, f"half, turn {turn}")
        check(None, range(SIZE), turn, f"all, turn {turn}")
    got = [torch.zeros(9, dtype=torch.int64, device=DEVICE) for _ in ranks]
    dist.all_gather(got, put(numbers(RANK, 9, torch.int64)), group=mine)
    expect("all_gather of a half", got, [numbers(rank, 9, torch.int64) for rank in ranks])
    x = put(numbers(RANK, 9, torch.int64))
    dist.broadcast(x, ranks[-1], group=mine)
    expect("broadcast in a half", x, numbers(ranks[-1], 9, torch.int64))
    dist.destroy_process_group(mine)


def every_pair():
    for first in range(min(SIZE, 4)):
        for second in range(first + 1, min(SIZE, 4)):
            group = dist.new_group([first, second])
            if RANK in (first, second):
                check(group, (first, second), first * 8 + second, f"pair {first} {second}")
            else:
                expect("not in the pair", group, dist.GroupMember.NON_GROUP_MEMBER)


def overlapping_at_once():
    """Collectives of five groups are under way together; each rank waits for them in its own order."""
    groups = [dist.new_group() for _ in range(5)]
    tensors = [put(numbers(RANK, 20000 + place, torch.int64, place)) for place in range(5)]
    works = [dist.all_reduce(x, group=group, async_op=True) for x, group in zip(tensors, groups)]
    for place in [(RANK + step) % 5 for step in range(5)]:
        works[place].wait()
    for place, x in enumerate(tensors):
        expect(f"group {place} of five", x, total(range(SIZE), 20000 + place, place))


def threads():
    """A thread for each group."""
    groups = [dist.new_group() for _ in range(3)]
    results, errors = {}, []

    def work(place):
        try:
            if IS_HCCL:
                torch.npu.set_device(torch.npu.current_device())
                torch.npu.set_stream(torch.npu.Stream())
            for turn in range(20):
                x = put(numbers(RANK, 1000, torch.int64, place * 100 + turn))
                dist.all_reduce(x, group=groups[place])
                results[place, turn] = x.cpu()
        except BaseException as error:  # pylint: disable=broad-except
            errors.append(error)

    started = [threading.Thread(target=work, args=(place,)) for place in range(3)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    expect("errors of threads", errors, [])
    for (place, turn), x in results.items():
        expect(f"thread {place}, turn {turn}", x, total(range(SIZE), 1000, place * 100 + turn))


def many():
    """Groups that come and go."""
    for turn in range(12):
        group = dist.new_group()
        check(group, range(SIZE), turn, f"group {turn}")
        dist.barrier(group=group)
        dist.destroy_process_group(group)


def objects():
    mine = {"rank": RANK, "text": "x" * (10 + 1000 * RANK), "list": list(range(RANK))}
    wanted = [{"rank": rank, "text": "x" * (10 + 1000 * rank), "list": list(range(rank))} for rank in range(SIZE)]
    got = [None] * SIZE
    dist.all_gather_object(got, mine)
    expect("all_gather_object", got, wanted)
    for root in {0, SIZE - 1}:
        got = [None] * SIZE if RANK == root else None
        dist.gather_object(mine, got, root)
        expect("gather_object", got, wanted if RANK == root else None)
        got = [mine, RANK, None]
        dist.broadcast_object_list(got, root)
        expect("broadcast_object_list", got, [wanted[root], root, None])
        got = [None]
        dist.scatter_object_list(got, wanted if RANK == root else None, root)
        expect("scatter_object_list", got, [wanted[RANK]])


def mistakes():
    """What PyTorch refuses before anything is queued, after which everything goes on."""
    refused("of no group", lambda: dist.broadcast(torch.ones(3, device=DEVICE), 0, group="another"))
    if IS_HCCL:
        refused("a tensor of the CPU", lambda: dist.all_reduce(torch.ones(3)))
    check(None, range(SIZE), 3, "after mistakes")


if __name__ == "__main__":
    run(halves, every_pair, overlapping_at_once, threads, many, objects, mistakes)
