# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Model.train over a data set of Python's, evaluation, a checkpoint that goes on, mixed precision with a loss scale."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, amp, nn
from mindspore.dataset import GeneratorDataset

from support import beside


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 4, 3, pad_mode="valid"), nn.Conv2d(4, 8, 3, pad_mode="valid")
        self.pool, self.relu, self.flat = nn.MaxPool2d(2, 2), nn.ReLU(), nn.Flatten()
        self.wide, self.last = nn.Dense(8 * 4, 16), nn.Dense(16, 4)
        draw = np.random.RandomState(1)
        for parameter in self.trainable_params():
            parameter.set_data(Tensor((draw.standard_normal(parameter.shape) * 0.3).astype(np.float32)))

    def construct(self, x):
        x = self.pool(self.relu(self.first(x)))
        x = self.pool(self.relu(self.second(x)))
        return self.last(self.relu(self.wide(self.flat(x))))


def samples(count=32):
    draw = np.random.RandomState(2)
    for _ in range(count):
        label = draw.randint(0, 4)
        yield (draw.standard_normal((1, 14, 14)) * 0.3 + label / 2).astype(np.float32), np.int32(label)


def data():
    return GeneratorDataset(lambda: samples(), ["image", "label"], shuffle=False).batch(8)


class Losses(ms.Callback):
    def __init__(self):
        self.seen = []

    def step_end(self, context):
        self.seen.append(float(context.original_args().net_outputs.asnumpy() if isinstance(context.original_args().net_outputs, Tensor)
                               else context.original_args().net_outputs[0].asnumpy()))


def loss():
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def trained(optimizer, **options):
    network, losses = LeNet(), Losses()
    model = ms.Model(network, loss(), optimizer(network.trainable_params()), metrics={"accuracy"}, **options)
    model.train(3, data(), callbacks=[losses], dataset_sink_mode=False)
    return network, model, losses.seen


def with_momentum():
    network, model, losses = trained(lambda parameters: nn.Momentum(parameters, 0.05, 0.9))
    accuracy = model.eval(data(), dataset_sink_mode=False)["accuracy"]
    return [losses, accuracy] + [one.asnumpy() for one in network.trainable_params()]


def with_adam():
    return [trained(lambda parameters: nn.Adam(parameters, 0.01))[2]]


def with_a_schedule():
    rates = nn.cosine_decay_lr(0.001, 0.05, 12, 4, 3)
    return [trained(lambda parameters: nn.SGD(parameters, rates, weight_decay=0.01))[2]]


def a_checkpoint_goes_on():
    network, _, before = trained(lambda parameters: nn.Momentum(parameters, 0.05, 0.9))
    ms.save_checkpoint(network, "half.ckpt")
    other = LeNet()
    ms.load_param_into_net(other, ms.load_checkpoint("half.ckpt"))
    for one, two in zip(network.get_parameters(), other.get_parameters()):
        assert np.array_equal(one.asnumpy(), two.asnumpy())
    losses = Losses()
    ms.Model(other, loss(), nn.Adam(other.trainable_params(), 0.01)).train(1, data(), callbacks=[losses], dataset_sink_mode=False)
    return [before, losses.seen]


def gradients_are_clipped_and_accumulated():
    network, function = LeNet(), loss()
    parameters = ms.ParameterTuple(network.trainable_params())
    optimizer = nn.Momentum(parameters, 0.05, 0.9)

    def forward(x, y):
        return function(network(x), y)
    differentiate, losses, kept = ms.value_and_grad(forward, None, parameters), [], None
    for x, y in data():
        value, gradients = differentiate(x, y)
        kept = gradients if kept is None else [a + b for a, b in zip(kept, gradients)]
        losses.append(float(value.asnumpy()))
    optimizer(ms.ops.clip_by_global_norm(tuple(kept), 1.0))
    return [losses] + [one.asnumpy() for one in parameters]


def a_loss_scale_that_moves():
    network, function = LeNet(), loss()
    optimizer = nn.SGD(network.trainable_params(), 0.01)
    scaler = amp.DynamicLossScaler(2.0 ** 10, 2, 2)

    def forward(x, y):
        return scaler.scale(function(network(x), y))
    differentiate, seen = ms.value_and_grad(forward, None, optimizer.parameters), []
    for step, (x, y) in enumerate(data()):
        value, gradients = differentiate(x, y)
        if step == 1:
            gradients = (gradients[0] * float("inf"),) + tuple(gradients[1:])
        finite = amp.all_finite(gradients)
        if finite:
            optimizer(scaler.unscale(gradients))
        scaler.adjust(finite)
        seen += [float(value.asnumpy()), bool(finite), float(scaler.scale_value.asnumpy())]
    return [seen]


beside.run({function.__name__: function for function in (
    with_momentum, with_adam, with_a_schedule, a_checkpoint_goes_on, gradients_are_clipped_and_accumulated, a_loss_scale_that_moves)}, 2e-4, 2e-5)
