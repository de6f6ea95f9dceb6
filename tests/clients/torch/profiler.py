# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""torch_npu.profiler and torch.profiler around a training loop, in the forms that programs have, and what their files
say of it."""
import atexit
import collections
import csv
import ctypes
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import torch
import torch_npu

FOLDER = tempfile.mkdtemp(prefix="belay_profiler_")
OWN = os.getpid() # the analysis forks
atexit.register(lambda: os.getpid() == OWN and shutil.rmtree(FOLDER, ignore_errors=True))
os.chdir(FOLDER) # exports without a handler write where the process is
PROFILER = torch_npu.profiler
STEPS = 2


def train(steps, step=None):
    """Two layers, SGD; the same operators in each step."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).npu()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    x, y = torch.randn(5, 8).npu(), torch.randn(5, 4).npu()
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        if step:
            torch.npu.synchronize() # what a step launches runs in it
            step()
    torch.npu.synchronize()


def read(folder, name):
    found = glob.glob(os.path.join(folder, "*_ascend_pt", "ASCEND_PROFILER_OUTPUT", name))
    assert len(found) == 1, (name, found, glob.glob(os.path.join(folder, "*", "*", "*")))
    with open(found[0], encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)) if name.endswith(".csv") else json.load(file)


def shapes(row):
    return row["Input Shapes"].strip('"'), row["Output Shapes"].strip('"')


def judge_kernels(rows, is_whole):
    """Each operator of each step, with its shapes; times and streams."""
    for row in rows:
        assert row["Name"].startswith("aclnn") and row["Accelerator Core"] == "AI_CORE", row
        assert float(row["Duration(us)"]) > 0 and float(row["Start Time(us)"].strip("\t")) > 1e15, row
    steps = collections.defaultdict(list)
    for row in rows:
        steps[row["Step Id"]].append(row)
    assert len(steps) == STEPS and "" not in steps, steps.keys()
    for step in steps.values():
        names = collections.Counter(row["Type"] for row in step)
        assert names["Addmm"] == 2 and names["Relu"] == 1 and names["MseLoss"] == 1, names
        assert names["Mm"] == 3 and names["ThresholdBackward"] == 1, names
        starts = [float(row["Start Time(us)"].strip("\t")) for row in step]
        assert starts == sorted(starts)
        if not is_whole:
            continue
        assert len({row["Stream ID"] for row in step}) == 1
        products = [shapes(row) for row in step if row["Type"] == "Addmm"]
        assert products == [("16;5,8;8,16", "5,16"), ("4;5,16;16,4", "5,4")], products
        assert {row["Input Data Types"] for row in step if row["Type"] == "Addmm"} == {"FLOAT;FLOAT;FLOAT"}


def judge_trace(events):
    """PyTorch's operators, Belay's calls and tasks, and arrows from the ones to the others."""
    kernels = [event for event in events if event.get("ph") == "X" and event.get("args", {}).get("Task Type") == "AI_CORE"]
    arrows = [event for event in events if event.get("name") == "torch_to_npu"]
    ends = {(event["pid"], event["tid"], event["ts"]) for event in arrows if event["ph"] == "f"}
    starts = sum(event["ph"] == "s" for event in arrows)
    launched = sum((event["pid"], event["tid"], event["ts"]) in ends for event in kernels)
    assert kernels and starts == len(arrows) - starts and launched == len(kernels), (len(kernels), launched, len(arrows))
    names = {event["name"] for event in events if event.get("ph") == "X"}
    assert {"aten::addmm", "aclnnAddmm"} <= names, names
    steps = [event for event in events if event.get("name", "").startswith("ProfilerStep#")]
    for step in steps:
        assert any(float(step["ts"]) <= float(kernel["ts"]) for kernel in kernels)


def with_schedule(level, **settings):
    folder = os.path.join(FOLDER, "schedule_" + level + "".join(f"{key}{len(str(value))}" for key, value in settings.items()))
    config = PROFILER._ExperimentalConfig(profiler_level=getattr(PROFILER.ProfilerLevel, level), **settings)
    with PROFILER.profile(activities=[PROFILER.ProfilerActivity.CPU, PROFILER.ProfilerActivity.NPU],
                          schedule=PROFILER.schedule(wait=1, warmup=1, active=STEPS, repeat=1), record_shapes=True,
                          profile_memory=True, with_stack=True, experimental_config=config,
                          on_trace_ready=PROFILER.tensorboard_trace_handler(folder)) as profile:
        train(2 + STEPS, profile.step)
    return folder


def judge_schedule(level, folder):
    judge_kernels(read(folder, "kernel_details.csv"), level != "Level0")
    judge_trace(read(folder, "trace_view.json"))
    operators = collections.defaultdict(list)
    for row in read(folder, "operator_details.csv"):
        operators[row["Name"]].append(row)
    assert len(operators["aten::addmm"]) == 2 * STEPS
    for row in operators["aten::addmm"]:
        assert float(row["Device Total Duration(us)"]) > 0 and row["Input Shapes"].count(";") >= 2, row
    assert all(float(row["Device Total Duration With AICore(us)"]) > 0 for row in operators["aten::mm"])
    steps = read(folder, "step_trace_time.csv")
    assert len(steps) == STEPS and all(float(row["Computing"]) > 0 and float(row["Free"]) > 0 for row in steps), steps
    assert read(folder, "task_time.csv") and read(folder, "memory_record.csv") and read(folder, "operator_memory.csv")
    if level != "Level0":
        counted = {row["OP Type"]: int(row["Count"]) for row in read(folder, "op_statistic.csv")}
        assert counted["Addmm"] == 2 * STEPS and counted["Relu"] == STEPS, counted
        calls = {row["API Name"]: int(row["Count"]) for row in read(folder, "api_statistic.csv")}
        assert calls["aclnnAddmm"] == 2 * STEPS, calls


