# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Networks in FLOAT16 with parameters in FLOAT, and a fixed or a dynamic loss scale: near what FLOAT gives."""
import os

# A loss scale that moves is a branch, which graph mode of MindSpore 2.10.0 puts in line and then refuses.
os.environ["MS_DEV_RUNTIME_CONF"] = "switch_inline:False"

import mindspore as ms
import numpy as np
from mindspore import Tensor, amp, nn

from support import target

target.choose()


def network():
    made = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.LayerNorm((32,)), nn.Dense(32, 3))
    draw = np.random.RandomState(1)
    for parameter in made.trainable_params():
        parameter.set_data(Tensor((draw.standard_normal(parameter.shape) * 0.3).astype(np.float32)))
    return made


def losses(level, manager):
    draw = np.random.RandomState(2)
    x, y = Tensor(draw.standard_normal((32, 8)).astype(np.float32)), Tensor(draw.randint(0, 3, (32,)).astype(np.int32))
    made = network()
    optimizer = nn.Momentum(made.trainable_params(), 0.05, 0.9, loss_scale=manager.get_loss_scale() if isinstance(manager, amp.FixedLossScaleManager) and not manager.get_drop_overflow_update() else 1.0)
    step = amp.build_train_network(made, optimizer, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), level=level, loss_scale_manager=manager)
    step.set_train()
    seen = []
    for _ in range(10):
        out = step(x, y)
        seen.append(float((out[0] if isinstance(out, tuple) else out).asnumpy()))
    return np.array(seen)


plain = losses("O0", None)
target.demand(plain[-1] < 0.9 * plain[0], "it does not learn", plain)
for level in ("O2", "O3"):
    for manager in (amp.FixedLossScaleManager(1024.0, False), amp.DynamicLossScaleManager(2.0 ** 12, 2, 1000)):
        found = losses(level, manager)
        target.demand(np.allclose(found, plain, 2e-2), level, type(manager).__name__, found, plain)
        print(f"{level} with {type(manager).__name__}: {found[-1]:.4f}, {plain[-1]:.4f} in FLOAT")
