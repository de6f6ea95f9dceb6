# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Tensors between processes: queues in both directions, writes that either sees, a DataLoader whose workers hand over
device tensors, events, and a sender that is killed."""
import os
import signal

import torch
import torch.multiprocessing as mp
import torch_npu
from torch.utils.data import DataLoader, Dataset


def answer(requests, results, end):
    x = requests.get()
    assert x.device.type == "npu"
    x.add_(1)
    torch.npu.synchronize()
    results.put(x.sum().item())
    mine = [torch.full((n,), float(n % 100), device="npu") for n in (1, 7, 300003)]
    results.put((mine, {"half": torch.arange(8, device="npu", dtype=torch.float16)}))
    event = requests.get()
    event.wait()
    torch.npu.synchronize()
    results.put("waited")
    end.wait()


def send_and_die(results):
    results.put(torch.ones(5, device="npu"))
    signal.pause()


class Squares(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return torch.tensor([i, i * i], dtype=torch.float32)


def to_device(rows):
    return torch.stack(rows).npu()


def main():
    context = mp.get_context("spawn")
    requests, results, end = context.Queue(), context.Queue(), context.Event()
    child = context.Process(target=answer, args=(requests, results, end))
    child.start()
    x = torch.arange(10.0, device="npu")
    beside = torch.arange(10.0, device="npu")
    requests.put(x)
    assert results.get(timeout=120) == 55
    assert x.sum().item() == 55 and beside.sum().item() == 45
    tensors, more = results.get(timeout=120)
    assert [t.max().item() for t in tensors] == [1, 7, 3] and tensors[2].min().item() == 3
    assert more["half"].tolist() == list(range(8))
    tensors[0].mul_(5)
    assert tensors[0].item() == 5
    event = torch.npu.Event(interprocess=True)
    event.record()
    requests.put(event)
    assert results.get(timeout=120) == "waited"
    del tensors, more
    end.set()
    child.join(120)
    assert child.exitcode == 0, child.exitcode

    # Most batches are there before the last is asked for, and stay when the workers have ended.
    loader = DataLoader(Squares(), batch_size=3, num_workers=2, multiprocessing_context="spawn", collate_fn=to_device)
    batches = list(loader)
    assert all(b.device.type == "npu" for b in batches)
    assert torch.cat(batches).cpu().tolist() == [[i, i * i] for i in range(12)]

    child = context.Process(target=send_and_die, args=(results,))
    child.start()
    kept = results.get(timeout=120)
    os.kill(child.pid, signal.SIGKILL)
    child.join(120)
    assert (kept + 1).cpu().tolist() == [2] * 5


if __name__ == "__main__":
    main()
