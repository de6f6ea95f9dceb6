#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nn.Momentum(use_nesterov=True) of MindSpore takes the flag on every device. On the CPU the kernel
# behind it computes plain momentum: three steps with gradient 1, learning rate 0.1 and momentum 0.9
# bring a parameter from 1 to 0.439 with the flag and without it, where Nesterov's rule, which the
# documentation gives, brings it to 0.1951. A run on the CPU is thus no reference for one on a card.
# Seen with mindspore 2.10.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q 'numpy<2' mindspore==2.10.0
cd "$folder"
GLOG_v=4 "$folder/venv/bin/python" - <<'PROGRAM'
import mindspore
from mindspore import Parameter, Tensor, nn

mindspore.set_device("CPU")


def steps(nesterov):
    parameter = Parameter(Tensor([1.0], mindspore.float32), name="weight")
    optimizer = nn.Momentum([parameter], 0.1, 0.9, use_nesterov=nesterov)
    for _ in range(3):
        optimizer((Tensor([1.0], mindspore.float32),))
    return float(parameter.asnumpy()[0])


accumulated = 0.0
formula = 1.0
for _ in range(3):
    accumulated = 0.9 * accumulated + 1.0
    formula -= 0.1 * 1.0 + 0.1 * 0.9 * accumulated
plain, nesterov = steps(False), steps(True)
print("plain:", plain, "use_nesterov=True:", nesterov, "Nesterov's rule:", round(formula, 6))
assert plain == nesterov and abs(plain - 0.439) < 1e-6 and abs(formula - 0.1951) < 1e-6
PROGRAM
