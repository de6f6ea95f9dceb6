# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""mindspore.profiler around a training loop, in the forms that programs have, and what its files say of Belay's operators."""
import collections
import csv
import glob
import json
import os
import sqlite3
import subprocess
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, nn, profiler
from mindspore.profiler import ProfilerLevel, mstx
from mindspore.profiler.profiler import analyse

from support.target import choose, demand

STEPS = 2
is_graph = os.environ.get("BELAY_CLIENTS_MODE") == "O0"
# The layers' operators in a step, as often as they come at least, and two with the shapes that they must have.
WANTED = {"Mm": 3, "MseLoss": 1, "MseLossBackward": 1, "Relu": 1, "Addmm": 1, "ReduceSum": 2}
SHAPES = {"Relu": ('"5,16"', '"5,16"'), "MseLoss": ('"5,4;5,4"', '""')}
OPTIONS = "MS_PROFILER_OPTIONS"


def made_step():
    network = nn.SequentialCell(mint.nn.Linear(8, 16), mint.nn.ReLU(), nn.Dense(16, 4))
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)

    def forward(x, y):
        return mint.nn.functional.mse_loss(network(x), y)
    differentiate = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        value, gradients = differentiate(x, y)
        optimizer(gradients)
        return value
    return ms.jit(step, jit_level="O0") if is_graph else step


def train(steps, after=None, step=None):
    step = step or made_step()
    x, y = Tensor(np.ones((5, 8), np.float32)), Tensor(np.ones((5, 4), np.float32))
    for _ in range(steps):
        step(x, y)
        ms.runtime.synchronize() # what a step launches runs in it
        if after:
            after()


def read(folder, name):
    found = glob.glob(os.path.join(folder, "*_ascend_ms", "ASCEND_PROFILER_OUTPUT", name))
    demand(len(found) == 1, name, "is not one file of", glob.glob(os.path.join(folder, "*", "*", "*")))
    with open(found[0], encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)) if name.endswith(".csv") else json.load(file)


def judge_kernels(rows, steps, has_shapes):
    """Each operator of each step, on one stream, one after the other; with shapes although it was prepared before."""
    of_step = collections.defaultdict(list)
    for row in rows:
        demand("aclnn" in row["Name"] and row["Accelerator Core"] == "AI_CORE" and float(row["Duration(us)"]) > 0, row)
        of_step[row["Step ID"] if steps else "all"].append(row)
    demand(len(of_step) == (steps or 1), steps, "steps are", list(of_step))
    for step in of_step.values():
        starts = [float(row["Start Time(us)"].strip("\t")) for row in step]
        demand(starts == sorted(starts) and starts[0] > 1e15 and len({row["Stream ID"] for row in step}) == 1, starts)
        types = collections.Counter(row["Type"] for row in step)
        demand(all(types[kind] >= count for kind, count in WANTED.items()), "in a step are", types)
        for row in step if has_shapes else []:
            found = row["Input Shapes"], row["Output Shapes"]
            demand(found == SHAPES.get(row["Type"], found) and row["Input Data Types"] + row["Output Data Types"], row)


def judge_timeline(events, has_host):
    """Belay's tasks, on the machine's calendar, with arrows from MindSpore's operators and from the calls."""
    kernels = [event for event in events if event.get("ph") == "X" and event.get("args", {}).get("Task Type") == "AI_CORE"]
    demand({"aclnnRelu", "aclnnMseLoss"} <= {event["name"] for event in kernels}, "kernels are", {event["name"] for event in kernels})
    at = {(event["pid"], event["tid"], event["ts"]) for event in kernels}
    for kind in ["HostToDevice"] + ["async_npu"] * has_host:
        arrows = [event for event in events if event.get("cat") == kind]
        ends = {(event["pid"], event["tid"], event["ts"]) for event in arrows if event["ph"] == "f"}
        demand(at <= ends and 2 * sum(event["ph"] == "s" for event in arrows) == len(arrows), len(at - ends), "kernels without", kind)
    if has_host: # what launches a kernel begins before it: MindSpore's clock and Belay's are brought together
        begins = {event["id"]: float(event["ts"]) for event in events if event.get("cat") == "async_npu" and event["ph"] == "s"}
        late = [event for event in events if event.get("cat") == "async_npu" and event["ph"] == "f" and
                not 0 <= float(event["ts"]) - begins[event["id"]] < 5e6]
        demand(not late, "kernels before their launch:", late[:2])


def in_steps(folder, level, has_host, **more):
    activities = [profiler.ProfilerActivity.CPU] * has_host + [profiler.ProfilerActivity.NPU]
    config = profiler._ExperimentalConfig(profiler_level=level, **more)
    with profiler.profile(activities=activities, schedule=profiler.schedule(wait=1, warmup=1, active=STEPS, repeat=1, skip_first=1),
                          on_trace_ready=profiler.tensorboard_trace_handler(folder), profile_memory=has_host, experimental_config=config) as profile:
        profile.add_metadata("program", "profiler.py")
        train(3 + STEPS, profile.step)


