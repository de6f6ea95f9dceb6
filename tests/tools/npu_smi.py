# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""npu-smi beside programs: what it shows of them while they live, and no more when they have ended, however they ended.

npu_smi.py FOLDER    the folder of a build
"""
import ctypes
import os
import re
import signal
import subprocess
import sys
import time

build = sys.argv[1]
for name in list(os.environ):
    if name.startswith(("BELAY_", "ASCEND_")):
        del os.environ[name]
# Numbers of devices that no other program of this machine has, as its processes are seen, too.
os.environ.update(BELAY_DEVICES="64", BELAY_MEMORY="1G", PYTHONDONTWRITEBYTECODE="1", LC_ALL="C")
DEVICE, OTHER = 61, 62

program = f"""
import ctypes, os, sys
runtime = ctypes.CDLL({build!r} + "/lib64/libascendcl.so")
word = sys.argv[1]
memory = ctypes.c_void_p()
if word != "asks":
    for device in map(int, sys.argv[2:]):
        assert runtime.aclrtSetDevice(device) == 0
        assert runtime.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(100 << 20), 0) == 0
else:
    assert runtime.aclrtGetDeviceCount(ctypes.byref(ctypes.c_uint32())) == 0
if word == "frees":
    assert runtime.aclrtFree(memory) == 0
if word == "resets":
    assert runtime.aclrtResetDevice(int(sys.argv[2])) == 0
if word == "forks":
    child = os.fork()
    if child == 0:
        os.read(0, 1)
        os._exit(0)
print(f"/proc/self/fd: {{sorted(os.readlink('/proc/self/fd/' + name) for name in os.listdir('/proc/self/fd') if int(name) > 3 and os.path.lexists('/proc/self/fd/' + name))}}", flush=True)
if word == "busy":
    while True: pass
sys.stdin.read()
"""


def smi(*words, status=0, **environment):
    done = subprocess.run([build + "/bin/npu-smi", *words], capture_output=True, text=True,
                          env={**os.environ, **environment}, timeout=60)
    assert done.returncode == status, (words, done)
    return done.stdout if status == 0 else done.stderr


class Running:
    """A program that has done what its words say, and waits."""

    def __init__(self, *words, **environment):
        self.process = subprocess.Popen([sys.executable, "-c", program, *map(str, words)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
        self.line = self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    @property
    def number(self):
        return self.process.pid


def rows(device):
    """The processes that the table shows for the device: (number, name, MiB)."""
    found = re.findall(r"^\| (\d+) +0 +\| (\d+) +\| (\S+) +\| (\d+) +\|$", smi("info"), re.M)
    return [(int(number), name, int(size)) for shown, number, name, size in found if int(shown) == device]


def memory(device):
    """What the table shows as used and there of the device, in MiB."""
    lines = smi("info").splitlines()
    place = next(i for i, line in enumerate(lines) if re.match(rf"\| {device} +910B3 +\| OK ", line))
    return tuple(map(int, re.search(r"(\d+) / (\d+) +\|$", lines[place + 1]).groups()))


# The table that monitors read: nobody has the device.
lines = smi("info").splitlines()
assert len({len(line) for line in lines}) == 1, sorted({len(line) for line in lines})
assert lines[6].split()[:3] == ["|", "0", "910B3"], lines[6]  # where build scripts look for the product
assert memory(DEVICE) == (0, 1024) and rows(DEVICE) == []
assert f"| No running processes found in NPU {DEVICE} " in smi("info")

# Who only asks leaves nothing; who has a device has one descriptor more.
with Running("asks") as process:
    assert "belay-devices" not in process.line, process.line

with Running("holds", DEVICE, OTHER) as process:
    assert process.line.count("belay-devices") == 1, process.line
    for device in DEVICE, OTHER:
        (number, name, size), = rows(device)
        assert number == process.number and name.startswith("python") and 100 <= size <= 102, (number, name, size)
        assert memory(device) == (size, 1024)
    usages = smi("info", "-t", "usages", "-i", str(DEVICE), "-c", "0")
    assert re.search(r"HBM Capacity\(MB\) +: 1024\n", usages) and re.search(r"HBM Usage Rate\(%\) +: 10\n", usages), usages
    assert f"Process id:{process.number}\t" in smi("info", "-t", "proc-mem", "-i", str(DEVICE), "-c", "0")
    assert f"Process id:{process.number}\t" not in smi("info", "-t", "proc-mem", "-i", "60")
    # As libdcmi tells it.
    code = f"""
import ctypes
cards = ctypes.CDLL({build!r} + "/lib64/libdcmi.so")
class Process(ctypes.Structure): _fields_ = [("number", ctypes.c_int), ("size", ctypes.c_ulong)]
class Memory(ctypes.Structure):
    _fields_ = [("size", ctypes.c_ulonglong), ("frequency", ctypes.c_uint), ("used", ctypes.c_ulonglong),
                ("temperature", ctypes.c_int), ("rate", ctypes.c_uint)]
class Chip(ctypes.Structure):
    _fields_ = [("type", ctypes.c_char * 32), ("name", ctypes.c_char * 32), ("version", ctypes.c_char * 32),
                ("cores", ctypes.c_uint), ("npu_name", ctypes.c_char * 32)]
