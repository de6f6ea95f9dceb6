#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What MindSpore asks of a profile before it reads it, under the name of the script that it looks for beside msprof:

    get_msprof_info.py -dir PROFILE/host

A line of JSON: how often a microsecond the counter counts that MindSpore dates its own events by, and a version of the
driver from which on msprof exports everything at once.
"""
import configparser
import json
import os
import sys

EXPORTS_EVERYTHING = 467473


def counted(folder, name):
    """The counter and the clock that it is told by, in nanoseconds."""
    file = configparser.ConfigParser()
    file.read(os.path.join(folder, name))
    return file.getint("Host", "cntvct"), file.getint("Host", "clock_monotonic_raw")


def main(words):
    folder = next((words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-dir", "--collection-dir")), None)
    if folder is None:
        sys.exit("get_msprof_info.py: -dir FOLDER is expected, the folder host of a profile")
    try:
        begin, end = counted(folder, "host_start.log"), counted(folder, "host_end.log")
        frequency = 1000 * (end[0] - begin[0]) / (end[1] - begin[1])
    except (OSError, configparser.Error, ValueError, ZeroDivisionError) as error:
        sys.exit(f"get_msprof_info.py: {folder} is not of a profile that has ended: {error}")
    print(json.dumps({"status": 0, "info": "", "data": {
        "version_info": {"drv_version": EXPORTS_EVERYTHING}, "host_info": {"cpu_info": [{"Frequency": f"{frequency:.6f}"}]}}}))


if __name__ == "__main__":
    main(sys.argv[1:])
