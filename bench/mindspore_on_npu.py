# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Steps of training by MindSpore: on Belay, and on MindSpore's own CPU device with as many threads.

    belay run PYTHON bench/mindspore_on_npu.py [--rounds 15] [--processor-time]

PYTHON has MindSpore (scripts/clients.sh mindspore makes one). A process for each side, as one process has one device,
from the same weights; their losses are compared before anything is timed. They take turns: in each round either side does
some steps, and the ratio is that of the round, so that other programs of the machine count for both. Printed are the
medians of a step's times and of the ratios, and the quarters of these. OMP_NUM_THREADS (1) are the threads of both.
Networks of nn, whose kernels the CPU device has: forward, gradients, Adam.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

THREADS = os.environ.get("OMP_NUM_THREADS", "1")
WIDTH, HEADS, TOKENS, BATCH = 128, 4, 64, 16
APART = 1e-3  # losses of the same steps


def networks():
    """name, how many steps a turn has, and the step."""
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, nn, ops

    class Block(nn.Cell):
        """One layer of a transformer, after an embedding and before a classifier."""

        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(1000, WIDTH)
            self.before, self.all, self.after = nn.LayerNorm((WIDTH,)), nn.Dense(WIDTH, 3 * WIDTH), nn.Dense(WIDTH, WIDTH)
            self.second, self.wide, self.narrow = nn.LayerNorm((WIDTH,)), nn.Dense(WIDTH, 4 * WIDTH), nn.Dense(4 * WIDTH, WIDTH)
            self.last, self.softmax, self.gelu = nn.Dense(WIDTH, 10), nn.Softmax(-1), nn.GELU()

        def heads(self, x):
            return ops.transpose(x.reshape((BATCH, TOKENS, HEADS, WIDTH // HEADS)), (0, 2, 1, 3))

        def construct(self, x):
            x = self.words(x)
            query, key, value = (self.heads(one) for one in ops.split(self.all(self.before(x)), WIDTH, 2))
            scores = self.softmax(ops.matmul(query, ops.swapaxes(key, -1, -2)) * (WIDTH // HEADS) ** -0.5)
            x = x + self.after(ops.transpose(ops.matmul(scores, value), (0, 2, 1, 3)).reshape(x.shape))
            x = x + self.narrow(self.gelu(self.wide(self.second(x))))
            return self.last(ops.reduce_mean(x, 1))

    draw = np.random.RandomState(0)
    labels = Tensor(draw.randint(0, 10, (BATCH * 8,)).astype(np.int32))
    mlp = nn.SequentialCell(nn.Dense(256, 512), nn.ReLU(), nn.Dense(512, 512), nn.ReLU(), nn.Dense(512, 10))
    pictures = Tensor(draw.standard_normal((BATCH * 8, 256)).astype(np.float32))
    texts = Tensor(draw.randint(0, 1000, (BATCH, TOKENS)).astype(np.int32))
    for name, steps, network, x, y in (("MLP", 5, mlp, pictures, labels), ("transformer", 2, Block(), texts, labels[:BATCH])):
        step = training_step(network)
        for style, one in (("PyNative", step), ("jit O0", ms.jit(step, jit_level="O0"))):
            yield f"{name}, {style}", steps, lambda one=one, x=x, y=y: one(x, y)


def training_step(network):
    import mindspore as ms
    from mindspore import nn
    network.set_train()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Adam(network.trainable_params(), 1e-3)

    def forward(x, y):
        return loss(network(x), y)
    differentiate = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        value, gradients = differentiate(x, y)
        optimizer(gradients)
        return value
    return step


def side(device, clock):
    """Does a turn for each line that comes, and says how many seconds a step took."""
    import mindspore as ms
    ms.set_seed(0)
    ms.set_context(mode=ms.PYNATIVE_MODE, runtime_num_threads=int(THREADS))
    ms.set_device(device)
    for name, steps, step in networks():
        for _ in range(3):
            loss = float(step().asnumpy())
        print("row", name, loss, flush=True)
        for line in sys.stdin:
            if line.strip() == "next":
                break
            begin = clock()
            for _ in range(steps):
                last = step()
            last.asnumpy()
            print("took", (clock() - begin) / steps, flush=True)
    print("end", flush=True)


class Side:
    def __init__(self, device, options):
        self.device = device
        environment = dict(os.environ, OMP_NUM_THREADS=THREADS, BELAY_THREADS=THREADS, GLOG_v="4", PYTHONWARNINGS="ignore")
        command = [sys.executable, "-B", __file__, "--side", device] + ["--processor-time"] * options.processor_time
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self, word):
        for line in self.process.stdout:
            if line.split()[:1] == [word]:
                return line.strip().partition(" ")[2]
            if line.strip() == "end":
                return None
        sys.exit(f"the side on {self.device} ended")

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--processor-time", action="store_true", help="of all threads, for machines that other programs share")
    parser.add_argument("--side", help="what this program starts itself with")
    options = parser.parse_args()
    if options.side:
        return side(options.side, time.process_time if options.processor_time else time.perf_counter)
    sides = [Side(device, options) for device in ("Ascend", "CPU")]
    print(f"{'a step of training, ms':28} {'Belay':>9} {'CPU':>9} {'times':>7}  {'quarters':>11}   threads: {THREADS}")
    while True:
        rows = [one.answer("row") for one in sides]
        if None in rows:
            break
        name, (loss, wanted), times = rows[0].rpartition(" ")[0], [float(one.rpartition(" ")[2]) for one in rows], ([], [])
        if not abs(loss - wanted) <= APART * abs(wanted):
            sys.exit(f"{name}: the losses are {loss} and {wanted}")
        for turn in range(options.rounds):
            for one, found in list(zip(sides, times))[::-1 if turn % 2 else 1]:
                one.tell("turn")
                found.append(1e3 * float(one.answer("took")))
        ratios = sorted(a / b for a, b in zip(*times))
        quarter = len(ratios) // 4
        print(f"{name:28} {statistics.median(times[0]):9.2f} {statistics.median(times[1]):9.2f} "
              f"{statistics.median(ratios):7.2f}  {ratios[quarter]:5.2f} {ratios[-1 - quarter]:5.2f}", flush=True)
        for one in sides:
            one.tell("next")
    return 0


if __name__ == "__main__":
    sys.exit(main())