def a_schedule():
    in_steps("whole", ProfilerLevel.Level1, True)
    judge_kernels(read("whole", "kernel_details.csv"), STEPS, True)
    judge_timeline(read("whole", "trace_view.json"), True)
    counts = {row["OP Type"]: int(row["Count"]) for row in read("whole", "op_statistic.csv")}
    demand(counts["Relu"] == STEPS and counts["MseLoss"] == STEPS, counts)
    demand(len(read("whole", "step_trace_time.csv")) == STEPS, "step_trace_time.csv")
    for name in ("api_statistic.csv", "operator_memory.csv", "memory_record.csv"):
        demand(read("whole", name), name, "is empty")


def levels():
    in_steps("least", ProfilerLevel.Level0, False)
    judge_kernels(read("least", "kernel_details.csv"), 0, False)
    judge_timeline(read("least", "trace_view.json"), False)
    in_steps("most", ProfilerLevel.Level2, True, l2_cache=True, sys_io=True, sys_interconnection=True,
             aic_metrics=profiler.AicoreMetrics.PipeUtilization)
    judge_kernels(read("most", "kernel_details.csv"), STEPS, True)


def a_file_of_sqlite():
    in_steps("database", ProfilerLevel.Level1, True, export_type=[profiler.ExportType.Db])
    found = glob.glob("database/*_ascend_ms/ASCEND_PROFILER_OUTPUT/*.db")
    demand(len(found) == 1, "databases are", found)
    with sqlite3.connect(found[0]) as connection:
        names = [name for name, in connection.execute("select value from COMPUTE_TASK_INFO, STRING_IDS on COMPUTE_TASK_INFO.name = STRING_IDS.id")]
    demand(names.count("aclnnRelu") == STEPS, collections.Counter(names))


def from_start_to_stop():
    """The older class, around some steps, and what analyses it in the same process."""
    taken = profiler.Profiler(profiler_level=ProfilerLevel.Level1, start_profile=False, output_path="by_hand")
    step = made_step()
    train(2, step=step)
    taken.start()
    train(STEPS, step=step)
    taken.stop()
    train(1, step=step)
    taken.analyse()
    judge_kernels(read("by_hand", "kernel_details.csv"), 0, True)
    judge_timeline(read("by_hand", "trace_view.json"), True)
    demand({row["OP Type"]: row["Count"] for row in read("by_hand", "op_statistic.csv")}["Relu"] == str(STEPS), "those between start and stop")


def afterwards():
    """Taken without a handler, and analysed by another call."""
    with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("later", analyse_flag=False),
                          experimental_config=profiler._ExperimentalConfig(profiler_level=ProfilerLevel.Level1)):
        train(STEPS)
    demand(not glob.glob("later/*_ascend_ms/ASCEND_PROFILER_OUTPUT/*"), "it is analysed already")
    analyse("later")
    judge_kernels(read("later", "kernel_details.csv"), 0, True)


def marks():
    """On the host and in a stream, with domains; only while a profile with mstx is taken."""
    stream = ms.runtime.current_stream()
    demand(mstx.range_start("before") == 0, "a range without a profile")
    ranges = []

    def mark():
        mstx.mark("a mark", stream)
        mstx.mark("a mark of a domain", None, "other")
        ranges.append((mstx.range_start("a range", stream), mstx.range_start("left out", None, "no")))
        for one, domain in zip(ranges[-1], ("default", "no")):
            mstx.range_end(one, domain)
    config = profiler._ExperimentalConfig(profiler_level=ProfilerLevel.LevelNone, mstx=True, mstx_domain_exclude=["no"])
    with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("marks"), experimental_config=config):
        train(STEPS, mark)
    demand(all(first > 0 for first, _ in ranges), "ranges are", ranges)
    names = collections.Counter(event["name"] for event in read("marks", "trace_view.json") if event.get("ph") == "X")
    demand(names["a mark"] and names["a range"] and names["a mark of a domain"] == STEPS and not names["left out"], names)


def by_the_environment():
    """A program that knows nothing of it: this one, without calls."""
    options = {"start": True, "output_path": os.path.abspath("outside"), "activities": ["CPU", "NPU"], "profiler_level": "Level1"}
    subprocess.run([sys.executable, "-B", os.path.abspath(sys.argv[0])], env={**os.environ, OPTIONS: json.dumps(options)}, check=True)
    judge_kernels(read("outside", "kernel_details.csv"), 0, True)


choose()
if OPTIONS in os.environ:
    train(STEPS)
    sys.exit(0)
# The older class first: a handler's folder is MindSpore's for all that comes after it.
for form in (from_start_to_stop, a_schedule, levels, a_file_of_sqlite, afterwards, marks, by_the_environment):
    form()
    print("right ", form.__name__, flush=True)
