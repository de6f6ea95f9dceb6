# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Reads a file of the trace event format and judges it by the rules of the format, as far as timelines of
Belay use it. Times are whole nanoseconds here.

    timeline.py TRACE.json ...    judges files, and prints a line for each
"""
import bisect
import collections
import json
import sys

PHASES = {"X", "B", "E", "M", "s", "f", "C", "i", "b", "e"}


class Refused(Exception):
    """What is wrong with a timeline."""


def _require(holds, *what):
    if not holds:
        raise Refused(" ".join(str(part) for part in what))


def _nanoseconds(number, event):
    nanoseconds = round(number * 1000)
    _require(isinstance(number, (int, float)) and abs(number * 1000 - nanoseconds) < 1e-3 and nanoseconds >= 0,
             "a time is no whole number of nanoseconds from the beginning on:", event)
    return nanoseconds


class Slice:
    """An X event, or a B with its E."""

    def __init__(self, event, begin, end):
        self.name, self.category, self.arguments = event["name"], event["cat"], event.get("args", {})
        self.track, self.begin, self.end = (event["pid"], event["tid"]), begin, end
        self.parent = None

    def __repr__(self):
        return f"{self.name} {self.arguments} of {self.track} from {self.begin} to {self.end}"


class Timeline:
    """A file that has been judged."""

    def __init__(self, document):
        _require(isinstance(document, dict) and isinstance(document.get("traceEvents"), list),
                 "there are no traceEvents")
        self.process, self.thread = {}, {}
        self.slices = []
        self.counters = collections.defaultdict(list)
        self.flows = collections.defaultdict(dict)
        self.marks = []
        self._last = collections.defaultdict(int)
        self._open = collections.defaultdict(list)
        for event in document["traceEvents"]:
            self._take(event)
        _require(not any(self._open.values()), "a B has no E:", dict(self._open))
        self._nest()
        self._judge_flows()
        self.lost = document["otherData"]["lost"]

    def _take(self, event):
        _require(event.get("ph") in PHASES, "unknown phase:", event)
        _require(isinstance(event.get("pid"), int) and isinstance(event.get("tid"), int), "no track:", event)
        if event["ph"] == "M":
            self._take_name(event)
            return
        time, track = _nanoseconds(event["ts"], event), (event["pid"], event["tid"])
        _require(isinstance(event.get("name"), str) and event["name"] not in ("", "?"), "no name:", event)
        if event["ph"] == "C":
            levels = self.counters[event["pid"], event["name"]]
            _require(not levels or levels[-1][0] <= time, "a counter goes back in time:", event)
            _require(event["args"]["bytes"] >= 0, "a counter is below 0:", event)
            levels.append((time, event["args"]["bytes"]))
            return
        _require(isinstance(event.get("cat"), str), "no category:", event)
        if event["ph"] in "ibe": # marks and ranges, which may overlap
            _require(event["ph"] != "i" or event.get("s") == "t", "a mark is on no thread:", event)
            self.marks.append((event["ph"], event["name"], event["args"]["domain"], time, event.get("id")))
            return
        if event["ph"] in "sf":
            _require(event["ph"] == "s" or event.get("bp") == "e", "an arrow ends at no slice:", event)
            ends = self.flows[event["cat"], event["name"], event["id"]]
            _require(event["ph"] not in ends, "an arrow has two ends of a kind:", event)
            ends[event["ph"]] = (time, track)
            return
        _require(self._last[track] <= time, "a track goes back in time:", event)
        self._last[track] = time
        if event["ph"] == "X":
            self.slices.append(Slice(event, time, time + _nanoseconds(event["dur"], event)))
        elif event["ph"] == "B":
            self._open[track].append((event, time))
        else:
            _require(self._open[track], "an E has no B:", event)
            begun, begin = self._open[track].pop()
            self.slices.append(Slice(begun, begin, time))

    def _take_name(self, event):
        if event["name"] == "process_name":
            _require(event["pid"] not in self.process, "a process has two names:", event)
            self.process[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            _require((event["pid"], event["tid"]) not in self.thread, "a track has two names:", event)
            self.thread[event["pid"], event["tid"]] = event["args"]["name"]
        else:
            _require(event["name"] in ("process_sort_index", "thread_sort_index"), "unknown metadata:", event)

    def is_stream(self, track):
        """Whether the track is a stream of a device."""
        return self.process[track[0]].startswith("device ")

    def _nest(self):
        self.slices.sort(key=lambda slice: (slice.begin, -slice.end))
        inside = collections.defaultdict(list)
        for slice in self.slices:
            _require(slice.track in self.thread and slice.track[0] in self.process, "a track has no name:", slice)
            around = inside[slice.track]
            while around and around[-1].end <= slice.begin and not (
                    around[-1].begin == slice.begin and around[-1].end == slice.end):
                around.pop()
            if around:
                _require(slice.end <= around[-1].end, "slices cross:", slice, "and", around[-1])
                slice.parent = around[-1]
            if self.is_stream(slice.track) and slice.parent:
                _require(slice.parent.category == "graph", "a stream does two things at once:", slice, slice.parent)
            around.append(slice)

    def _judge_flows(self):
        by_track, begins = collections.defaultdict(list), collections.defaultdict(list)
        for slice in self.slices:
            by_track[slice.track].append(slice)
            begins[slice.track].append(slice.begin)
        for key, ends in self.flows.items():
            _require(set(ends) == {"s", "f"}, "an arrow has one end:", key)
            _require(ends["s"][0] <= ends["f"][0], "an arrow goes back in time:", key)
            ends["slices"] = []
            for end in "sf":
                time, track = ends[end]
                ends["slices"].append(self._innermost(by_track[track], begins[track], time))
                _require(ends["slices"][-1], "an arrow's end is in no slice:", key, ends)

    @staticmethod
    def _innermost(slices, begins, time):
        """The innermost slice around a time; None when there is none."""
        index = bisect.bisect_right(begins, time) - 1
        around = slices[index] if index >= 0 else None
        while around and around.end < time:
            around = around.parent
        return around

    def of(self, category=None, name=None):
        """The slices of this category and name, in the order of their begin."""
        return [slice for slice in self.slices
                if category in (None, slice.category) and name in (None, slice.name)]

    def arrows(self, name):
        """The arrows of this name, as pairs of slices."""
        return [tuple(ends["slices"]) for key, ends in self.flows.items() if key[1] == name]


def read(path):
    """The timeline in a file; Refused says what is wrong with it."""
    with open(path, encoding="utf-8") as file:
        try:
            document = json.load(file)
        except ValueError as error:
            raise Refused(f"{path} is no JSON: {error}") from error
    return Timeline(document)


def main():
    for path in sys.argv[1:]:
        found = read(path)
        kinds = collections.Counter(slice.category for slice in found.slices)
        print(path + ":", ", ".join(f"{count} {kind}" for kind, count in kinds.items()), f"and {len(found.flows)} arrows")
        _require(kinds["operator"] and not found.lost, "a timeline without operators, or that has lost some")


if __name__ == "__main__":
    main()
