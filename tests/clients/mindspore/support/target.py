# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Chooses the device, and the folder where MindSpore may leave what it writes."""
import atexit
import os
import shutil
import sys
import tempfile

import mindspore as ms


def choose(device=None):
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    atexit.register(shutil.rmtree, folder, True)
    if os.environ.get("BELAY_CLIENTS_MODE") == "O0":
        ms.set_context(mode=ms.GRAPH_MODE, jit_config={"jit_level": "O0"})
    else:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_device(device or "Ascend")


def demand(is_right, *words):
    if not is_right:
        print("wrong:", *words)
        sys.exit(1)
