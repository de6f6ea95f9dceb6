# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Programs of PyTorch that meet faults on command, and recover or say who is to blame: belay run --fault.

    belay run python faults.py [SCENARIO...]        each is a run of its own; of none: all of them
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples/pytorch"
SECONDS = 500


def in_rank(scenario):
    """One rank of a scenario, started by torchrun, or the only one."""
    import torch  # pylint: disable=import-outside-toplevel
    import torch.distributed as dist  # pylint: disable=import-outside-toplevel
    from torch import nn  # pylint: disable=import-outside-toplevel

    torch.npu.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    if scenario == "memory":
        # A batch that does not fit is halved until it does.
        rows, halved = 1 << 14, 0
        while True:
            try:
                x = torch.ones(rows, 4096, device="npu")
                print(f"{rows} rows fit after {halved} halves; sum {x.sum().item():.0f}", flush=True)
                return
            except (torch.OutOfMemoryError, RuntimeError) as error:
                assert "memory" in str(error), error
                rows, halved = rows // 2, halved + 1
    if scenario == "copy":
        # What comes back tells whether it arrived.
        numbers, tries = torch.arange(1 << 18, dtype=torch.float32), 0
        while True:
            tries += 1
            try:
                found = numbers.npu().cpu()
                torch.npu.synchronize()
                assert torch.equal(found, numbers)
                print(f"the copy arrived at try {tries}", flush=True)
                return
            except RuntimeError as error:
                print(f"try {tries}: {str(error).splitlines()[0]}", flush=True)
                assert tries < 4
    dist.init_process_group("hccl")
    rank = dist.get_rank()
    if scenario == "many":
        torch.manual_seed(rank)
        model = nn.parallel.DistributedDataParallel(nn.Linear(8, 1).npu(), device_ids=[torch.npu.current_device()])
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
        for _ in range(5):
            optimizer.zero_grad()
            model(torch.ones(2, 8, device="npu") * (rank + 1)).mean().backward()
            optimizer.step()
        total = model.module.weight.detach().clone()
        dist.all_reduce(total)
        torch.npu.synchronize()
        assert torch.allclose(total, model.module.weight * dist.get_world_size()), "the ranks differ"
        if rank == 0:
            print(f"{dist.get_world_size()} ranks have the same weights", flush=True)
    else:
        for _ in range(3):
            x = torch.ones(1000, device="npu")
            dist.all_reduce(x)
            torch.npu.synchronize()
    dist.destroy_process_group()


def torchrun(count, *words):
    return [sys.executable, "-B", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count), *words]


def run(folder, faults, command, **settings):
    """The status, what the program and the report say, and the time."""
    report = pathlib.Path(folder, "report")
    report.unlink(missing_ok=True)
    words = [word for fault in faults for word in ("--fault", fault)]
    environment = {**os.environ, "BELAY_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore",
                   "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", **settings}
    begin = time.monotonic()
    done = subprocess.run(["belay", "run", *words, *(["--fault-report", report] if faults else []), *command],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                          text=True, errors="replace")
    told = report.read_text() if report.exists() else ""
    return done.returncode, done.stdout, told, time.monotonic() - begin


def own(scenario):
    return [__file__, scenario]


def elastic(folder):
    """Rank 2 is killed; torchrun starts all anew, and the losses are those of a run that nothing disturbs."""
    example = str(EXAMPLES / "elastic.py")
    status, plain, _, _ = run(folder, [], torchrun(4, example, f"{folder}/plain.pt"), BELAY_DEVICES="4")
    yield status == 0, plain
    status, text, told, _ = run(folder, ["rank=2,collective=30:kill"],
                                torchrun(4, "--max-restarts", "1", example, f"{folder}/disturbed.pt"), BELAY_DEVICES="4")
    losses = [[line for line in output.splitlines() if line.startswith("losses")] for output in (plain, text)]
    yield status == 0 and len(losses[0]) == 1 and losses[0] == losses[1] and "goes on at step" in text, text
    yield "came once" in told and "rank 2, at HcclAllReduce" in told and "507057" in told, told


def late(folder):
    """Rank 2 is late: the others name it."""
    _, text, told, _ = run(folder, ["rank=2,collective=2:slow=15s"], torchrun(3, *own("late")), BELAY_DEVICES="3",
                           HCCL_EXEC_TIMEOUT="5")
    yield "107020" in told and "did not: 2 (last seen at HcclAllReduce of 1000 fp32" in told, told + text


def disagreeing(folder):
    """Rank 1 calls another count: all name it, and who is right."""
    _, text, told, _ = run(folder, ["rank=1,collective=2:disagree"], torchrun(3, *own("disagreeing")), BELAY_DEVICES="3")
    yield "507018" in told and "rank 1 called HcclAllReduce of 1001 fp32, sum" in told, told + text


def memory(folder):
    status, text, told, _ = run(folder, ["alloc,held=100M:fail"], [sys.executable, "-B", *own("memory")])
    yield status == 0 and "rows fit after" in text and " 0 halves" not in text and "207001" in told, told + text


def copy(folder):
    status, text, told, _ = run(folder, ["copy=1,bytes=1M:507053"], [sys.executable, "-B", *own("copy")])
    yield status == 0 and "the copy arrived at try 2" in text and "507053" in told, told + text


def many(folder):
    """16 ranks on one machine, one of them slow."""
    status, text, told, _ = run(folder, ["rank=15,collective=4:slow=500ms"], torchrun(16, *own("many")), BELAY_DEVICES="16")
    yield status == 0 and "16 ranks have the same weights" in text and "came once" in told, told + text


SCENARIOS = (elastic, late, disagreeing, memory, copy, many)


def main():
    names = sys.argv[1:]
    if names and "BELAY_FAULT" in os.environ:
        in_rank(names[0])
        return 0
    wrong = 0
    for scenario in SCENARIOS:
        if names and scenario.__name__ not in names:
            continue
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            for number, (is_right, text) in enumerate(scenario(folder)):
                if not is_right:
                    wrong += 1
                    print(f"{scenario.__name__}: part {number} is wrong: ...{text[-4000:]}", flush=True)
        print(f"{scenario.__name__}: {time.monotonic() - begin:.0f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
