#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tinygrad sorts by a network of exchanges, each made of a maximum and a minimum, and its maximum of
# a number and a NaN is the one or the other by their order. So sorting is no permutation once a NaN
# is there: [1, NaN, 3] becomes [1, 1, 3]. The NaN is gone and a number stands twice. Its relu makes
# 0 of a NaN and its sign 1. Seen with tinygrad 0.14.0 on the CPU by clang.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 tinygrad==0.14.0
cd "$folder"
DEV=CPU "$folder/venv/bin/python" - <<'PROGRAM'
from tinygrad import Tensor

nan = float("nan")
values = Tensor([1.0, nan, 3.0]).sort()[0].tolist()
rest = [Tensor([nan]).relu().tolist(), Tensor([nan]).sign().tolist()]
greatest = [Tensor([1.0, nan, 3.0]).max().item(), Tensor([nan, 1.0, 3.0]).max().item()]
print(
    "sort of [1, nan, 3]:",
    values,
    "relu, sign of nan:",
    rest,
    "max of [1, nan, 3], [nan, 1, 3]:",
    greatest,
)
assert values == [1.0, 1.0, 3.0] and rest == [[0.0], [1.0]], (values, rest)
assert greatest[0] == 3.0 and greatest[1] != greatest[1], greatest
PROGRAM
