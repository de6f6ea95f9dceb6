# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Recurrent layers by torch_npu's own names, and their gradients, beside PyTorch's on the CPU."""

import os

import torch
import torch_npu

NPU = torch.ops.npu
A5 = "950" in os.environ.get("BELAY_SOC", "")
torch.manual_seed(35)
INPUT, HIDDEN, BATCH, STEPS = 6, 8, 3, 5


def near(found, wanted):
    for i, (one, other) in enumerate(zip(found, wanted, strict=True)):
        one, other = one.cpu(), other.detach()
        assert one.shape == other.shape, (i, one.shape, other.shape)
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5), (i, (one - other).abs().max())


def leaf(*shape):
    return torch.randn(*shape, requires_grad=True)


def on(*inputs):
    return [x.detach().npu() for x in inputs]


def gradients(outputs, inputs):
    seeds = [torch.randn_like(x) for x in outputs]
    return torch.autograd.grad(outputs, inputs, seeds), on(*seeds)


def layers(kind):
    states = [leaf(1, BATCH, HIDDEN) for _ in range(2 if kind is torch.nn.LSTM else 1)]
    net, x = kind(INPUT, HIDDEN), leaf(STEPS, BATCH, INPUT)
    y, last = net(x, tuple(states) if len(states) == 2 else states[0])
    last = last if isinstance(last, tuple) else (last,)
    wanted, seeds = gradients((y, *last), (x, *states, *net.parameters()))
    weights, how = on(*net.parameters()), (True, 1, 0.0, True, False)
    if kind is torch.nn.LSTM:
        found = NPU._lstm_npu(*on(x), on(*states), weights, *how)
        back = NPU._lstm_npu_backward(*seeds, *on(x), on(*states), weights, *found[3:], *how)
        back = [back[0], *back[1], *back[2]]
    else:
        found = NPU._gru_npu(*on(x, *states), weights, *how)
        back = NPU._gru_npu_backward(*seeds, *on(x, *states), weights, *found[2:], *how)
        back = [*back[:2], *back[2]]
    near(found[: 1 + len(last)], (y, *last))
    near(back, wanted)


def one_layer():
    """The weights of both products above one another, and one bias."""
    net, x, h, c = torch.nn.LSTM(INPUT, HIDDEN), leaf(STEPS, BATCH, INPUT), leaf(1, BATCH, HIDDEN), leaf(1, BATCH, HIDDEN)
    weight = torch.cat([net.weight_ih_l0, net.weight_hh_l0], 1).t().contiguous()
    bias, lengths = net.bias_ih_l0 + net.bias_hh_l0, torch.full((BATCH,), STEPS, dtype=torch.int32).npu()
    y, (last_h, last_c) = net(x, (h, c))
    wanted, seeds = gradients((y, last_h, last_c), (x, net.weight_ih_l0, net.weight_hh_l0, net.bias_ih_l0, h, c))
    how = (True, 1, 0.0, True, False, False, False, False)
    found = NPU.npu_lstm(*on(x, weight, bias), lengths, *on(h, c), *how)
    near([found[0], found[1][-1:], found[2][-1:]], [y, last_h, last_c])
    seeds[1:] = [torch.cat([torch.zeros(STEPS - 1, BATCH, HIDDEN).npu(), s]) for s in seeds[1:]]
    back = NPU.npu_lstm_backward(*seeds, *on(x, weight, bias, h, c), *found)
    near([back[0], back[1].t()[:, :INPUT], back[1].t()[:, INPUT:], *back[2:]], wanted)


def cell():
    net, x, h, c = torch.nn.LSTMCell(INPUT, HIDDEN), leaf(BATCH, INPUT), leaf(BATCH, HIDDEN), leaf(BATCH, HIDDEN)
    weights = on(net.weight_ih.t().contiguous(), net.weight_hh.t().contiguous())
    result = net(x, (h, c))
    wanted, seeds = gradients(result, (x, net.weight_ih, net.weight_hh, net.bias_ih, net.bias_hh, h, c))
    found = NPU.npu_lstm_cell(*on(x), *weights, *on(h, c, net.bias_ih, net.bias_hh))
    near(found[1:3], result)
    back = NPU.npu_lstm_cell_backward(None, *seeds, *on(x), *weights, *on(h, c), *found)
    near([back[0], back[1].t(), back[2].t(), *back[3:]], wanted)


if __name__ == "__main__":
    layers(torch.nn.LSTM)
    layers(torch.nn.GRU)
    if not A5:  # torch_npu has the others for the older product alone
        cell()
        one_layer()
