#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A cast to FLOAT8 either saturates or makes NaN (E4M3) and infinity (E5M2) of what is too great.
# PaddlePaddle's on the CPU does both, by how far it is out: 465, just above the last number that
# rounds to 448, becomes NaN, and 480, 1e9, infinity and NaN itself become 448; in E5M2 61,440
# becomes infinity and infinity becomes 57,344. A check for NaN after the cast thus misses the worst
# values. Seen with paddlepaddle 3.3.1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 paddlepaddle==3.3.1
cd "$folder"
"$folder/venv/bin/python" - <<'PROGRAM'
import paddle

paddle.set_device("cpu")


def cast(numbers, dtype):
    return paddle.to_tensor(numbers, dtype="float32").astype(dtype).astype("float32").tolist()


nan, infinity = float("nan"), float("inf")
four = cast([464.0, 465.0, 480.0, 1e9, infinity, nan], "float8_e4m3fn")
five = cast([57344.0, 61440.0, 1e9, infinity], "float8_e5m2")
print("e4m3fn of 464, 465, 480, 1e9, inf, nan:", four)
print("e5m2 of 57344, 61440, 1e9, inf:", five)
assert four[0] == 448.0 and four[1] != four[1] and four[2:] == [448.0] * 4, four
assert five == [57344.0, infinity, 57344.0, 57344.0], five
PROGRAM
