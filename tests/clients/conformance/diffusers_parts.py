# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Every scheduler of diffusers for five steps, and small models of each kind, beside the CPU."""
import copy

from beside import case, is_wanted, tensors, with_gradients
import diffusers
import torch

LATENT = {"sample": (1, 4, 16, 16), "timestep": 10}
BLOCKS = {"block_out_channels": (8, 16), "norm_num_groups": 4, "layers_per_block": 1}
MODELS = {
    "UNet2DModel": ({**BLOCKS, "sample_size": 16, "in_channels": 4, "out_channels": 4, "attention_head_dim": 4,
                     "down_block_types": ("DownBlock2D", "AttnDownBlock2D"), "up_block_types": ("AttnUpBlock2D", "UpBlock2D")}, LATENT),
    "UNet2DConditionModel": ({**BLOCKS, "sample_size": 16, "cross_attention_dim": 12, "attention_head_dim": 4,
                              "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"),
                              "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D")}, {**LATENT, "encoder_hidden_states": (1, 5, 12)}),
    "AutoencoderKL": ({**BLOCKS, "down_block_types": ("DownEncoderBlock2D",) * 2, "up_block_types": ("UpDecoderBlock2D",) * 2},
                      {"sample": (1, 3, 16, 16)}),
    "AutoencoderTiny": ({"encoder_block_out_channels": (8, 8), "decoder_block_out_channels": (8, 8), "num_encoder_blocks": (1, 1),
                         "num_decoder_blocks": (1, 1)}, {"sample": (1, 3, 16, 16)}),
    "VQModel": ({**BLOCKS, "down_block_types": ("DownEncoderBlock2D",) * 2, "up_block_types": ("UpDecoderBlock2D",) * 2,
                 "num_vq_embeddings": 12, "latent_channels": 4}, {"sample": (1, 3, 16, 16)}),
    "DiTTransformer2DModel": ({"sample_size": 8, "num_layers": 2, "patch_size": 2, "attention_head_dim": 8, "num_attention_heads": 2,
                               "in_channels": 4, "out_channels": 4, "num_embeds_ada_norm": 10},
                              {"hidden_states": (1, 4, 8, 8), "timestep": torch.tensor([10]), "class_labels": torch.tensor([1])}),
    "SD3Transformer2DModel": ({"sample_size": 8, "num_layers": 2, "patch_size": 1, "attention_head_dim": 8, "num_attention_heads": 2,
                               "in_channels": 4, "out_channels": 4, "joint_attention_dim": 12, "caption_projection_dim": 16,
                               "pooled_projection_dim": 16, "pos_embed_max_size": 16},
                              {"hidden_states": (1, 4, 8, 8), "timestep": torch.tensor([10]), "encoder_hidden_states": (1, 5, 12),
                               "pooled_projections": (1, 16)}),
    "PixArtTransformer2DModel": ({"sample_size": 8, "num_layers": 2, "patch_size": 2, "attention_head_dim": 8, "num_attention_heads": 2,
                                  "in_channels": 4, "out_channels": 8, "cross_attention_dim": 16, "caption_channels": 12,
                                  "use_additional_conditions": False},
                                 {"hidden_states": (1, 4, 8, 8), "timestep": torch.tensor([10]), "encoder_hidden_states": (1, 5, 12)}),
    "PriorTransformer": ({"num_attention_heads": 2, "attention_head_dim": 8, "num_layers": 2, "embedding_dim": 8, "num_embeddings": 7,
                          "additional_embeddings": 4},
                         {"hidden_states": (1, 8), "timestep": 2, "proj_embedding": (1, 8), "encoder_hidden_states": (1, 7, 8)}),
}


def scheduler(name):
    def run(device, dtype):
        made = getattr(diffusers, name)()
        made.set_timesteps(5, device=device)
        generator = torch.Generator().manual_seed(3)
        sample = torch.randn(1, 4, 8, 8, generator=generator, dtype=torch.float64)
        noise = torch.randn(1, 4, 8, 8, generator=generator, dtype=torch.float64) * 0.5
        sample, noise = (value.to(dtype or torch.float32).to(device) for value in (sample, noise))
        for step in made.timesteps:
            given = made.scale_model_input(sample, step) if hasattr(made, "scale_model_input") else sample
            more = {"generator": torch.Generator().manual_seed(4)} if "generator" in made.step.__code__.co_varnames else {}
            sample = tensors(made.step(noise * 0.9 + given * 0.1, step, sample, **more))[0]
        return [sample]
    return run


def model(name):
    kwargs, inputs = MODELS[name]
    torch.manual_seed(0)
    made = getattr(diffusers, name)(**kwargs).eval()
    generator = torch.Generator().manual_seed(2)
    values = {key: torch.randn(value, generator=generator) if isinstance(value, tuple) else value for key, value in inputs.items()}

    def run(device, dtype):
        here = copy.deepcopy(made).to(dtype or torch.float32).to(device)
        given = {key: value.to(dtype if dtype and value.is_floating_point() else value.dtype).to(device)
                 if isinstance(value, torch.Tensor) else value for key, value in values.items()}
        return with_gradients(here, lambda module: module(**given))
    return run


for name in sorted(name for name in dir(diffusers) if name.endswith("Scheduler") and "Flax" not in name and is_wanted(name)):
    try:
        is_whole = callable(getattr(diffusers, name).step)
    except (AttributeError, ImportError):  # a name for what another package would have
        continue
    if is_whole:
        case(name, scheduler(name))
for name in MODELS:
    if is_wanted(name):
        case(name, model(name))
