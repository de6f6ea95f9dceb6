# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A transformer whose parameters the ranks share out: FullyShardedDataParallel in its strategies, and fully_shard."""
import torch
import torch.distributed as dist
from support.ranks import DEVICE, IS_HCCL, RANK, SIZE, expect, put, run
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy
from torch.distributed.fsdp import fully_shard
from torch.nn import functional

STEPS = 5
BATCH, LENGTH, TOKENS, WIDTH = 8, 12, 32, 32
TOLERANCE = 1e-5


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.layers = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU("tanh"), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        query, key, value = (part.view(*part.shape[:2], 4, -1).transpose(1, 2)
                             for part in self.into(self.first(x)).chunk(3, -1))
        mixed = functional.softmax(query @ key.transpose(-1, -2) / 8**0.5, dim=-1) @ value
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.layers(self.second(x))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(TOKENS, WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(WIDTH, TOKENS)

    def forward(self, text):
        x = self.token(text)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def texts():
    """The same in every step, so that there is something to learn."""
    return torch.randint(TOKENS, (BATCH, LENGTH + 1), generator=torch.Generator().manual_seed(2))


def loss_of(model, text):
    predicted = model(text[:, :-1]).float()
    return functional.cross_entropy(predicted.reshape(-1, TOKENS), text[:, 1:].reshape(-1))


def train(model, mine):
    """The losses of its steps, averaged over the ranks where each has its part."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=False)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(model, put(texts()[mine]))
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().clone())
    losses = torch.stack(losses)
    if mine != slice(None):
        dist.all_reduce(losses)
        losses /= SIZE
    return losses


def part():
    return slice(RANK * BATCH // SIZE, (RANK + 1) * BATCH // SIZE)


def fresh():
    torch.manual_seed(1)
    return Transformer().to(DEVICE)


def wrapped(model, **options):
    device = torch.device(DEVICE, torch.npu.current_device()) if IS_HCCL else torch.device("cpu")
    for place, block in enumerate(model.blocks):
        model.blocks[place] = FullyShardedDataParallel(block, device_id=device, **options)
    return FullyShardedDataParallel(model, device_id=device, **options)


def strategies():
    wanted = train(fresh(), slice(None)).cpu()
    expect("one process learns", bool(wanted[-1] < wanted[0]), True)
    for name in ("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD"):
        strategy = getattr(ShardingStrategy, name)
        got = train(wrapped(fresh(), sharding_strategy=strategy), part())
        expect(f"{name}", got, wanted, 5 * TOLERANCE)
    got = train(wrapped(fresh(), sharding_strategy=ShardingStrategy.FULL_SHARD, use_orig_params=True), part())
    expect("parameters under their own names", got, wanted, 5 * TOLERANCE)


def in_sixteen_bits():
    if not IS_HCCL:
        return
    wanted = train(fresh(), slice(None)).cpu()
    mixed = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.bfloat16)
    got = train(wrapped(fresh(), sharding_strategy=ShardingStrategy.FULL_SHARD, mixed_precision=mixed), part())
    expect("BFLOAT16", got, wanted, 2e-2)


def state():
    """The whole state, gathered from all, is that of one process."""
    model = wrapped(fresh(), sharding_strategy=ShardingStrategy.FULL_SHARD)
    alone = fresh()
    train(model, part())
    train(alone, slice(None))
    with FullyShardedDataParallel.summon_full_params(model):
        for one, other in zip(model.parameters(), alone.parameters()):
            expect("a parameter", one.reshape(-1)[:other.numel()], other.detach().cpu().reshape(-1), 1e-3)


def the_second_kind():
    """fully_shard, with parameters that are DTensors."""
    wanted = train(fresh(), slice(None)).cpu()
    model = fresh()
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    got = train(model, part())
    expect("fully_shard", got, wanted, 5 * TOLERANCE)


if __name__ == "__main__":
    run(strategies, in_sixteen_bits, state, the_second_kind)
