#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""msprof under the name and with the words of the script that PyTorch for Ascend looks for beside it:

    msprof.py export timeline|summary -dir FOLDER
    msprof.py analyze -dir FOLDER
"""
import os
import sys


def main(words):
    command = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "bin", "msprof")
    verbs = {"export": "--export=on", "analyze": "--analyze=on"}
    folder = next((words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-dir", "--collection-dir")), None)
    if not words or words[0] not in verbs or folder is None or "db" in words:
        sys.exit("msprof.py: export timeline, export summary or analyze, and -dir FOLDER are expected")
    os.execv(command, [command, verbs[words[0]], f"--output={folder}"])


if __name__ == "__main__":
    main(sys.argv[1:])
