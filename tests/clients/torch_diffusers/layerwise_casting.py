# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Layerwise casting of accelerate and diffusers beside the CPU: weights in floats of 8 bits, arithmetic in BFLOAT16.

The weights are random, drawn on the CPU, so nothing is fetched. Products without floats of 8 bits say so.
"""
import copy
import os
import sys

import torch
from accelerate.big_modeling import attach_layerwise_casting_hooks
from diffusers import AutoencoderKL, FluxTransformer2DModel, UNet2DModel

FORMATS = (torch.float8_e4m3fn, torch.float8_e5m2)
# Relative to the largest element: BFLOAT16 has 8 bits, and the models up to forty layers.
BOUND = 6e-2
passed, failed = 0, []


def check(what, good, said=""):
    global passed
    if good:
        passed += 1
    else:
        failed.append(what)
        print(f"FAILED {what} {said}", flush=True)


class Small(torch.nn.Module):
    """Layers that are cast, and a norm that is not."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(50, 32)
        self.along = torch.nn.Conv1d(32, 32, 3, padding=1)
        self.norm = torch.nn.LayerNorm(32)
        self.mixed = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0, batch_first=True, norm_first=True)
        self.head = torch.nn.Linear(32, 50)

    def forward(self, tokens):
        x = self.words(tokens)
        x = self.norm(x + self.along(x.transpose(1, 2)).transpose(1, 2))
        return self.head(x + torch.nn.functional.gelu(self.mixed.linear1(x))[..., :32])


def with_accelerate(model, dtype):
    attach_layerwise_casting_hooks(model, dtype, torch.bfloat16, skip_modules_pattern=("norm",))


def with_diffusers(model, dtype):
    model.enable_layerwise_casting(storage_dtype=dtype, compute_dtype=torch.bfloat16)


def unet():
    return UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(32, 64),
                       down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"))


def autoencoder():
    return AutoencoderKL(down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
                         block_out_channels=(32, 64), layers_per_block=1, latent_channels=4, sample_size=16)


def flux():
    return FluxTransformer2DModel(patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16,
                                  num_attention_heads=2, joint_attention_dim=32, pooled_projection_dim=32,
                                  axes_dims_rope=(4, 4, 8))


def flux_inputs():
    ids = torch.stack(torch.meshgrid(torch.arange(4.0), torch.arange(4.0), indexing="ij"), -1).reshape(16, 2)
    return {"hidden_states": torch.randn(1, 16, 4).bfloat16(), "encoder_hidden_states": torch.randn(1, 6, 32).bfloat16(),
            "pooled_projections": torch.randn(1, 32).bfloat16(), "timestep": torch.tensor([0.5]).bfloat16(),
            "img_ids": torch.nn.functional.pad(ids, (1, 0)), "txt_ids": torch.zeros(6, 3)}


MODELS = (
    ("accelerate", Small, with_accelerate, lambda: {"tokens": torch.randint(0, 50, (2, 9))}),
    ("UNet2DModel", unet, with_diffusers,
     lambda: {"sample": torch.randn(2, 3, 16, 16).bfloat16(), "timestep": torch.tensor(7)}),
    ("AutoencoderKL", autoencoder, with_diffusers, lambda: {"sample": torch.randn(1, 3, 16, 16).bfloat16()}),
    ("FluxTransformer2DModel", flux, with_diffusers, flux_inputs),
)


def output_of(model, given):
    with torch.no_grad():
        found = model(**given)
    return found if isinstance(found, torch.Tensor) else found[0] if isinstance(found, tuple) else found.sample


def beside_the_cpu(name, make, cast, inputs, dtype):
    torch.manual_seed(3)
    model = make().bfloat16().eval()
    given = inputs()
    plain = output_of(model, given)
    npu, rounded = copy.deepcopy(model).npu(), copy.deepcopy(model).npu()
    cast(model, dtype)
    cast(npu, dtype)
    wanted = output_of(model, given)
    found = output_of(npu, {key: value.npu() for key, value in given.items()}).cpu()
    what = f"{name} {dtype}"
    stored = 0
    for (place, ours), theirs in zip(npu.named_parameters(), model.parameters()):
        stored += ours.dtype is dtype
        check(f"{what} {place} is stored", ours.dtype is theirs.dtype, f"in {ours.dtype} and not {theirs.dtype}")
        codes = [x.detach().cpu().view(torch.uint8 if x.element_size() == 1 else torch.int16) for x in (ours, theirs)]
        check(f"{what} {place}", torch.equal(*codes))
    check(f"{what} has weights in 8 bits", stored > 3, stored)
    off = ((found.float() - wanted.float()).abs().max() / wanted.float().abs().max()).item()
    check(what, found.dtype is torch.bfloat16 and off <= BOUND, f"off by {off:.1e}")
    with torch.no_grad():
        for ours, theirs in zip(npu.parameters(), rounded.parameters()):
            theirs.copy_(ours.to(torch.bfloat16))
    same = output_of(rounded, {key: value.npu() for key, value in given.items()}).cpu()
    check(f"{what} is the model of the rounded weights, bit by bit", torch.equal(found, same))
    check(f"{what} is another model than the plain one", not torch.equal(plain, wanted))
    print(f"{what}: {stored} weights in 8 bits, off by {off:.1e}")


def without_them():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8)).bfloat16().npu()
    try:
        with_accelerate(model, FORMATS[0])
        model(torch.ones(1, 8).bfloat16().npu()).cpu()
    except RuntimeError as error:
        check("it says what is not there", "FLOAT8_E4M3FN" in str(error), error)
    else:
        check("a product without floats of 8 bits refuses them", False)


if "950" in os.environ.get("BELAY_SOC", ""):
    for dtype in FORMATS:
        for row in MODELS:
            beside_the_cpu(*row, dtype)
else:
    without_them()
print(f"{passed} passed, {len(failed)} failed")
sys.exit(len(failed) > 0)
