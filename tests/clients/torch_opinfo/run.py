# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""PyTorch's databases of operators, modules and optimizers on the device "npu", beside the CPU.

    run.py [--only PATTERN] [--dtypes A,B] [--from JOB] [--processes N] [--minutes M] [--log FILE] [--record FILE]
           BELAY PYTHON PRODUCT

BELAY is the command, PYTHON the interpreter with torch_npu. Each job (an entry and a dtype) goes to one of N processes;
one that ends or that takes too long is a crash or a hang of the sample that it was at, and another one goes on behind
that entry. A run that had too little time says which job it did not come to, and --from goes on there. What is not
right must have its reason in reasons.txt. The last line counts; the exit status is 0 where nothing is wrong, refused,
crashed or hung without a reason, and the time was enough. --record writes what was counted as JSON, a member for each
kind of entry, for scripts/conformance.py.
"""
import argparse
import collections
import json
import os
import pathlib
import queue
import re
import select
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE_SECONDS = 90


class Reason:
    """A line of reasons.txt: WHOSE | OUTCOME | PRODUCT | NAME | DTYPES | DETAIL | why. The four in the middle are regular
    expressions; NAME begins with the kind (operator, module, optimizer) and must match as a whole."""

    def __init__(self, line):
        parts = [part.strip() for part in re.split(r" \| ", line.rstrip())]
        if len(parts) != 7:
            raise ValueError(f"reasons.txt: seven parts are expected: {line!r}")
        self.whose, self.outcome, self.why = parts[0], parts[1], parts[6]
        self.product, self.name, self.dtypes, self.detail = (re.compile(part, re.IGNORECASE) for part in parts[2:6])
        self.line, self.used = line.rstrip(), 0

    def holds(self, product, name, dtype, outcome, detail):
        """detail: what was said, and then the sample."""
        return bool(re.fullmatch(self.outcome, outcome) and self.product.search(product) and self.name.fullmatch(name)
                    and self.dtypes.fullmatch(dtype) and self.detail.search(detail))


def reasons():
    lines = (HERE / "reasons.txt").read_text().split("\n")
    return [Reason(line) for line in lines if line.strip() and not line.startswith("#")]


def jobs_of(command):
    program = "import json, os; out = os.dup(1); os.dup2(2, 1); import subjects; " \
              "os.write(out, json.dumps(list(subjects.jobs())).encode())"
    done = subprocess.run([*command, "-c", program], capture_output=True, env={**os.environ, "PYTHONPATH": str(HERE)})
    if done.returncode != 0:
        sys.exit(done.stderr.decode()[-2000:])
    return json.loads(done.stdout)


class Worker:
    """A process with its pipes; lines() gives what it says, until it ends or is silent for too long."""

    def __init__(self, command, log):
        self.process = subprocess.Popen([*command, "-B", str(HERE / "worker.py")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=log)
        self.rest = b""

    def ask(self, job):
        self.process.stdin.write(job.encode() + b"\n")
        self.process.stdin.flush()

    def lines(self):
        while True:
            while b"\n" in self.rest:
                line, self.rest = self.rest.split(b"\n", 1)
                yield json.loads(line)
            ready, _, _ = select.select([self.process.stdout], [], [], SAMPLE_SECONDS)
            read = os.read(self.process.stdout.fileno(), 1 << 16) if ready else None
            if not read:
                self.process.kill()
                status = self.process.wait()
                yield {"ended": "hang" if read is None else "crash", "detail":
                       f"silent for {SAMPLE_SECONDS} s" if read is None else f"status {status}"}
                return
            self.rest += read


def serve(command, todo, enter, deadline, log):
    """A thread: one process after the other, each with jobs until it ends. enter takes a result."""
    worker = None
    while time.monotonic() < deadline:
        try:
            job = todo.get_nowait()
        except queue.Empty:
            break
        if worker is None:
            worker = Worker(command, log)
        sample = "-"
        try:
            worker.ask(job)
        except BrokenPipeError:
            pass  # lines() tells
        for line in worker.lines():
            if "ended" in line:
                enter({"job": job, "sample": sample, "outcome": line["ended"], "detail": line["detail"]})
                worker = None
                break
            if "done" in line:
                break
            sample = line["sample"]
            if "outcome" in line:
                enter(line)
    if worker is not None:
        worker.process.kill()


def record_of(results, late):
    """{kind: what was counted}: each sample that is not right stands in a group of its reason."""
    kinds = {}
    for result in results:
        kind = result["name"].split()[0]
        record = kinds.setdefault(kind, {"passed": 0, "refused_by_cpu": 0, "failures": {}, "not_begun": 0})
        if result["outcome"] == "right":
            record["passed"] += 1
        elif result["outcome"] == "cpu":
            record["refused_by_cpu"] += 1
        else:
            group = record["failures"].setdefault((result["outcome"], result.get("reason", "")), {"count": 0, "cases": set()})
            group["count"] += 1
            group["cases"].add(f"{result['name'].split(' ', 1)[1]} {result['dtype']}")
    for job in late:
        if job.split()[0] in kinds:
            kinds[job.split()[0]]["not_begun"] += 1
    for record in kinds.values():
        record["failures"] = [{"outcome": outcome, "reason": reason, "count": group["count"], "cases": sorted(group["cases"])}
                              for (outcome, reason), group in sorted(record["failures"].items())]
    return kinds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--dtypes", default="")
    parser.add_argument("--from", type=int, default=0, dest="begin", help="the number of the first job")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--log", default="")
    parser.add_argument("--record", default="")
    parser.add_argument("belay")
    parser.add_argument("python")
    parser.add_argument("product")
    options = parser.parse_args()
    os.environ.update(BELAY_SOC=options.product, BELAY_THREADS="1", OMP_NUM_THREADS="1", PYTHONWARNINGS="ignore")
    command = [options.belay, "run", options.python]
    begin = time.monotonic()
    known, names, todo, results = reasons(), {}, queue.Queue(), []
    for job, name, dtype in jobs_of(command):
        kind = job.split()[0]
        if re.search(options.only, f"{kind} {name}") and (not options.dtypes or dtype in options.dtypes.split(",")):
            names[job] = f"{kind} {name}"
            todo.put(job)
    total = len(names)
    for _ in range(min(options.begin, total)):
        todo.get_nowait()
    with open(os.devnull, "w") as nowhere, open(options.log or os.devnull, "w") as log:
        def enter(result):
            results.append(result)
            log.write(json.dumps({**result, "name": names[result["job"]]}) + "\n")
            log.flush()
        threads = [threading.Thread(target=serve, args=(command, todo, enter, begin + 60 * options.minutes, nowhere))
                   for _ in range(options.processes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    counts, unexplained = collections.Counter(), []
    for result in results:
        outcome, name, dtype = result["outcome"], names[result["job"]], result["job"].split()[2]
        result["dtype"], result["name"] = dtype, name
        if outcome not in ("right", "cpu"):
            for reason in known:
                if reason.holds(options.product, name, dtype, outcome, f"{result['detail']} {result['sample']}"):
                    reason.used += 1
                    result["reason"] = f"{reason.whose}: {reason.why}"
                    break
            else:
                unexplained.append(result)
        counts[outcome, result.get("reason", "").split(":")[0]] += 1
    alike = collections.defaultdict(list)
    for result in unexplained:
        alike[result["outcome"], result["name"], result["dtype"]].append(result)
    for (outcome, name, dtype), group in sorted(alike.items()):
        print(f"{outcome:8} {name} {dtype}, {len(group)} samples: {group[0]['sample'][:100]}\n         {group[0]['detail'][:300]}")
    print(f"\n{options.product}: {len(results)} samples of {total} jobs in {(time.monotonic() - begin) / 60:.1f} min")
    for (outcome, whose), count in sorted(counts.items()):
        said = {"right": "right", "cpu": "refused by the CPU, too"}.get(outcome, f"{outcome}, {whose or 'without a reason'}")
        print(f"{count:7} {said}")
    late = todo.qsize()
    if options.record:
        with open(options.record, "w", encoding="utf-8") as file:
            json.dump(record_of(results, list(todo.queue)), file, indent=1)
    if late:
        print(f"{late} jobs were not begun in {options.minutes:g} minutes; --from {total - late} runs them")
    return 1 if unexplained or late or not results else 0


if __name__ == "__main__":
    sys.exit(main())
