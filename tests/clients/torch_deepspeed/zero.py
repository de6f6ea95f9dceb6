# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""DeepSpeed's ZeRO, stages 0 to 3, with its default Adam: losses beside those of AdamW on the CPU, in FLOAT."""
import os
import sys

import deepspeed
import torch
import torch.distributed
from torch import nn

STEPS, BATCH, RATE = 6, 8, 1e-2
# What a loss may differ by, relative to the first one: a few roundings of the weights in each step.
FORMS = {"FLOAT": ({}, torch.float32, 1e-4), "FLOAT16": ({"fp16": {"enabled": True, "initial_scale_power": 8}}, torch.float16, 1e-3),
         "BFLOAT16": ({"bf16": {"enabled": True}}, torch.bfloat16, 1e-2)}


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(12, 32), nn.GELU(approximate="tanh"), nn.Linear(32, 32), nn.GELU(approximate="tanh"), nn.Linear(32, 4))


def data(ranks):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(STEPS, BATCH * ranks, 12, generator=generator)
    return x, torch.sin(x[..., :4]) + 0.1 * torch.randn(STEPS, BATCH * ranks, 4, generator=generator)


def expected(ranks, begins_with_nothing):
    """The losses of the whole batch, which is what the ranks' averages are of. In 16 bits DeepSpeed's optimizer of stage 0
    makes its state by a step with gradients of 0, which counts."""
    here, losses = model(), []
    optimizer = torch.optim.AdamW(here.parameters(), lr=RATE, weight_decay=0.01)
    if begins_with_nothing:
        for parameter in here.parameters():
            parameter.grad = torch.zeros_like(parameter)
        optimizer.step()
    for x, y in zip(*data(ranks)):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(here(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train(stage, form, rank, ranks):
    config = {"train_micro_batch_size_per_gpu": BATCH, "gradient_accumulation_steps": 1, "steps_per_print": 1 << 30,
              "optimizer": {"type": "Adam", "params": {"lr": RATE, "weight_decay": 0.01}},
              "zero_optimization": {"stage": stage, "stage3_param_persistence_threshold": 0}, **FORMS[form][0]}
    here = model()
    engine, _, _, _ = deepspeed.initialize(model=here, model_parameters=here.parameters(), config=config)
    losses = []
    for x, y in zip(*data(ranks)):
        mine = slice(rank * BATCH, (rank + 1) * BATCH)
        loss = nn.functional.mse_loss(engine(x[mine].npu().to(FORMS[form][1])).float(), y[mine].npu())
        engine.backward(loss)
        engine.step()
        total = loss.detach().clone()
        torch.distributed.all_reduce(total)
        losses.append(total.item() / ranks)
    return type(engine.basic_optimizer).__name__, losses


def main():
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.npu.set_device(int(os.environ["LOCAL_RANK"]))
    deepspeed.init_distributed("hccl")
    faults = 0
    for stage in range(4):
        for form, (_, _, bound) in FORMS.items():
            right = expected(ranks, stage == 0 and form != "FLOAT")
            optimizer, losses = train(stage, form, rank, ranks)
            off = max(abs(a - b) for a, b in zip(losses, right)) / right[0]
            faults += not off <= bound or not losses[-1] < losses[0]
            if rank == 0:
                print(f"stage {stage} {form:9} {optimizer}: {losses[0]:.4f} to {losses[-1]:.4f}, off by {off:.1e}", flush=True)
    torch.distributed.barrier()
    sys.stdout.flush()
    os._exit(1 if faults else 0)


if __name__ == "__main__":
    main()
