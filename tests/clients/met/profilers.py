# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Programs with a profiler, and what their files say."""
import csv
import glob
import json
import os
import subprocess
import tempfile

from entry import entry


def trained(torch):
    x, w = torch.randn(5, 8).npu(), torch.randn(4, 8).npu()
    for _ in range(2):
        torch.nn.functional.linear(x, w).relu().sum()
    torch.npu.synchronize()


def profiled(name):
    """The file of this name that torch_npu's analysis writes."""
    import torch
    import torch_npu
    with tempfile.TemporaryDirectory() as folder:
        config = torch_npu.profiler._ExperimentalConfig(profiler_level=torch_npu.profiler.ProfilerLevel.Level1)
        with torch_npu.profiler.profile(on_trace_ready=torch_npu.profiler.tensorboard_trace_handler(folder), record_shapes=True,
                                        experimental_config=config) as profile:
            trained(torch)
            profile.step()
        found = glob.glob(os.path.join(folder, "*_ascend_pt", "ASCEND_PROFILER_OUTPUT", name))
        assert len(found) == 1, f"{name} is not written"
        with open(found[0], encoding="utf-8", newline="") as file:
            return json.load(file) if name.endswith(".json") else list(csv.DictReader(file))


@entry("3 trace_view.json", "has the operators that Belay ran, with times")
def traced():
    events = profiled("trace_view.json")
    assert any(event.get("name") == "aclnnRelu" and float(event.get("dur", 0)) > 0 for event in events)


@entry("3 kernel_details.csv", "names, shapes, dtypes, stream, times")
def kernels():
    rows = [row for row in profiled("kernel_details.csv") if row["Type"] == "Relu"]
    assert len(rows) == 2 and all(row["Input Shapes"].strip('"') == "5,4" and row["Input Data Types"] == "FLOAT" for row in rows), rows


@entry("3 operator_details.csv", "PyTorch's operators have their time on the device")
def operators():
    rows = [row for row in profiled("operator_details.csv") if row["Name"] == "aten::relu"]
    assert len(rows) == 2 and all(float(row["Device Total Duration(us)"]) > 0 for row in rows), rows


@entry("3 op_statistic.csv", "counts each kind")
def counted():
    assert {row["OP Type"]: row["Count"] for row in profiled("op_statistic.csv")}["Relu"] == "2"


@entry("3 torch.profiler", "PrivateUse1: the program runs, and its trace has the operators")
def of_torch():
    import torch
    import torch_npu  # noqa: F401
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as found:
        trained(torch)
    assert any(row.key == "aten::relu" for row in found.key_averages())


@entry("3 mstx", "marks and ranges go into the timeline")
def marks():
    import torch
    import torch_npu
    with tempfile.TemporaryDirectory() as folder:
        config = torch_npu.profiler._ExperimentalConfig(profiler_level=torch_npu.profiler.ProfilerLevel.Level_none, mstx=True)
        with torch_npu.profiler.profile(on_trace_ready=torch_npu.profiler.tensorboard_trace_handler(folder), experimental_config=config):
            torch_npu.npu.mstx.mark("a mark of mine", torch.npu.current_stream())
            around = torch_npu.npu.mstx.range_start("a range of mine", torch.npu.current_stream())
            trained(torch)
            torch_npu.npu.mstx.range_end(around)
        found = glob.glob(os.path.join(folder, "*_ascend_pt", "ASCEND_PROFILER_OUTPUT", "trace_view.json"))
        assert len(found) == 1
        with open(found[0], encoding="utf-8") as file:
            names = {event["name"] for event in json.load(file) if event.get("ph") == "X"}
    assert {"a mark of mine", "a range of mine"} <= names, names


@entry("3 msprof", "the command is there and says what it takes")
def command():
    done = subprocess.run(["msprof", "--help"], check=False, capture_output=True, text=True)
    assert "--export" in done.stdout + done.stderr