def marks_alone():
    """Level_none: marks, and no operator."""
    folder = os.path.join(FOLDER, "marks")
    config = PROFILER._ExperimentalConfig(profiler_level=PROFILER.ProfilerLevel.Level_none, mstx=True)
    with PROFILER.profile(on_trace_ready=PROFILER.tensorboard_trace_handler(folder), experimental_config=config):
        torch_npu.npu.mstx.mark("a mark", torch.npu.current_stream())
        with_range = torch_npu.npu.mstx.range_start("a range", torch.npu.current_stream(), domain="mine")
        train(1)
        torch_npu.npu.mstx.range_end(with_range, domain="mine")
    events = read(folder, "trace_view.json")
    names = collections.Counter(event["name"] for event in events if event.get("ph") == "X")
    assert names["a mark"] == 2 and names["a range"] == 2, names # on the host, and in the stream
    assert not any(event.get("args", {}).get("Task Type") == "AI_CORE" for event in events)


def data_bases():
    """ExportType.Db: PyTorch's operators lead to the tasks that they launched, and steps have their times."""
    try:
        ctypes.CDLL("libsqlite3.so.0")
    except OSError as error:
        print("no data bases:", error)
        return
    types = [PROFILER.ExportType.Db, PROFILER.ExportType.Text]
    for kinds in types[:1], types:
        # torch_npu's own scheduler of steps now and then ends when msprof has, and leaves out those behind it.
        for _ in range(8):
            folder = with_schedule("Level1", export_type=kinds)
            found = glob.glob(os.path.join(folder, "*_ascend_pt", "ASCEND_PROFILER_OUTPUT", "*.db"))
            if found:
                break
            assert glob.glob(os.path.join(folder, "*_ascend_pt", "PROF_*", "msprof_*.db")), "msprof has written none"
            shutil.rmtree(folder)
        names = {os.path.basename(name): sqlite3.connect(name) for name in found}
        assert set(names) == {"ascend_pytorch_profiler.db", "analysis.db"}, names
        if len(kinds) > 1:
            judge_kernels(read(folder, "kernel_details.csv"), True)
        rows = names["ascend_pytorch_profiler.db"].execute(
            "select operator.value, kernel.value, TASK.startNs, TASK.endNs, shapes.value from PYTORCH_API "
            "join CONNECTION_IDS on PYTORCH_API.connectionId = CONNECTION_IDS.id "
            "join TASK on TASK.connectionId = CONNECTION_IDS.connectionId "
            "join COMPUTE_TASK_INFO on COMPUTE_TASK_INFO.globalTaskId = TASK.globalTaskId "
            "join STRING_IDS operator on operator.id = PYTORCH_API.name "
            "join STRING_IDS kernel on kernel.id = COMPUTE_TASK_INFO.name "
            "join STRING_IDS shapes on shapes.id = COMPUTE_TASK_INFO.inputShapes where PYTORCH_API.type = 50001").fetchall()
        products = [row for row in rows if row[1] == "aclnnAddmm"]
        assert len(products) == 2 * STEPS and all(row[2] < row[3] for row in products), rows
        assert {row[4] for row in products} == {"16;5,8;8,16", "4;5,16;16,4"}, products
        steps = names["analysis.db"].execute("select step, computing, free from StepTraceTime").fetchall()
        assert len(steps) == STEPS and all(computing > 0 for _, computing, _ in steps), steps


def chrome_trace():
    path = os.path.join(FOLDER, "chrome.json")
    profile = PROFILER.profile()
    profile.start()
    train(STEPS, profile.step)
    profile.stop()
    profile.export_chrome_trace(path)
    with open(path, encoding="utf-8") as file:
        judge_trace(json.load(file))


def of_torch():
    """torch.profiler: the program runs, and where libmspti.so is loaded before, as on a device, has the operators."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1], record_shapes=True) as found:
        train(STEPS)
    path = os.path.join(FOLDER, "torch.json")
    found.export_chrome_trace(path)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    assert any(event.get("name") == "aten::addmm" for event in events)
    if "libmspti.so" in os.environ.get("LD_PRELOAD", "") and int(torch_npu.__version__.split(".")[1]) >= 12:
        kernels = collections.Counter(event["name"] for event in events if event.get("cat") == "kernel")
        assert kernels["aclnnAddmm"] == 2 * STEPS and kernels["aclnnRelu"] == STEPS, kernels


train(1)
if sys.argv[1:] == ["of_torch"]:
    of_torch()
    sys.exit()
for level, settings in (("Level0", {}), ("Level1", {"aic_metrics": PROFILER.AiCMetrics.PipeUtilization}),
                        ("Level2", {"mstx": True})):
    judge_schedule(level, with_schedule(level, **settings))
marks_alone()
data_bases()
chrome_trace()
of_torch()
library = os.path.join(os.environ["ASCEND_HOME_PATH"], "lib64", "libmspti.so")
subprocess.run([sys.executable, __file__, "of_torch"], check=True,
               env={**os.environ, "LD_PRELOAD": library + ":" + os.environ.get("LD_PRELOAD", "")})