number, room, place, memory, chip = ctypes.c_int(), ctypes.c_int(5), (ctypes.c_int * 64)(), Memory(), Chip()
processes, health, rate = (Process * 5)(), ctypes.c_uint(7), ctypes.c_uint()
assert cards.dcmi_init() == 0
assert cards.dcmi_get_card_list(ctypes.byref(number), place, 64) == 0 and number.value == 64 and place[63] == 63
assert cards.dcmi_get_card_num_list(ctypes.byref(number), place, 3) == 0 and number.value == 3
assert cards.dcmi_get_card_list(None, place, 3) == -8001 and cards.dcmi_get_card_list(ctypes.byref(number), None, 3) == -8001
assert cards.dcmi_get_device_num_in_card(61, ctypes.byref(number)) == 0 and number.value == 1
assert cards.dcmi_get_device_id_in_card(61, *(ctypes.byref(ctypes.c_int()) for _ in range(3))) == 0
assert cards.dcmi_get_device_logic_id(ctypes.byref(number), 61, 0) == 0 and number.value == 61
assert cards.dcmi_get_device_num_in_card(64, ctypes.byref(number)) == -8008
assert cards.dcmi_get_device_logic_id(ctypes.byref(number), 61, 1) == -8008
assert cards.dcmi_get_device_health(61, 0, ctypes.byref(health)) == 0 and health.value == 0
assert cards.dcmi_get_device_hbm_info(61, 0, ctypes.byref(memory)) == 0
assert memory.size == 1024 and 100 <= memory.used <= 102
assert cards.dcmi_get_device_chip_info_v2(61, 0, ctypes.byref(chip)) == 0
assert (chip.type, chip.name) == (b"Ascend", b"910B3") and chip.cores >= 1
assert cards.dcmi_get_device_utilization_rate(61, 0, 1, ctypes.byref(rate)) == 0 and rate.value == 10
assert cards.dcmi_get_device_utilization_rate(61, 0, 99, ctypes.byref(rate)) == -8001
assert cards.dcmi_get_device_multi_utilization_rate(61, 0, (ctypes.c_uint * 12)()) == 0
assert cards.dcmi_get_device_resource_info(61, 0, processes, ctypes.byref(room)) == 0
assert room.value == 1 and processes[0].number == {process.number} and 100 <= processes[0].size <= 102
for name in "pcie_info_v2", "power_info", "temperature":
    assert getattr(cards, "dcmi_get_device_" + name)(61, 0, (ctypes.c_int * 64)()) == -8255
    assert getattr(cards, "dcmi_get_device_" + name)(61, 0, None) == -8001
assert cards.dcmi_get_affinity_cpu_info_by_device_id(61, 0, (ctypes.c_char * 64)(), ctypes.byref(room)) == -8255
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    os.kill(process.number, signal.SIGKILL)
    process.process.wait()
    assert rows(DEVICE) == [] and memory(DEVICE) == (0, 1024)

# What is freed or reset is not in use; a forked child is not shown for its parent.
with Running("frees", DEVICE) as process:
    assert [row[2] for row in rows(DEVICE)] == [0]
with Running("resets", DEVICE) as process:
    assert rows(DEVICE) == []
with Running("forks", DEVICE) as process:
    assert [row[0] for row in rows(DEVICE)] == [process.number]

# A program that was given some of the devices numbers them from 0; here they keep their numbers.
with Running("holds", 1, ASCEND_RT_VISIBLE_DEVICES=f"3,{OTHER}") as process:
    assert [row[0] for row in rows(OTHER)] == [process.number]
    assert process.number not in [row[0] for row in rows(1)]  # where other programs of the machine may be
    assert f"| {OTHER} " in smi("info", ASCEND_RT_VISIBLE_DEVICES="0")

with Running("busy", DEVICE) as process:
    deadline = time.monotonic() + 30
    shown = lambda: int(re.search(r"Aicore Usage Rate\(%\) +: (\d+)", smi("info", "-t", "usages", "-i", str(DEVICE))).group(1))
    while shown() == 0:
        assert time.monotonic() < deadline, "a program that computes is never busy"

# The other forms.
assert re.search(r"Total Count +: 64\n", smi("info", "-l")) and re.search(r"NPU ID +: 63\n", smi("info", "-l"))
assert re.search(r"^\t63 +0 +63 +Ascend 910B3$", smi("info", "-m"), re.M)
board = smi("info", "-t", "board", "-i", "0", "-c", "0")
assert re.search(r"Chip Type +: Ascend\n", board) and re.search(r"Chip Name +: 910B3\n", board), board
board = smi("info", "-t", "board", "-i", "0", "-c", "0", BELAY_SOC="Ascend950PR_9599")
assert re.search(r"Chip Name +: Ascend950PR\n", board) and re.search(r"NPU Name +: 9599\n", board), board
assert re.search(r"Product Name +: Belay\n", smi("info", "-t", "board", "-i", "0"))
for kind, text in (("memory", "HBM Capacity"), ("common", "Aicore Count"), ("health", "OK"), ("temp", "Temperature"),
                   ("power", "Power")):
    assert text in smi("info", "-t", kind, "-i", "0"), kind
assert smi("-v").startswith("npu-smi version: ") and "Usage" in smi("-h") and smi("info", "-h") == smi("-h")

# And what is none of them.
assert "no type nonsense" in smi("info", "-t", "nonsense", "-i", "0", status=2)
assert "-i" in smi("info", "-t", "board", status=2)
assert "no device 64" in smi("info", "-t", "board", "-i", "64", status=1)
assert "chip 1" in smi("info", "-t", "board", "-i", "0", "-c", "1", status=1)
assert "--nonsense" in smi("info", "--nonsense", status=2) and "set" in smi("set", status=2)
assert "BELAY_DEVICES" in smi("info", status=1, BELAY_DEVICES="many")
assert "Usage" in smi(status=2)
print("npu-smi shows what there is")
