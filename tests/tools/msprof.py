# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""msprof: the files that it makes of profiles, read as the analysis of PyTorch for Ascend reads them: by the names
of files and columns, and by the arrows from launches to what they launched.

    msprof.py MSPROF TRACED BELAY
"""
import collections
import configparser
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time

try:
    import sqlite3
except ImportError:
    sqlite3 = None

MSPROF, TRACED, BELAY = map(os.path.abspath, sys.argv[1:])
ASKED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "tools", "get_msprof_info.py")
FOLDER = tempfile.TemporaryDirectory()
failed = []
for variable in [name for name in os.environ if name.startswith("BELAY_")]:
    del os.environ[variable]
EVERYTHING, MARKS, REPLAY, COLLECTIVES, NOTHING, DEVICES, AGAIN = range(7)

COLUMNS = {
    "op_summary": ["Device_id", "Op Name", "OP Type", "Task Type", "Task Start Time(us)", "Task Duration(us)",
                   "Task Wait Time(us)", "Block Num", "Mix Block Num", "Input Shapes", "Input Data Types",
                   "Input Formats", "Output Shapes", "Output Data Types", "Output Formats", "Stream ID"],
    "op_statistic": ["OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)", "Avg Time(us)", "Max Time(us)",
                     "Ratio(%)"],
    "api_statistic": ["Level", "API Name", "Time(us)", "Count", "Avg(us)", "Min(us)", "Max(us)", "Variance"],
    "task_time": ["kernel_name", "kernel_type", "stream_id", "task_id", "task_time(us)", "task_start(us)",
                  "task_stop(us)"],
    "npu_module_mem": ["Device_id", "Component", "Timestamp(us)", "Total Reserved(KB)", "Device"],
    "npu_mem": ["Device_id", "event", "memory(KB)", "timestamp(us)"],
    "msprof_tx": ["message", "domain", "Start_time(us)", "End_time(us)", "Device Start_time(us)"],
}


def expect(holds, *what):
    if not holds:
        failed.append(what)
        print("FAILED:", *what)


def nanoseconds(text):
    """Microseconds with three decimals, and a tabulator or none behind them."""
    text = str(text).strip("\t")
    expect(re.fullmatch(r"\d+\.\d{3}", text), text, "is no time")
    return int(text.replace(".", ""))


def msprof(*words, status=0):
    done = subprocess.run([MSPROF, *words], capture_output=True, text=True, cwd=FOLDER.name, check=False)
    expect(done.returncode == status, words, "ends with", done.returncode, "instead of", status, done.stderr)
    return done.stdout + done.stderr


class Profile:
    """The files of one profile."""

    def __init__(self, number, root):
        above = os.path.join(root, str(number))
        names = os.listdir(above)
        expect(len(names) == 1 and re.fullmatch(r"PROF_\d{6}_\d{17}_[A-Z]{16}", names[0]), "profiles are", names)
        self.path = os.path.join(above, names[0])
        with open(os.path.join(self.path, "host", "start_info"), encoding="utf-8") as file:
            begin = json.load(file)
        with open(os.path.join(self.path, "host", "end_info"), encoding="utf-8") as file:
            end = json.load(file)
        self.begin = int(begin["collectionTimeBegin"]) * 1000
        # As MindSpore finds times of its own clock, a counter of the processor.
        asked = subprocess.run([sys.executable, "-B", ASKED, "-dir", os.path.join(self.path, "host")], capture_output=True,
                               text=True, check=True)
        frequency = float(json.loads(asked.stdout)["data"]["host_info"]["cpu_info"][0]["Frequency"])
        counted = [configparser.ConfigParser() for _ in range(2)]
        for file, name in zip(counted, ("host_start.log", "host_end.log")):
            file.read(os.path.join(self.path, "host", name))
        first, last = ((file.getint("Host", "cntvct"), file.getint("Host", "clock_monotonic_raw")) for file in counted)
        expect(abs(first[1] - int(begin["clockMonotonicRaw"])) < 1e9 and
               abs((last[0] - first[0]) * 1000 / frequency - (last[1] - first[1])) < 100, "a counter goes from", first, "to", last)
        # As the analysis finds times of its own clock, CLOCK_MONOTONIC_RAW.
        self.since_1970 = self.begin - int(begin["clockMonotonicRaw"])
        self.end = int(end["clockMonotonicRaw"]) + self.since_1970
        output = os.path.join(self.path, "mindstudio_profiler_output")
        self.table = {}
        for name in os.listdir(output):
            kind = re.fullmatch(r"([a-z_]+)_\d{14}\.(csv|json)", name)
            expect(kind, "the name of", name)
            if kind[2] == "csv":
                with open(os.path.join(output, name), encoding="utf-8", newline="") as file:
                    reader = csv.DictReader(file)
                    expect(set(COLUMNS[kind[1]]) <= set(reader.fieldnames), kind[1], "has", reader.fieldnames)
                    self.table[kind[1]] = list(reader)
            else:
                expect(kind[1] == "msprof", "the name of", name)
                with open(os.path.join(output, name), encoding="utf-8") as file:
                    self.events = json.load(file)
        expect(set(self.table) == set(COLUMNS), "tables are", sorted(self.table))

    def launches(self):
        """The slice at the end of each arrow, and the time of its begin."""
        slices = {(event["pid"], event["tid"], event["ts"]): event for event in self.events if event["ph"] == "X"}
        flows = collections.defaultdict(dict)
        for event in self.events:
            if event.get("cat") == "HostToDevice":
                expect(event["ph"] not in flows[event["id"]], "an arrow has two ends of a kind", event)
                flows[event["id"]][event["ph"]] = event
        found = []
        for number, ends in flows.items():
            expect(set(ends) == {"s", "f"}, "an arrow has one end", number)
            kernel = slices.get((ends["f"]["pid"], ends["f"]["tid"], ends["f"]["ts"]))
            expect(kernel, "an arrow ends at no slice", ends)
            expect(nanoseconds(ends["s"]["ts"]) <= nanoseconds(ends["f"]["ts"]), "an arrow goes back in time", ends)
            found.append((nanoseconds(ends["s"]["ts"]), kernel))
        return found

    def process(self, name):
        return [event["pid"] for event in self.events
                if event["name"] == "process_name" and event["args"]["name"] == name]


def judge_any(profile):
    """Everything lies within the profile, was launched by a call, and is in each table."""
    for row in profile.table["task_time"]:
        begin, end = nanoseconds(row["task_start(us)"]), nanoseconds(row["task_stop(us)"])
        expect(profile.begin <= begin <= end <= profile.end, row, "is not within", profile.begin, profile.end)
        expect(end - begin == nanoseconds(row["task_time(us)"]), row)
    kernels = [row for row in profile.table["task_time"] if row["kernel_type"] in ("AI_CORE", "COMMUNICATION")]
    summary = profile.table["op_summary"]
    expect([(row["kernel_name"], row["task_id"]) for row in kernels] ==
           [(row["Op Name"], row["Task ID"]) for row in summary], "op_summary and task_time differ")
    by_type = collections.Counter(row["OP Type"] for row in summary)
    expect({row["OP Type"]: int(row["Count"]) for row in collapse(profile.table["op_statistic"])} == by_type,
           "op_statistic differs", by_type)
    launched = collections.Counter(kernel["name"] for _, kernel in profile.launches())
    named = collections.Counter(row["kernel_name"] for row in profile.table["task_time"]
                                if row["kernel_type"] != "MSTX")
    expect(launched == named, "launched are", launched, "and run", named)
    hardware = set(profile.process("Ascend Hardware"))
    labels = {event["pid"]: event["args"]["labels"] for event in profile.events if event["name"] == "process_labels"}
    expect(all(labels[process].startswith("NPU ") for process in hardware), "labels are", labels)
    for process in hardware:
        last = 0
        for event in (event for event in profile.events if event["ph"] == "X" and event["pid"] == process):
            expect(isinstance(event["ts"], str) and isinstance(event["dur"], float), event)
            last = max(last, nanoseconds(event["ts"]))
    for name in ("Computing", "Free", "Communication", "Communication(Not Overlapped)"):
        for event in profile.events:
            expect(event["name"] != name or labels[event["pid"]].startswith("NPU "), event, "is on no device")


def collapse(rows):
    """Rows of several devices, by their types."""
    total = collections.Counter()
    for row in rows:
        total[row["OP Type"]] += int(row["Count"])
    return [{"OP Type": name, "Count": count} for name, count in total.items()]


def judge_everything(profile):
    rows = profile.table["op_summary"]
    found = [(row["Op Name"], row["OP Type"], row["Task Type"], row["Input Shapes"], row["Input Data Types"],
              row["Input Formats"], row["Output Shapes"], row["Output Data Types"]) for row in rows]
    add = ("aclnnAdd", "Add", "AI_CORE", '"2,3;2,3"', "FLOAT;FLOAT", "ND;ND", '"2,3"', "FLOAT")
    expect(sorted(found) == [add, add, ("aclnnCat", "Cat", "AI_CORE", '"2,3;2,3"', "FLOAT;FLOAT", "ND;ND", '"4,3"',
                                        "FLOAT")], "operators are", found)
    kinds = collections.Counter(row["kernel_name"] for row in profile.table["task_time"])
    expect(kinds["MEMCPY_ASYNC"] == 3 and kinds["MEMSET_ASYNC"] == 1, "copies are", kinds)
    calls = {row["API Name"]: int(row["Count"]) for row in profile.table["api_statistic"]}
    expect(calls["aclnnAdd"] == 2 and calls["aclnnAddGetWorkspaceSize"] == 2 and calls["aclrtMalloc"] >= 2,
           "calls are", calls)
    levels = [float(row["memory(KB)"]) for row in profile.table["npu_mem"] if row["event"] == "APP"]
    expect(len(levels) >= 4 and len(levels) == len(profile.table["npu_module_mem"]), "levels are", levels)


def judge_marks(profile):
    rows = {row["message"]: row for row in profile.table["msprof_tx"]}
    expect({name: row["domain"] for name, row in rows.items()} ==
           {'a mark, "quoted"': "default", "first": "default", "second": 'a "domain"', "in the stream": 'a "domain"',
            "pushed": "aclprof", "ex": "aclprof"}, "marks are", rows)
    expect([name for name, row in rows.items() if row["Device Start_time(us)"] != "N/A"] ==
           ["first", "in the stream", "ex"], "marks in the stream", rows)
    hardware = profile.process("Ascend Hardware")[0]
    first, add = ([event for event in profile.events if event["pid"] == hardware and event["name"] == name][0]
                  for name in ("first", "aclnnAdd"))
    begin, end = nanoseconds(first["ts"]), nanoseconds(first["ts"]) + round(first["dur"] * 1000)
    expect(begin <= nanoseconds(add["ts"]) and nanoseconds(add["ts"]) + round(add["dur"] * 1000) <= end,
           "the operator is not in the range of its stream", first, add)
    expect(len(profile.process("MSTX")) == 1, "marks of the host")


def judge_replay(profile, was_watched):
    """A graph that was recorded before any profile, whose shapes nobody kept unless there was a timeline already, an
    operator whose plan was kept from before, and an executor that the program has kept."""
    names = [row["Op Name"] for row in profile.table["op_summary"]]
    expect(names == 5 * ["aclnnAdd"] + ["aclnnInplaceAdd"], "operators of graphs are", names)
    kept = profile.table["op_summary"][-1]
    expect(kept["Input Shapes"] == '"5,3;5,3"' and kept["Input Data Types"] == "FLOAT;FLOAT", "what was prepared is", kept)
    shapes = [row["Output Shapes"] for row in profile.table["op_summary"]]
    expect(shapes == (['"2,3"', '"3,3"', '"2,3"', '"3,3"'] if was_watched else 4 * ['""']) + ['"4,3"', '"5,3"'],
           "what graphs run is", shapes)
    expect(sum(row["kernel_type"] == "MODEL_EXECUTE" for row in profile.table["task_time"]) == 2, "runs of graphs")


def judge_collectives(profile):
    types = collections.Counter(row["OP Type"] for row in profile.table["op_summary"])
    expect(types == {"hcom_allReduce_": 2, "hcom_barrier_": 2, "hcom_alltoallv_": 2, "hcom_send_": 1,
                     "hcom_receive_": 1}, "collectives are", types)
    with open(os.path.join(profile.path, "analyze", "communication.json"), encoding="utf-8") as file:
        communication = json.load(file)
    with open(os.path.join(profile.path, "analyze", "communication_matrix.json"), encoding="utf-8") as file:
        matrix = json.load(file)
    expect(len(communication) == 8 and len(matrix) == 6, "accounts are of", len(communication), len(matrix))
    groups = {name.split("@")[1] for name in communication}
    expect(len(groups) == 1 and re.fullmatch("[0-9a-f]{16}", groups.pop()), "groups", communication.keys())
    for name, parts in communication.items():
        times, bandwidth = parts["Communication Time Info"], parts["Communication Bandwidth Info"]
        begin = times["Start Timestamp(us)"] * 1000
        expect(profile.begin - 1000 <= begin <= profile.end + 1000, name, times)
        expect(set(times) == {"Start Timestamp(us)", "Elapse Time(ms)", "Transit Time(ms)", "Wait Time(ms)",
                              "Synchronization Time(ms)", "Idle Time(ms)", "Wait Time Ratio",
                              "Synchronization Time Ratio"}, name, times)
        amount = sum(link["Transit Size(MB)"] for link in bandwidth.values())
        bytes = {"hcom_allReduce_": 24, "hcom_barrier_": 0, "hcom_alltoallv_": 16, "hcom_send_": 8,
                 "hcom_receive_": 8}[re.match(r"hcom_[a-zA-Z]+_", name)[0]]
        expect(abs(amount * 1e6 - bytes) < 0.5, name, "moves", amount)
    links = sorted((re.match(r"hcom_[a-zA-Z]+_", name)[0], link, round(value["Transit Size(MB)"] * 1e6))
                   for name, all in matrix.items() for link, value in all.items())
    expect(links == [("hcom_allReduce_", "0-1", 24), ("hcom_allReduce_", "1-0", 24), ("hcom_alltoallv_", "0-1", 8),
                     ("hcom_alltoallv_", "1-0", 8), ("hcom_receive_", "0-1", 8), ("hcom_send_", "0-1", 8)],
           "links are", links)


def judge_devices(profile):
    devices = collections.Counter(row["Device_id"] for row in profile.table["op_summary"])
    expect(devices == {"0": 1010, "1": 10}, "operators by device", devices)
    expect(len(profile.process("Ascend Hardware")) == 2, "devices")


def has_databases(path):
    """Whether msprof finds libsqlite3, without which it says so; and whether Python does."""
    done = subprocess.run([MSPROF, "--export=on", "--type=db", f"--output={path}"], capture_output=True, text=True,
                          check=False)
    if done.returncode == 1 and "libsqlite3.so.0, which is not there; Debian's package libsqlite3-0" in done.stderr:
        print("no data bases:", done.stderr)
        return False
    expect(done.returncode == 0, "a data base", done.stderr)
    return sqlite3 is not None


def judge_database(profile):
    """The same as in the tables, by the names of tables and columns that the analysis asks for."""
    msprof("--export=on", "--type=db", f"--output={profile.path}")
    found = [name for name in os.listdir(profile.path) if re.fullmatch(r"msprof_\d+\.db", name)]
    expect(len(found) == 1, "data bases are", found)
    base = sqlite3.connect(os.path.join(profile.path, found[0]))
    ask = lambda text: base.execute(text).fetchall()  # noqa: E731
    tables = {name for name, in ask("select name from sqlite_master where type = 'table'")}
    expect(ask("pragma integrity_check") == [("ok",)], "the file")
    us = lambda ns: f"{ns // 1000}.{ns % 1000:03}"  # noqa: E731
    # Every task, and every operator and collective with what it works on.
    tasks = ask("select startNs, endNs, deviceId, streamId, taskId, value from TASK join STRING_IDS on taskType = id "
                "where value <> 'MSTX' order by globalTaskId")
    text = [(row["task_start(us)"].strip(), row["task_stop(us)"].strip(), row["stream_id"], row["task_id"],
             row["kernel_type"]) for row in profile.table["task_time"] if row["kernel_type"] != "MSTX"]
    expect([(us(begin), us(end), str(stream), str(number), kind)
            for begin, end, _, stream, number, kind in tasks] == text, "tasks are", tasks, "instead of", text)
    named = {number: value for number, value in ask("select id, value from STRING_IDS")}
    expect(len(set(named.values())) == len(named) and 0 not in named, "texts stand more than once")
    computed = ask("select name, TASK.startNs, TASK.endNs, deviceId, opType, inputShapes, inputDataTypes, inputFormats, "
                   "outputShapes, outputDataTypes, outputFormats from COMPUTE_TASK_INFO join TASK "
                   "on COMPUTE_TASK_INFO.globalTaskId = TASK.globalTaskId order by TASK.globalTaskId")
    text = [(row["Op Name"], row["Task Start Time(us)"].strip(), row["Task Duration(us)"], row["Device_id"],
             row["OP Type"], row["Input Shapes"].strip('"'), row["Input Data Types"], row["Input Formats"],
             row["Output Shapes"].strip('"'), row["Output Data Types"], row["Output Formats"])
            for row in profile.table["op_summary"] if row["Task Type"] == "AI_CORE"]
    expect([(named[name], us(begin), us(end - begin), str(device), *(named[value] for value in values))
            for name, begin, end, device, *values in computed] == text, "operators are", computed, "instead of", text)
    collectives = [row for row in profile.table["op_summary"] if row["Task Type"] == "COMMUNICATION"]
    expect(("COMMUNICATION_OP" in tables) == bool(collectives), "a table of collectives")
    if collectives:
        rows = ask("select c.opName, c.startNs, t.deviceId from COMMUNICATION_OP c join (select connectionId, deviceId "
                   "from TASK group by connectionId having count(distinct deviceId) = 1) t "
                   "on c.connectionId = t.connectionId order by c.opId")
        expect([(named[name], us(begin), str(device)) for name, begin, device in rows] ==
               [(row["Op Name"], row["Task Start Time(us)"].strip(), row["Device_id"]) for row in collectives], rows)
    # Each launch leads to its task, and calls are counted.
    launch = ask("select id from STRING_IDS where value = 'launch'")
    if launch:
        launches = ask("select CANN_API.startNs, TASK.startNs, taskType from CANN_API join TASK on CANN_API.connectionId = "
                       f"TASK.connectionId where name = {launch[0][0]} and type = 10000")
        expect(sorted(begin for begin, _, _ in launches) == sorted(begin for begin, _ in profile.launches()),
               "launches are", launches)
        expect(all(begin <= start for begin, start, _ in launches), "a launch comes behind its task")
    calls = collections.Counter(named[name] for name, in ask("select name from CANN_API where type = 20000"))
    expect(calls == {row["API Name"]: int(row["Count"]) for row in profile.table["api_statistic"]}, "calls are", calls)
    marks = [row["message"] for row in profile.table["msprof_tx"]]
    expect(("MSTX_EVENTS" in tables) == bool(marks), "a table of marks")
    if marks:
        rows = ask("select startNs, endNs, globalTid, connectionId, message from MSTX_EVENTS order by startNs")
        expect(sorted(named[row[-1]] for row in rows) == sorted(marks), "marks are", rows)
    base.close()


def judge_accounts(profile):
    msprof("--analyze=on", "--type=db", f"--output={profile.path}")
    base = sqlite3.connect(os.path.join(profile.path, "analyze", "communication_analyzer.db"))
    with open(os.path.join(profile.path, "analyze", "communication.json"), encoding="utf-8") as file:
        communication = json.load(file)
    with open(os.path.join(profile.path, "analyze", "communication_matrix.json"), encoding="utf-8") as file:
        matrix = json.load(file)
    times = base.execute("select hccl_op_name, group_name, start_timestamp, elapse_time, transit_time, wait_time, "
                         "synchronization_time, idle_time from CommAnalyzerTime").fetchall()
    expect([f"{row[0]}@{row[1]}" for row in times] == list(communication), "times are", times)
    for row in times:
        part = communication[f"{row[0]}@{row[1]}"]["Communication Time Info"]
        expect(abs(row[2] - part["Start Timestamp(us)"]) < 1 and abs(row[3] - part["Elapse Time(ms)"]) < 1e-5, row, part)
    sizes = base.execute("select hccl_op_name, group_name, transport_type, transit_size, transit_time, bandwidth, "
                         "large_packet_ratio, package_size, count, total_duration from CommAnalyzerBandwidth").fetchall()
    for name, group, transport, size, *_ in sizes:
        link = communication[f"{name}@{group}"]["Communication Bandwidth Info"][transport]
        expect(abs(link["Transit Size(MB)"] - size) < 1e-6, name, size, link)
    links = base.execute("select hccl_op_name, group_name, src_rank, dst_rank, transport_type, transit_size, transit_time, "
                         "bandwidth from CommAnalyzerMatrix").fetchall()
    expect(len(sizes) == len(communication), "sizes are", sizes)
    expect(sorted((f"{row[0]}@{row[1]}", f"{row[2]}-{row[3]}", row[4], round(row[5], 6)) for row in links) ==
           sorted((name, link, value["Transport Type"], value["Transit Size(MB)"])
                  for name, all in matrix.items() for link, value in all.items()), "links are", links)
    base.close()


def judge_command():
    text = msprof("--help")
    expect("--export=on" in text and "belay trace" in text and "--type=db" in text, "the help is", text)
    expect(msprof() == text, "without a word")
    expect("belay trace PROGRAM records" in msprof("--application=./a", status=2), "collecting")
    expect("'./program' is not offered" in msprof("./program", status=2), "a program")
    expect("--output=FOLDER" in msprof("--export=on", status=2), "no folder")
    expect("is no profile" in msprof("--export=on", "--output=/does/not/exist", status=1), "no such folder")
    expect("'--type=xml' is not offered" in msprof("--export=on", "--type=xml", "--output=.", status=2), "a type")
    open_still = os.path.join(FOLDER.name, "open_still")
    os.makedirs(open_still)
    asked = subprocess.run([sys.executable, "-B", ASKED, "-dir", open_still], capture_output=True, text=True, check=False)
    expect(asked.returncode == 1 and "not of a profile that has ended" in asked.stderr, asked)
    damaged = os.path.join(FOLDER.name, "PROF_damaged")
    os.makedirs(os.path.join(damaged, "host", "data"))
    for name, content in (("start_info", b"{}"), ("data/timeline.belay", b"no timeline")):
        with open(os.path.join(damaged, "host", name), "wb") as file:
            file.write(content)
    expect("cannot be read" in msprof("--export=on", f"--output={damaged}", status=1), "a damaged profile")


def main():
    before = time.time_ns()
    root = os.path.join(FOLDER.name, "profiles")
    for settings, command in (({}, [TRACED]), ({"BELAY_SCHEDULE": "lazy"}, [TRACED]),
                              ({}, [BELAY, "trace", "-o", os.path.join(FOLDER.name, "trace.json"), TRACED])):
        done = subprocess.run(["rm", "-rf", root], check=True)
        done = subprocess.run([*command, "profile", root], check=False, capture_output=True, text=True,
                              env={**os.environ, "BELAY_DEVICES": "2", **settings})
        expect(done.returncode == 0, command, settings, done.returncode, done.stderr)
        for number in range(7):
            msprof("--export=on", f"--output={root}/{number}")
            msprof("--analyze=on", f"--output={root}/{number}")
        profiles = [Profile(number, root) for number in range(7)]
        for profile in profiles:
            expect(before <= profile.begin <= time.time_ns(), "the profile begins at", profile.begin)
            judge_any(profile)
        judge_everything(profiles[EVERYTHING])
        judge_marks(profiles[MARKS])
        judge_replay(profiles[REPLAY], command[0] == BELAY)
        judge_replay(profiles[AGAIN], command[0] == BELAY)
        judge_collectives(profiles[COLLECTIVES])
        judge_devices(profiles[DEVICES])
        expect(not profiles[NOTHING].table["task_time"], "nothing was done")
        if has_databases(profiles[EVERYTHING].path):
            for profile in profiles:
                judge_database(profile)
            judge_accounts(profiles[COLLECTIVES])
    # What stands in for a system without the library.
    nowhere = os.path.join(FOLDER.name, "nowhere")
    os.makedirs(nowhere)
    with open(os.path.join(nowhere, "libsqlite3.so.0"), "wb") as file:
        file.write(b"this is no library")
    done = subprocess.run([MSPROF, "--export=on", "--type=db", f"--output={root}/{NOTHING}"], capture_output=True, text=True,
                          check=False, env={**os.environ, "LD_LIBRARY_PATH": nowhere})
    expect(done.returncode == 1 and "Debian's package libsqlite3-0" in done.stderr, "without libsqlite3", done)
    judge_command()
    print(len(failed), "failures")
    return 1 if failed else 0


sys.exit(main())
