# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""belay trace: what its timelines say of programs of which it is known what they do, and that they keep to the
format. Faults that are planted into good timelines are found.

    trace.py BELAY TRACED EXAMPLE...
"""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile

import timeline

BELAY, TRACED, *EXAMPLES = map(os.path.abspath, sys.argv[1:])
FOLDER = tempfile.TemporaryDirectory()
OUTPUT = os.path.join(FOLDER.name, "trace.json")
failed = []
for variable in [name for name in os.environ if name.startswith("BELAY_")]:
    del os.environ[variable]


def expect(holds, *what):
    if not holds:
        failed.append(what)
        print("FAILED:", *what)


def belay(*words, status=0, **settings):
    """What belay trace prints to standard error."""
    done = subprocess.run([BELAY, "trace", *words], capture_output=True, text=True, cwd=FOLDER.name,
                          env={**os.environ, "BELAY_DEVICES": "2", **settings}, check=False)
    expect(done.returncode == status, words, "ends with", done.returncode, "instead of", status, done.stderr)
    return done.stderr


def left():
    return sorted(os.listdir(FOLDER.name))


def remove():
    for name in left():
        os.unlink(os.path.join(FOLDER.name, name))


def record(*words, status=0, **settings):
    """The timeline of a program, and the lines of its table."""
    remove()
    text = belay("-o", OUTPUT, *words, status=status, **settings)
    expect(left() == ["trace.json"], words, "leaves", left())
    try:
        found = timeline.read(OUTPUT)
    except (OSError, timeline.Refused) as error:
        expect(False, words, error)
        return None, text
    expect(found.lost == 0, words, "loses", found.lost)
    return found, text


def judge_calls(found):
    """Each operator on a stream was submitted by a call of its name, within which its arrow begins."""
    for start, end in found.arrows("submit"):
        expect(end.category == "graph" or start.name == end.name, "an arrow from", start, "to", end)
    for slice in found.of("operator"):
        expect(found.is_stream(slice.track), slice, "is on no stream")
        if slice.name.startswith("aclnn"):
            expect(slice.arguments.get("writes"), slice, "writes nothing")
    numbers = [slice.arguments["task"] for slice in found.of("operator") if "task" in slice.arguments]
    expect(all(number < 1 << 20 for number in numbers), "numbers of tasks", numbers)


def judge_everything(found, text):
    add = found.of("operator", "aclnnAdd")
    expect(len(add) == 2, "two additions", add)
    for slice in add:
        expect(slice.arguments["reads"] == {"self": "FLOAT [2, 3]", "other": "FLOAT [2, 3]"} and
               slice.arguments["writes"] == {"out": "FLOAT [2, 3]"}, "operands of", slice)
    expect({found.thread[slice.track] for slice in add} == {"stream 0 (default)", "stream 1"}, "streams of", add)
    cat = found.of("operator", "aclnnCat")[0]
    expect(cat.arguments["reads"] == {"tensors[0]": "FLOAT [2, 3]", "tensors[1]": "FLOAT [2, 3]"} and
           cat.arguments["writes"] == {"out": "FLOAT [4, 3]"}, "operands of", cat)
    copies = {(slice.name, slice.arguments["direction"], slice.arguments["bytes"], found.is_stream(slice.track))
              for slice in found.of("copy")}
    expect(copies == {("aclrtMemcpy", "host to device", 24, False), ("aclrtMemcpy", "device to host", 20, False),
                      ("aclrtMemcpyAsync", "host to device", 16, True),
                      ("aclrtMemcpyAsync", "device to device", 12, True),
                      ("aclrtMemcpyAsync", "device to host", 8, False),
                      ("aclrtMemcpy2dAsync", "host to device", 12, True),
                      ("aclrtMemcpy2d", "device to host", 8, False)}, "copies are", copies)
    sets = [(slice.name, slice.arguments["bytes"]) for slice in found.of("set")]
    expect(sorted(sets) == [("aclrtMemset", 24), ("aclrtMemset", 48), ("aclrtMemsetAsync", 24)], "sets are", sets)
    for name in ("aclInit", "aclrtSetDevice", "aclrtMalloc", "aclnnAddGetWorkspaceSize", "aclnnAdd",
                 "aclrtSynchronizeStream", "aclFinalize"):
        expect(found.of("call", name), "there is no call of", name)
    device = [process for process, name in found.process.items() if name == "device 0"][0]
    levels = [bytes for _, bytes in found.counters[device, "memory in use"]]
    expect(len(levels) >= 4 and max(levels) >= 72 and levels[-1] == 0, "memory is", levels)
    rows = {line.split("%", 1)[1].strip(): line.split() for line in text.splitlines() if "%" in line}
    expect(rows["aclnnAdd"][0] == "2" and rows["aclrtMemcpy, host to device"][0] == "1" and
           rows["aclrtMemset"][0] == "2" and "aclnnCat" in rows, "the table is", text)
    expect(abs(sum(float(row[4][:-1]) for row in rows.values()) - 100) < 1, "shares of", text)
    total = sum(slice.end - slice.begin for slice in add)
    expect(abs(float(rows["aclnnAdd"][1]) * 1e6 - total) < 1000, "the total of", rows["aclnnAdd"], "is", total)


def judge_collectives(found, text):
    """Two ranks: bytes, memory, parts by their places, and a line of the table for each function."""
    for name, bytes, reads, writes in (("HcclAllReduce", 24, ["sendBuf"], ["recvBuf"]), ("HcclBarrier", None, [], []),
                                       ("HcclAlltoAllV", 16, ["sendBuf[0]", "sendBuf[1]"], ["recvBuf"]),
                                       ("HcclSend", 8, ["sendBuf"], []), ("HcclRecv", 8, [], ["recvBuf"])):
        slices = found.of("operator", name)
        expect(len(slices) == (1 if name in ("HcclSend", "HcclRecv") else 2), name, "is", slices)
        for slice in slices:
            expect(slice.arguments.get("bytes") == bytes, "bytes of", slice)
            operands = [slice.arguments.get("reads", {}), slice.arguments.get("writes", {})]
            expect([list(one) for one in operands] == [reads, writes], "operands of", slice, operands)
            expect(all(text.startswith("device memory 0x") for one in operands for text in one.values()), operands)
        expect(f"  {name}\n" in text, "the table is", text)


def judge_waits(found, _):
    arrows = found.arrows("event")
    expect(len(arrows) == 2, "two waits are arrows:", arrows)
    for start, end in arrows:
        expect(start.name == "aclrtRecordEvent" and end.name == "aclrtStreamWaitEvent" and
               start.track != end.track, "an arrow from", start, "to", end)
        expect(start.end <= end.end, end, "ends before", start)
    add = found.of("operator", "aclnnAdd")
    large, small = max(slice.end for slice in add[:2]), min(slice.begin for slice in add[2:])
    expect(large <= small, "the second stream does not wait")


def judge_callbacks(found, text):
    arrows = found.arrows("callback")
    expect(len(arrows) == 2, "two callbacks are arrows:", arrows)
    for start, end in arrows:
        expect(start.name == "aclrtLaunchCallback" and end.name == "callback" and
               end.parent.name == "aclrtProcessReport", "an arrow from", start, "to", end)
    calls = found.of("call", "aclrtGetMemInfo")
    expect(len(calls) == 4 and sum(call.parent is not None and call.parent.name == "callback" for call in calls) == 2,
           "calls in callbacks are", calls)
    expect(len(found.of("callback", "aclrtLaunchHostFunc")) == 2, "host functions")
    expect('say "\\\xe9\n"' in found.thread.values(), "names of threads are", found.thread)
    rows = re.findall(r"^ +(\d+) .*%  (.*)$", text, re.M)
    expect(sorted(rows) == [("2", "aclrtLaunchHostFunc"), ("2", "callback")], "the table is", text)
    waiting = found.of("callback", "aclrtLaunchCallback")[0]
    expect(waiting.end >= arrows[0][1].end, "the stream does not wait for", arrows[0])


def judge_graph(found, text):
    runs = found.of("graph", "aclmdlRIExecuteAsync")
    expect(len(runs) == 3, "three runs", runs)
    add = found.of("operator", "aclnnAdd")
    expect(len(add) == 6 and all(slice.parent in runs for slice in add), "steps lie in runs:", add)
    expect([slice.arguments["writes"]["out"] for slice in add] == ["FLOAT [2, 3]", "FLOAT [3, 3]"] * 3, "steps")
    expect(not any("reads" in slice.arguments for slice in runs), "operands of graphs", runs[0])
    expect(len(found.arrows("submit")) == 3, "arrows of graphs", found.arrows("submit"))
    expect(re.search(r"^ +6 .* aclnnAdd$", text, re.M), "the table is", text)


def judge_marks(found, _):
    words = [(phase, name, domain) for phase, name, domain, _, _ in found.marks]
    expect(words == [("i", 'a mark, "quoted"', "default"), ("b", "first", "default"), ("e", "first", "default"),
                     ("b", "second", 'a "domain"'), ("e", "second", 'a "domain"'),
                     ("i", "in the stream", 'a "domain"'), ("b", "pushed", "aclprof"), ("e", "pushed", "aclprof"),
                     ("i", "ex", "aclprof")], "marks are", words)
    time = {(phase, name): time for phase, name, _, time, _ in found.marks}
    expect(time["b", "first"] <= time["b", "second"] <= time["e", "first"] <= time["e", "second"], "ranges", time)
    expect(len(found.of("event", "mstxRangeStartA")) == 1 and len(found.of("event", "mstxRangeEnd")) == 1 and
           len(found.of("event", "mstxDomainMarkA")) == 1 and len(found.of("event", "aclprofMarkEx")) == 1,
           "marks in streams", found.of("event"))


def judge_devices(found, _):
    add = found.of("operator", "aclnnAdd")
    devices = [found.process[slice.track[0]] for slice in add]
    expect(devices.count("device 0") == 1010 and devices.count("device 1") == 10, "devices")
    expect(sum(name == "test_tools_trac" for name in found.thread.values()) == 103, "threads", len(found.thread))


def judge_many(found, _):
    expect(len(found.of("operator", "aclnnAdd")) == 10000, "operators", len(found.of("operator", "aclnnAdd")))
    expect(all(len(slice.arguments["reads"]) == 2 for slice in found.of("operator")), "operands are missing")
    expect(len(found.of("call", "aclnnAddGetWorkspaceSize")) == 10000, "first phases")


def judge_end(found, _):
    expect(len(found.of("operator", "aclnnAdd")) == 1 and found.of("call", "aclrtSynchronizeStream"), "what was done")
    expect(not any("never ended" in slice.arguments for slice in found.slices), "everything had ended")


def judge_hang(found, text):
    open_ones = sorted(slice.name for slice in found.slices if "never ended" in slice.arguments)
    expect(open_ones == ["aclrtLaunchHostFunc", "aclrtStreamWaitEvent", "aclrtSynchronizeStream"],
           "what had not ended is", open_ones)
    expect("signal 9 ended the program" in text, "the signal is not named:", text)


def judge_programs():
    for name, judge, status in (("everything", judge_everything, 0), ("waits", judge_waits, 0),
                                ("collectives", judge_collectives, 0), ("callbacks", judge_callbacks, 0),
                                ("graph", judge_graph, 0), ("marks", judge_marks, 0),
                                ("devices", judge_devices, 0), ("many", judge_many, 0), ("return", judge_end, 0),
                                ("exit", judge_end, 7), ("abort", judge_end, 134), ("kill", judge_end, 137),
                                ("hang", judge_hang, 137)):
        found, text = record(TRACED, name, status=status)
        if found:
            judge_calls(found)
            judge(found, text)
    for schedule in ("lazy", "random:7"):
        for name in ("everything", "waits", "graph"):
            found, text = record(TRACED, name, BELAY_SCHEDULE=schedule)
            if found:
                judge_calls(found)
    for example in EXAMPLES:
        found, text = record(example)
        if found:
            judge_calls(found)
            expect("errors" in example or "%" in text, example, "has an empty table")


def judge_several():
    """Several programs, one behind the other in one process and in several."""
    remove()
    belay("-o", OUTPUT, TRACED, "forks")
    names = left()
    expect(len(names) == 2 and re.fullmatch(r"trace\.json\.\d+", names[0]) and names[1] == names[0] + "-2",
           "files of several programs are", names)
    expect([len(timeline.read(os.path.join(FOLDER.name, name)).of("operator")) for name in names] == [1, 3],
           "operators of several programs")
    remove()
    belay("-t", "table", "sh", "-c", f"{TRACED} return; {TRACED} nothing; {TRACED} everything")
    names = left()
    expect(len(names) == 3 and names[0] == "table", "files of several processes are", names)


def put_off_devices(file):
    """Has all runs of tasks on device -1."""
    content = file.read()
    for found in re.finditer(rb"\x06\0\x30\0", content):
        file.seek(found.start() + 24)
        file.write(b"\xff" * 4)


def judge_refusals():
    remove()
    expect("no process used the library" in belay(TRACED, "nothing", status=1) and not left(), "no use")
    expect("no process used the library" in belay("false", status=1), "the program's own status")
    belay("-o", "/does/not/exist/trace.json", TRACED, "return", status=1)
    belay("/does/not/exist", status=127)
    expect("Usage" in belay(status=2), "no program")
    expect("BELAY_SOC: " in belay(TRACED, "return", status=1, BELAY_SOC="garbage") and not left(), "bad settings")
    belay("-o", OUTPUT, TRACED, "return", BELAY_TRACE="/does/not/exist/file") # the command's own counts
    remove()
    expect("nothing recorded" in belay("--finish", OUTPUT, status=1), "nothing to finish")
    link = os.path.join(FOLDER.name, "link.json")
    os.symlink(OUTPUT, link)
    expect("cannot be written" in belay("-o", link, TRACED, "return", status=1), "a link is followed")
    remove()

    # What processes have left that have ended becomes timelines of theirs; those that record are left alone.
    for _ in range(2):
        subprocess.run([TRACED, "kill"], cwd=FOLDER.name, env={**os.environ, "BELAY_TRACE": "trace.json"}, check=False)
    belay("-o", OUTPUT, TRACED, "return")
    expect(len(left()) == 3 and not any(name.endswith(".raw") for name in left()), "leftovers become", left())
    remove()
    own = os.path.join(FOLDER.name, f"trace.json.{os.getpid()}.raw")
    with open(own, "w", encoding="utf-8"):
        expect("is from before; " in belay("-o", OUTPUT, TRACED, "return", status=1), "a recording is taken for new")
    expect(left() == [os.path.basename(own)], "a recording is not left alone", left())
    remove()
    with subprocess.Popen([BELAY, "trace", "-o", OUTPUT, TRACED, "return"], cwd=FOLDER.name, stderr=subprocess.PIPE,
                          env={**os.environ, "BELAY_DEVICES": "2"}) as unread:
        unread.stderr.close()
    expect(left() == ["trace.json"], "nobody reads the table, and there is", left(), unread.returncode)
    remove()

    # Two at a time with one FILE, however they name it.
    with subprocess.Popen([BELAY, "trace", "-o", OUTPUT, "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as first:
        first.stdout.readline()
        text = belay("-o", os.path.join(".", "trace.json"), TRACED, "return", status=1)
        expect("another belay trace is writing" in text and not left(), "two write one file:", text)
        belay("-o", "other.json", TRACED, "return")
    remove()

    # Without the command: a file for each process, of which the command makes timelines later.
    os.environ["BELAY_TRACE"] = "trace.json"
    status = subprocess.run([TRACED, "kill"], cwd=FOLDER.name, check=False).returncode
    expect(status == -9 and len(left()) == 1 and left()[0].endswith(".raw"), "BELAY_TRACE leaves", left())
    del os.environ["BELAY_TRACE"]
    belay("--finish", "trace.json")
    expect(left() == ["trace.json"] and len(timeline.read(OUTPUT).of("operator")) == 1, "finished", left())
    for path in ("/does/not/exist/file", "/dev/null/file"):
        done = subprocess.run([TRACED, "return"], env={**os.environ, "BELAY_TRACE": path}, capture_output=True,
                              text=True, check=False)
        expect(done.returncode == 3 and "BELAY_TRACE: no file can be made" in done.stderr, path, done.stderr)

    # Threads that end leave their chunks to others.
    subprocess.run([TRACED, "devices"], cwd=FOLDER.name, check=True,
                   env={**os.environ, "BELAY_TRACE": "trace.json", "BELAY_DEVICES": "2"})
    size = os.stat(os.path.join(FOLDER.name, next(name for name in left() if name.endswith(".raw")))).st_size
    expect(size < 12 * 65536, "a hundred threads take", size)
    remove()

    # A limit on files: what there is room for is there, and the rest is counted.
    text = belay("-o", OUTPUT, "bash", "-c", f"ulimit -f 200; exec {TRACED} many")
    found = timeline.read(OUTPUT)
    expect(found.lost > 1000 and f"lacks {found.lost} calls or tasks" in text, "lost are", found.lost, text)
    expect(found.of("operator", "aclnnAdd"), "there is room for some")
    belay("-o", OUTPUT, "bash", "-c", f"ulimit -f 1; exec {TRACED} return", status=3)

    remove()
    subprocess.run([TRACED, "everything"], cwd=FOLDER.name, env={**os.environ, "BELAY_TRACE": "trace.json"}, check=True)
    done = subprocess.run(["bash", "-c", f"ulimit -f 4; exec {BELAY} trace --finish {OUTPUT}"], capture_output=True,
                          text=True, check=False)
    expect(done.returncode == 1 and "trace.json cannot be written: " in done.stderr, "a limit on the command's files",
           done.returncode, done.stderr)
    belay("--finish", OUTPUT)
    expect(left() == ["trace.json"] and timeline.read(OUTPUT).of("operator"), "then it can be written", left())
    remove()

    # A check around the program has no timeline, nor has one within a trace.
    belay("-o", OUTPUT, BELAY, "check", "--only", "report", TRACED, "return")
    expect(left() == ["trace.json"], "a check within a trace leaves", left())

    # A recording that has been cut off, or overwritten, is read as far as it is one.
    for damage in (lambda file: file.truncate(70000), lambda file: (file.seek(5000), file.write(b"\xff" * 4000)),
                   put_off_devices,
                   lambda file: file.truncate(100), lambda file: file.write(b"something else")):
        remove()
        subprocess.run([TRACED, "everything"], cwd=FOLDER.name, env={**os.environ, "BELAY_TRACE": "trace.json"},
                       check=True)
        with open(os.path.join(FOLDER.name, left()[0]), "r+b") as file:
            damage(file)
        done = subprocess.run([BELAY, "trace", "--finish", "trace.json"], cwd=FOLDER.name, capture_output=True,
                              check=False)
        expect(done.returncode in (0, 1), "a damaged recording ends the command with", done.returncode)
        if done.returncode == 0:
            with open(OUTPUT, encoding="utf-8") as file:
                json.load(file)


def judge_planted():
    """The judge finds what is wrong."""
    with open(OUTPUT, encoding="utf-8") as file:
        good = json.load(file)
    timeline.Timeline(good)

    def first(events, **members):
        return next(event for event in events if all(event.get(key) == value for key, value in members.items()))

    def stretch(events):
        inner = next(event for event in events if event["ph"] == "X" and event["cat"] == "copy" and
                     event["name"] == "aclrtMemcpy")
        inner["dur"] += 1e6

    faults = [
        lambda events: events.remove(first(events, ph="f")),
        lambda events: events.remove(first(events, ph="s")),
        lambda events: events.remove(first(events, ph="M", name="thread_name")),
        lambda events: events.remove(first(events, ph="M", name="process_name")),
        lambda events: events.append(copy.deepcopy(first(events, ph="s"))),
        lambda events: first(events, ph="X").update(dur=-1),
        lambda events: first(events, ph="X").pop("dur"),
        lambda events: first(events, ph="X").update(ph="B"),
        lambda events: first(events, ph="X", cat="operator").update(ph="E"),
        lambda events: first(events, ph="X").update(ph="Q"),
        lambda events: first(events, ph="f").update(ts=0),
        lambda events: first(events, ph="s").update(ts=1e9),
        lambda events: first(events, ph="C").update(args={"bytes": -1}),
        lambda events: events.append(events.pop(events.index(first(events, ph="X")))),
        stretch,
    ]
    for number, plant in enumerate(faults):
        bad = copy.deepcopy(good)
        plant(bad["traceEvents"])
        try:
            timeline.Timeline(bad)
        except (timeline.Refused, KeyError):
            continue
        expect(False, "planted fault", number, "is not found")


judge_programs()
judge_several()
judge_refusals()
record(TRACED, "everything")
judge_planted()
sys.exit(1 if failed else 0)
