# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Every architecture of transformers with a head for causal or masked language modelling that a small configuration can
be made of: logits and the gradients of all parameters beside the CPU, with random weights."""
import copy

from beside import case, is_wanted, tell, said, with_gradients
import torch
from transformers import CONFIG_MAPPING
from transformers.models.auto import modeling_auto

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48,
         "vocab_size": 99, "max_position_embeddings": 64, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "d_model": 32,
         "d_ff": 48, "num_layers": 2, "num_heads": 4, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "embedding_size": 32, "head_dim": 8, "dim": 32,
         "n_layers": 2, "n_heads": 4, "hidden_dim": 48, "num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2,
         "moe_intermediate_size": 16, "n_routed_experts": 4, "n_group": 1, "topk_group": 1, "kv_lora_rank": 8, "q_lora_rank": 8,
         "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
         "type_vocab_size": 2, "state_size": 8, "rotary_dim": 4, "word_embed_proj_dim": 32, "ffn_dim": 48, "sliding_window": 8,
         "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "use_cache": False}
LARGEST = 3_000_000


def small_config(kind):
    """A configuration with whatever of SMALL it has, and each layer's kind where it lists them."""
    default = CONFIG_MAPPING[kind]()
    known = set(default.to_dict()) | set(getattr(default, "attribute_map", {}))
    given = {key: value for key, value in SMALL.items() if key in known}
    config = CONFIG_MAPPING[kind](**given)
    if getattr(config, "layer_types", None) and len(config.layer_types) > 2:
        config.layer_types = list(config.layer_types)[-2:]
    return config


def run_of(name, kind):
    import transformers
    config = small_config(kind)
    with torch.device("meta"):
        size = sum(parameter.numel() for parameter in getattr(transformers, name)(config).parameters())
    if size > LARGEST:
        raise ValueError(f"{size} parameters")
    torch.manual_seed(0)
    model = getattr(transformers, name)(config).eval()
    tokens = torch.randint(3, 97, (2, 9), generator=torch.Generator().manual_seed(2))

    def run(device, dtype):
        here = copy.deepcopy(model).to(dtype or torch.float32).to(device)
        if dtype == torch.float64:  # which products in groups do not take
            here.set_experts_implementation("eager")
        return with_gradients(here, lambda module: module(input_ids=tokens.to(device)).logits)
    return run


for mapping in (modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES):
    for kind, name in mapping.items():
        if not is_wanted(name):
            continue
        try:
            made = run_of(name, kind)
        except Exception as error:  # noqa: BLE001 - no small one of it
            tell(name, "cpu", said(error))
            continue
        case(name, made)
