# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""One rank of a program: the group, the device, numbers that every rank can work out, and what is expected of them.

    torchrun --nproc-per-node 4 collectives.py          backend "hccl", device "npu"
    torchrun --nproc-per-node 4 collectives.py gloo     the same program on the CPU: tells whether the program is right

Under hccl what arrives must be the very bits that are promised: sums and products are folded in the order of the
ranks, in fp64, and rounded once.
"""
import os
import sys
import traceback

import torch
import torch.distributed as dist

BACKEND = sys.argv[1] if len(sys.argv) > 1 else "hccl"
IS_HCCL = BACKEND == "hccl"
DEVICE = "npu" if IS_HCCL else "cpu"
RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])

checked = 0
faults = []


def put(tensor):
    """A copy on the device."""
    return tensor.to(DEVICE, copy=True)


def numbers(rank, count, dtype, salt=0):
    """What `rank` contributes: every rank can work out those of all."""
    generator = torch.Generator().manual_seed(1000003 * salt + 101 * rank + count)
    if dtype.is_floating_point:
        return torch.randn(count, generator=generator, dtype=torch.float64).to(dtype)
    if dtype == torch.bool:
        return torch.rand(count, generator=generator) < 0.5
    low = 0 if dtype == torch.uint8 else -9
    return torch.randint(low, 10, (count,), generator=generator).to(dtype)


def of_all(count, dtype, salt=0, ranks=None):
    return [numbers(rank, count, dtype, salt) for rank in (range(SIZE) if ranks is None else ranks)]


def bits(tensor):
    """The same memory as integers, so that equal means equal bits."""
    return tensor.contiguous().unsqueeze(-1).view(torch.uint8)


def expect(what, got, wanted, tolerance=None):
    """Compares tensors, or lists of them: their bits, or within a tolerance relative to the largest."""
    global checked
    if isinstance(wanted, (list, tuple)):
        if len(got) != len(wanted):
            faults.append(f"{what}: {len(got)} and not {len(wanted)}")
        for place, (one, other) in enumerate(zip(got, wanted)):
            expect(f"{what}[{place}]", one, other, tolerance)
        return
    checked += 1
    if not isinstance(wanted, torch.Tensor):
        if got != wanted:
            faults.append(f"{what}: {got!r} and not {wanted!r}")
        return
    got = got.detach().cpu()
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        faults.append(f"{what}: {got.dtype} {tuple(got.shape)} and not {wanted.dtype} {tuple(wanted.shape)}")
        return
    if tolerance is None:
        differs = (bits(got) != bits(wanted)).any(-1)
    else:
        largest = wanted.double().abs().max().item() if wanted.numel() else 0
        differs = ~torch.isclose(got.double(), wanted.double(), rtol=tolerance, atol=tolerance * largest)
    if differs.any():
        place = tuple(differs.nonzero()[0].tolist())
        faults.append(f"{what}{list(place)}: {got[place].item():.9g} and not {wanted[place].item():.9g}, "
                      f"{int(differs.sum())} of {got.numel()} differ")


def refused(what, call, *words):
    """The call raises, and its sentence has the words."""
    global checked
    checked += 1
    try:
        call()
        if IS_HCCL:
            torch.npu.synchronize()
    except (RuntimeError, ValueError, TypeError) as error:
        missing = [word for word in words if word not in str(error)]
        if missing:
            faults.append(f"{what}: {missing} missing in {str(error)[:400]!r}")
        return
    faults.append(f"{what}: not refused")


def start(**options):
    """torchrun's variables say who this is."""
    if IS_HCCL:
        torch.npu.set_device(int(os.environ["LOCAL_RANK"]) % torch.npu.device_count())
    dist.init_process_group(BACKEND, **options)


def run(*parts, **options):
    """Calls the parts in this order, in every rank alike, and ends the process with the status."""
    status = 1
    try:
        start(**options)
        for part in parts:
            part()
            if len(faults) > 20:
                break
        if IS_HCCL:
            torch.npu.synchronize()
        if dist.is_initialized():
            dist.barrier()
            dist.destroy_process_group()
        status = 1 if faults else 0
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
    for fault in faults[:20]:
        print(f"rank {RANK}: {fault}", flush=True)
    if RANK == 0 and status == 0:
        print(f"{checked} comparisons in each of {SIZE} ranks", flush=True)
    if status:
        # The others may wait for this rank: torchrun ends them as soon as it sees this one fail.
        sys.stdout.flush()
        os._exit(status)
