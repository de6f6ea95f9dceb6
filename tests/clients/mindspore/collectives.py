# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""By 2 and 4 processes, started by msrun: collectives of mindspore.communication, data parallel training, and a profile."""
import glob
import json
import os

import mindspore as ms
import numpy as np
from mindspore import Tensor, communication, nn, ops, profiler

from support.target import demand

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_device("Ascend")
communication.init("hccl")
rank, count = communication.get_rank(), communication.get_group_size()
demand(count == int(os.environ["BELAY_CLIENTS_RANKS"]), count, "ranks")
x = np.arange(8, dtype=np.float32) + rank
everybody = np.stack([np.arange(8, dtype=np.float32) + one for one in range(count)])
for name, found, right in (
        ("AllReduce", ops.AllReduce()(Tensor(x)), everybody.sum(0)), ("greatest", ops.AllReduce(ops.ReduceOp.MAX)(Tensor(x)), everybody.max(0)),
        ("AllGather", ops.AllGather()(Tensor(x)), everybody.reshape(-1)),
        ("ReduceScatter", ops.ReduceScatter()(Tensor(x)), everybody.sum(0)[8 // count * rank:8 // count * (rank + 1)]),
        ("Broadcast", ops.Broadcast(0)((Tensor(x),))[0], everybody[0])):
    demand(np.array_equal(found.asnumpy(), right), name, found, right)
network = nn.Dense(4, 2)
draw = np.random.RandomState(0)
for parameter in network.trainable_params():
    parameter.set_data(Tensor(draw.standard_normal(parameter.shape).astype(np.float32)))
whole, labels = draw.standard_normal((8, 4)).astype(np.float32), draw.standard_normal((8, 2)).astype(np.float32)
start = [one.asnumpy().copy() for one in network.trainable_params()]
mine = slice(8 // count * rank, 8 // count * (rank + 1))
optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)


def forward(x, y):
    return ops.reduce_mean(ops.square(network(x) - y))


differentiate, reducer = ms.value_and_grad(forward, None, optimizer.parameters), nn.DistributedGradReducer(optimizer.parameters, mean=True, degree=count)
for _ in range(3):
    optimizer(reducer(differentiate(Tensor(whole[mine]), Tensor(labels[mine]))[1]))
weight, bias = start
speed = [np.zeros_like(weight), np.zeros_like(bias)]
for _ in range(3):
    error = 2 * (whole @ weight.T + bias - labels) / labels.size
    for i, (parameter, gradient) in enumerate(((weight, error.T @ whole), (bias, error.sum(0)))):
        speed[i] = 0.9 * speed[i] + gradient
        parameter -= 0.1 * speed[i]
for found, right in zip(network.trainable_params(), (weight, bias)):
    demand(np.allclose(found.asnumpy(), right, 1e-4, 1e-5), "data parallel", found.asnumpy(), right)
folder = f"profile_{rank}"
with profiler.profile(schedule=profiler.schedule(wait=1, active=1, repeat=1), on_trace_ready=profiler.tensorboard_trace_handler(folder),
                      experimental_config=profiler._ExperimentalConfig(profiler_level=profiler.ProfilerLevel.Level1)) as profile:
    for _ in range(2):
        ops.AllReduce()(Tensor(x)).asnumpy()
        profile.step()
found = [json.load(open(name, encoding="utf-8")) for name in glob.glob(f"{folder}/*_ascend_ms/ASCEND_PROFILER_OUTPUT/communication.json")]
demand([list(step["collective"])[0].split("_")[1] for one in found for step in one.values()] == ["allReduce"], "profiled are", found)
print(f"rank {rank} of {count} is right")
