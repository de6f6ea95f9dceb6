# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Chooses the device, and the folder where MindSpore may leave what it writes; asks PyTorch what is right."""
import atexit
import os
import shutil
import subprocess
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


def judged(program, *arguments, **options):
    """The status of a program of this folder, run without Belay by the Python that has PyTorch."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), program)
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH")}
    environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    return subprocess.run([os.environ["BELAY_CLIENTS_TORCH"], "-B", path, *arguments], env=environment, **options).returncode


def demand(is_right, *words):
    if not is_right:
        print("wrong:", *words)
        sys.exit(1)
