# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What goes wrong among the ranks of PyTorch programs: one is killed in each phase, stops, comes late, calls something
else. Each of the others ends in time with a sentence. with: BELAY_DEVICES=3 BELAY_THREADS=1"""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

RANKS = 3
CONNECT, EXEC = 6, 6  # seconds
STARTED = 60  # seconds that three processes may take until they have loaded PyTorch

# Each is a rank's part, by its number, and then: the words of which one is in what every other rank prints.
LOST = RANKS - 1


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)


def rank_of(scenario):
    """In a process of its own."""
    import torch  # pylint: disable=import-outside-toplevel
    import torch.distributed as dist  # pylint: disable=import-outside-toplevel
    from torch import nn  # pylint: disable=import-outside-toplevel
    rank = int(os.environ["RANK"])
    is_lost = rank == LOST

    def reduce(count=1000, **options):
        x = torch.ones(count, device="npu")
        dist.all_reduce(x, **options)
        torch.npu.synchronize()
        return x

    def train():
        model = nn.parallel.DistributedDataParallel(nn.Linear(64, 64).npu(), device_ids=[rank])
        for step in range(1000):
            if is_lost and step == 3:
                model.module.weight.register_hook(lambda gradient: die())
            model(torch.ones(4, 64, device="npu")).sum().backward()
            torch.npu.synchronize()

    torch.npu.set_device(rank)
    dist.init_process_group("hccl")
    print("started", flush=True)
    if scenario == "before_the_first":
        if is_lost:
            die()
        reduce()
    elif scenario == "the_root_before_the_first":
        if rank == 0:
            time.sleep(1)
            die()
        reduce()
    elif scenario == "between":
        reduce()
        if is_lost:
            die()
        for _ in range(1000):
            reduce()
    elif scenario == "in_a_large_one":
        reduce()
        if is_lost:
            threading_kill(0.4)
        for _ in range(1000):
            reduce(1 << 24)
    elif scenario == "in_backward":
        train()
    elif scenario == "stopped":
        reduce()
        if is_lost:
            stop()
        reduce()
    elif scenario == "late":
        reduce()
        if is_lost:
            time.sleep(EXEC + 4)
        reduce()
    elif scenario == "another_count":
        reduce()
        reduce(1000 + is_lost)
    elif scenario == "another_collective":
        reduce()
        if is_lost:
            dist.broadcast(torch.ones(1000, device="npu"), 0)
            torch.npu.synchronize()
        else:
            reduce()
    elif scenario == "another_operation":
        reduce()
        reduce(op=dist.ReduceOp.MAX if is_lost else dist.ReduceOp.SUM)
    elif scenario == "at_the_end":
        reduce()
        if is_lost:
            die()
        dist.destroy_process_group()
        print("ended well", flush=True)
    print("nothing was noticed", flush=True)


def threading_kill(seconds):
    import threading  # pylint: disable=import-outside-toplevel
    threading.Timer(seconds, die).start()


# scenario: who is lost; which of the words must be in what the others print; seconds from the start of all until
# their end
SCENARIOS = {
    "before_the_first": (LOST, ("rank 2",), CONNECT),
    "the_root_before_the_first": (0, ("rank 0", "root", "onnection reset", "store"), CONNECT + 30),
    "between": (LOST, ("rank 2",), 5),
    "in_a_large_one": (LOST, ("rank 2",), EXEC),
    "in_backward": (LOST, ("rank 2",), 5),
    "stopped": (LOST, ("rank 2",), EXEC),
    "late": (None, ("rank ",), EXEC + 6),
    "another_count": (None, ("1001",), 5),
    "another_collective": (None, ("roadcast",), 5),
    "another_operation": (None, ("maximum",), 5),
    "at_the_end": (LOST, ("ended well",), 5),
}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def play(scenario, folder):
    """Returns what is wrong."""
    lost, words, seconds = SCENARIOS[scenario]
    port = free_port()
    outputs = [pathlib.Path(folder, f"{scenario}.{rank}") for rank in range(RANKS)]
    processes = []
    for rank, output in enumerate(outputs):
        settings = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": RANKS, "MASTER_ADDR": "127.0.0.1",
                    "MASTER_PORT": port, "HCCL_CONNECT_TIMEOUT": CONNECT, "HCCL_EXEC_TIMEOUT": EXEC,
                    "OMP_NUM_THREADS": 1, "PYTHONWARNINGS": "ignore"}
        processes.append(subprocess.Popen([sys.executable, "-B", __file__, scenario], stdout=open(output, "wb"),
                                          stderr=subprocess.STDOUT,
                                          env={**os.environ, **{name: str(value) for name, value in settings.items()}}))
    begin = time.monotonic()
    wrong = []
    while not all(b"started" in output.read_bytes() for output in outputs) and time.monotonic() - begin < STARTED:
        time.sleep(0.1)
    begin = time.monotonic()
    for rank, process in enumerate(processes):
        if rank == lost:
            continue
        try:
            # The watchdog looks once a second; loaded machines take their time to end a process of PyTorch.
            process.wait(max(0.1, begin + seconds + 15 - time.monotonic()))
        except subprocess.TimeoutExpired:
            wrong.append(f"rank {rank} hangs")
    took = time.monotonic() - begin
    for process in processes:
        process.kill()
        process.wait()
    for rank, output in enumerate(outputs):
        text = output.read_text(errors="replace")
        if rank != lost and not any(word in text for word in words):
            wrong.append(f"rank {rank} does not say any of {words}: ...{text[-1500:]}")
        if rank != lost and scenario != "at_the_end" and ("nothing was noticed" in text or processes[rank].returncode == 0):
            wrong.append(f"rank {rank} has noticed nothing: ...{text[-300:]}")
        if any(word in text for word in ("Segmentation", "free()", "corrupt", "AddressSanitizer")):
            wrong.append(f"rank {rank} has crashed: {text[-1500:]}")
    print(f"{scenario}: {took:.1f} s{': ' if wrong else ''}{'; '.join(wrong)}", flush=True)
    return wrong


def main():
    if len(sys.argv) > 1 and sys.argv[1] in SCENARIOS and "RANK" in os.environ:
        rank_of(sys.argv[1])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        wrong = [play(scenario, folder) for scenario in sys.argv[1:] or SCENARIOS]
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
