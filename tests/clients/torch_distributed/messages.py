# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""From one rank to another: send, recv, isend, irecv, and batches of them in any order."""
import torch
import torch.distributed as dist
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, expect, numbers, put, run

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int8, torch.uint8)
DTYPES += (torch.bool,) if IS_HCCL else ()
SIZES = (1, 7, 1000, 65537, (1 << 20) + 3)


def empty(count, dtype=torch.float32):
    return torch.zeros(count, dtype=dtype, device=DEVICE)


def pairs():
    """From each rank to each other one, one pair after the other."""
    for sender in range(SIZE):
        for receiver in range(SIZE):
            if sender == receiver:
                continue
            if RANK == sender:
                dist.send(put(numbers(sender, 500, torch.float32, receiver)), receiver)
            elif RANK == receiver:
                x = empty(500)
                dist.recv(x, sender)
                expect(f"from {sender} to {receiver}", x, numbers(sender, 500, torch.float32, receiver))


def dtypes_and_sizes():
    for dtype in DTYPES:
        for count in SIZES:
            if count > 65537 and dtype != torch.float32:
                continue
            if RANK == 0 and SIZE > 1:
                dist.send(put(numbers(0, count, dtype)), SIZE - 1)
            elif RANK == SIZE - 1 and SIZE > 1:
                x = empty(count, dtype)
                dist.recv(x, 0)
                expect(f"{dtype} {count}", x, numbers(0, count, dtype))


def in_order():
    """Ten messages between one pair come in the order in which they were sent."""
    if SIZE == 1 or RANK not in (0, 1):
        return
    if RANK == 0:
        works = [dist.isend(put(numbers(0, 100, torch.float32, salt)), 1) for salt in range(10)]
        for work in works:
            work.wait()
        return
    received = [empty(100) for _ in range(10)]
    for work in [dist.irecv(x, 0) for x in received]:
        work.wait()
    expect("in order", received, [numbers(0, 100, torch.float32, salt) for salt in range(10)])


def exchange(receives_first, count, dtype=torch.float32):
    """Everybody with everybody, as one batch."""
    got = {peer: empty(count, dtype) for peer in range(SIZE) if peer != RANK}
    sends = [dist.P2POp(dist.isend, put(numbers(RANK, count, dtype, peer)), peer) for peer in got]
    receives = [dist.P2POp(dist.irecv, tensor, peer) for peer, tensor in got.items()]
    operations = receives + sends if receives_first else sends + receives
    if not operations:
        return
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    for peer, tensor in got.items():
        expect(f"batch {dtype} {count} from {peer}", tensor, numbers(peer, count, dtype, RANK))


def batches():
    for count in SIZES:
        # Some ranks name their receives first and some their sends: all is started together.
        exchange(RANK % 2 == 0, count)
    for dtype in DTYPES:
        exchange(True, 1000, dtype)


def ring():
    """Each to the next, as often as there are ranks: everything comes home."""
    x = put(numbers(RANK, 4096, torch.float32))
    for _ in range(SIZE):
        y = empty(4096)
        if SIZE == 1:
            break
        operations = [dist.P2POp(dist.isend, x, (RANK + 1) % SIZE), dist.P2POp(dist.irecv, y, (RANK - 1) % SIZE)]
        for work in dist.batch_isend_irecv(operations):
            work.wait()
        x = y
    expect("around", x, numbers(RANK, 4096, torch.float32))


def several_to_one_peer():
    """Items for one peer match in the order of the list."""
    if SIZE == 1 or RANK not in (0, SIZE - 1):
        return
    peer = SIZE - 1 - RANK
    got = [empty(10 + place) for place in range(4)]
    operations = [dist.P2POp(dist.irecv, tensor, peer) for tensor in got]
    operations += [dist.P2POp(dist.isend, put(numbers(RANK, 10 + place, torch.float32)), peer) for place in range(4)]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    expect("several", got, [numbers(peer, 10 + place, torch.float32) for place in range(4)])


def beside_collectives():
    """A pair that talks between collectives of all."""
    for turn in range(5):
        x = put(numbers(RANK, 77, torch.int64, turn))
        dist.all_reduce(x)
        if SIZE > 1 and RANK == 0:
            dist.send(x, SIZE - 1)
        elif SIZE > 1 and RANK == SIZE - 1:
            y = empty(77, torch.int64)
            dist.recv(y, 0)
            expect(f"turn {turn}", y, x.cpu())
        dist.barrier()


if __name__ == "__main__":
    run(pairs, dtypes_and_sizes, in_order, batches, ring, several_to_one_peer, beside_collectives)
