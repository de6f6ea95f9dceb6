#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Draws a part of a timeline of `belay trace` as an SVG picture: docs/timeline.svg is one.

    timeline_picture.py TRACE.json PICTURE.svg [BEGIN END]    BEGIN and END in microseconds

Tracks from top to bottom: threads of the host, streams of the devices, memory. Arrows: from a call to the work
that it submitted, and from the record of an event to those who wait for it.
"""
import collections
import html
import json
import sys

WIDTH, LEFT, ROW, GAP, CHARACTER = 960, 150, 17, 12, 5.6
COLOURS = {"call": "#c9d6e8", "operator": "#f2b26b", "copy": "#86c08a", "set": "#b9d98f", "callback": "#d7a6d9",
           "event": "#d9d9d9", "graph": "#f6e0a8"}
ARROWS = {"submit": "#9aa7b8", "event": "#c0392b", "callback": "#8e44ad"}


def read(path):
    """Slices, arrows as pairs of ends, levels of memory, and the names of tracks."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names, slices, ends, levels = {}, [], collections.defaultdict(dict), collections.defaultdict(list)
    for event in events:
        track = event["pid"], event["tid"]
        if event["ph"] == "M" and event["name"] in ("process_name", "thread_name"):
            names[track if event["name"] == "thread_name" else event["pid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            slices.append(event)
        elif event["ph"] in "sf":
            ends[event["name"], event["id"]][event["ph"]] = event["ts"], track
        elif event["ph"] == "C":
            levels[event["pid"], event["name"]].append((event["ts"], event["args"]["bytes"]))
    return slices, ends, levels, names


def depths(slices):
    """How deep each slice lies within others of its track."""
    inside = collections.defaultdict(list)
    for slice in slices:
        around = inside[slice["pid"], slice["tid"]]
        while around and around[-1] <= slice["ts"]:
            around.pop()
        yield len(around)
        around.append(slice["ts"] + slice["dur"])


class Picture:
    """The lines of the SVG file, and where times and tracks lie in it."""

    def __init__(self, begin, end):
        self.begin, self.end, self.lines, self.labels, self.y = begin, end, [], [], 40

    def x(self, time):
        share = (min(max(time, self.begin), self.end) - self.begin) / (self.end - self.begin)
        return LEFT + share * (WIDTH - LEFT - 10)

    def add(self, line):
        self.lines.append(line)

    def text(self, x, y, words, anchor="start", colour="#222"):
        """Words lie above everything else, and no arrow strikes them through."""
        self.labels.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{html.escape(words)}</text>')

    def scale(self):
        step = 10 ** len(str(int((self.end - self.begin) / 10)))
        while (self.end - self.begin) / step < 5:
            step /= 2
        time = -(-self.begin // step) * step
        while time <= self.end:
            self.add(f'<path d="M{self.x(time):.1f} 30V{self.y}" stroke="#eee"/>')
            # The last one would be cut by the edge.
            self.text(self.x(time), 22, f"{time:g} us", "end" if self.x(time) > WIDTH - 30 else "middle", "#777")
            time += step

    def slice(self, event, y):
        left, right = self.x(event["ts"]), self.x(event["ts"] + event["dur"])
        width = max(right - left, 0.6)
        title = html.escape(f'{event["name"]}, {event["dur"]:.3f} us {json.dumps(event["args"])}')
        self.add(f'<rect x="{left:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 2}" stroke="#fff" '
                 f'stroke-width="0.3" fill="{COLOURS[event["cat"]]}"><title>{title}</title></rect>')
        room = int((width - 4) / CHARACTER)
        if room >= 4:
            name = event["name"] if len(event["name"]) <= room else event["name"][:room - 2] + ".."
            self.text(left + 2, y + ROW - 6, name)

    def arrow(self, name, start, end):
        (x1, y1), (x2, y2) = start, end
        bend = max(12, abs(x2 - x1) / 3)
        self.add(f'<path d="M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}" '
                 f'fill="none" stroke="{ARROWS[name]}" stroke-width="{0.4 if name == "submit" else 1}" marker-end="url(#{name})"/>')

    def memory(self, name, levels):
        top = max(level for _, level in levels) or 1
        points, last = [f"{LEFT:.1f},{self.y + 30}"], 0
        for time, level in levels:
            points.append(f"{self.x(time):.1f},{self.y + 30 - 28 * last / top:.1f}")
            points.append(f"{self.x(time):.1f},{self.y + 30 - 28 * level / top:.1f}")
            last = level
        points += [f"{WIDTH - 10:.1f},{self.y + 30 - 28 * last / top:.1f}", f"{WIDTH - 10:.1f},{self.y + 30}"]
        self.add(f'<polygon points="{" ".join(points)}" fill="#cfe3dd"/>')
        self.text(LEFT - 8, self.y + 20, name, "end")
        self.text(LEFT + 4, self.y + 12, f"at most {top / 2 ** 20:.1f} MiB", colour="#777")
        self.y += 30 + GAP

    def write(self, path):
        heads = "".join(f'<marker id="{name}" markerWidth="7" markerHeight="6" refX="6" refY="3" orient="auto">'
                        f'<path d="M0 0L7 3L0 6z" fill="{colour}"/></marker>' for name, colour in ARROWS.items())
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.y + 4}" '
                       f'font-family="sans-serif" font-size="10">\n<defs>{heads}</defs>\n'
                       f'<rect width="{WIDTH}" height="{self.y + 4}" fill="white"/>\n')
            file.write("\n".join(self.lines) + '\n<g paint-order="stroke" stroke="#fff" stroke-width="2" stroke-opacity="0.75" '
                       'stroke-linejoin="round">\n' + "\n".join(self.labels) + "\n</g>\n</svg>\n")


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    slices, ends, levels, names = read(sys.argv[1])
    last = max(slice["ts"] + slice["dur"] for slice in slices)
    picture = Picture(*(map(float, sys.argv[3:5]) if len(sys.argv) == 5 else (0.0, last)))
    seen = [(slice, depth) for slice, depth in zip(slices, depths(slices))
            if slice["ts"] < picture.end and slice["ts"] + slice["dur"] > picture.begin]
    rows = collections.defaultdict(int)
    for slice, depth in seen:
        rows[slice["pid"], slice["tid"]] = max(rows[slice["pid"], slice["tid"]], depth + 1)
    top, drawing = {}, []
    for track in sorted(rows):
        top[track] = picture.y
        picture.y += rows[track] * ROW + GAP
    for slice, depth in seen:
        drawing.append((slice, top[slice["pid"], slice["tid"]] + depth * ROW))
    picture.scale()
    for track in sorted(rows):
        is_stream = names[track[0]].startswith("device ")
        # The system keeps 15 letters of a program's name.
        is_main = not is_stream and names[track[0]].startswith(names[track])
        name = names[track[0]] if is_main else f"{names[track[0]]}, {names[track]}" if is_stream else f"thread {names[track]}"
        picture.text(LEFT - 8, top[track] + 11, name[:26], "end")
    for slice, y in drawing:
        picture.slice(slice, y)
    for (name, _), pair in ends.items():
        if {"s", "f"} <= set(pair) and all(track in top and picture.begin <= time <= picture.end
                                           for time, track in pair.values()):
            # From edge to edge, so that it does not run along the words.
            falls = top[pair["f"][1]] - top[pair["s"][1]]
            edges = (ROW - 2, 0) if falls > 0 else (0, ROW - 2) if falls < 0 else (ROW / 2, ROW / 2)
            picture.arrow(name, *((picture.x(time), top[track] + edge) for (time, track), edge in zip((pair["s"], pair["f"]), edges)))
    for (process, name), values in sorted(levels.items()):
        is_device = names[process].startswith("device ")
        picture.memory(f"{names[process]}, {name.split()[0]}" if is_device else name.removesuffix(" in use"), values)
    picture.write(sys.argv[2])


if __name__ == "__main__":
    main()
