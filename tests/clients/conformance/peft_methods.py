# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Every method of peft on a small Llama: logits and gradients of what it trains, three steps of SGD, and the weights merged
where the method can, beside the CPU."""
import copy

from beside import case, is_wanted, tell, said, with_gradients
import peft
import torch
from transformers import LlamaConfig, LlamaForCausalLM

CONFIG = LlamaConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4, intermediate_size=48,
                     vocab_size=99, max_position_embeddings=64, use_cache=False)
TARGETS = {"target_modules": ["q_proj", "v_proj"]}
TASK = {"task_type": "CAUSAL_LM"}
METHODS = {
    "lora": (peft.LoraConfig, {**TARGETS, "r": 4, "init_lora_weights": False}),
    "rslora": (peft.LoraConfig, {**TARGETS, "r": 4, "use_rslora": True, "init_lora_weights": False}),
    "dora": (peft.LoraConfig, {**TARGETS, "r": 4, "use_dora": True, "init_lora_weights": False}),
    "lora_pissa": (peft.LoraConfig, {**TARGETS, "r": 4, "init_lora_weights": "pissa"}),
    "lora_olora": (peft.LoraConfig, {**TARGETS, "r": 4, "init_lora_weights": "olora"}),
    "lora_embedding": (peft.LoraConfig, {"target_modules": ["embed_tokens", "q_proj"], "r": 4, "init_lora_weights": False}),
    "lora_bias": (peft.LoraConfig, {**TARGETS, "r": 4, "bias": "all", "init_lora_weights": False}),
    "lora_all_linear": (peft.LoraConfig, {"target_modules": "all-linear", "r": 4, "init_lora_weights": False}),
    "lora_modules_to_save": (peft.LoraConfig, {**TARGETS, "r": 4, "modules_to_save": ["lm_head"], "init_lora_weights": False}),
    "adalora": (peft.AdaLoraConfig, {**TARGETS, "init_r": 4, "target_r": 2, "total_step": 10, "init_lora_weights": False}),
    "ia3": (peft.IA3Config, {"target_modules": ["q_proj", "down_proj"], "feedforward_modules": ["down_proj"], "init_ia3_weights": False}),
    "loha": (peft.LoHaConfig, {**TARGETS, "r": 4, "init_weights": False}),
    "lokr": (peft.LoKrConfig, {**TARGETS, "r": 4, "init_weights": False}),
    "oft": (peft.OFTConfig, {**TARGETS, "oft_block_size": 8, "init_weights": False}),
    "boft": (peft.BOFTConfig, {**TARGETS, "boft_block_size": 4, "init_weights": False}),
    "hra": (peft.HRAConfig, {**TARGETS, "r": 4, "init_weights": False}),
    "vera": (peft.VeraConfig, {**TARGETS, "r": 4, "init_weights": False}),
    "fourierft": (peft.FourierFTConfig, {**TARGETS, "n_frequency": 20, "init_weights": False}),
    "vblora": (peft.VBLoRAConfig, {**TARGETS, "r": 4, "vector_length": 8, "num_vectors": 16}),
    "ln_tuning": (peft.LNTuningConfig, {}),
    "prompt_tuning": (peft.PromptTuningConfig, {"num_virtual_tokens": 4}),
    "prefix_tuning": (peft.PrefixTuningConfig, {"num_virtual_tokens": 4}),
    "p_tuning": (peft.PromptEncoderConfig, {"num_virtual_tokens": 4, "encoder_hidden_size": 16}),
    "adaption_prompt": (peft.AdaptionPromptConfig, {"adapter_len": 4, "adapter_layers": 1}),
    "trainable_tokens": (peft.TrainableTokensConfig, {"token_indices": [1, 2, 5]}),
    "randlora": (getattr(peft, "RandLoraConfig", None), {**TARGETS, "r": 4, "init_weights": False}),
    "shira": (getattr(peft, "ShiraConfig", None), {**TARGETS, "r": 4}),
    "c3a": (getattr(peft, "C3AConfig", None), {**TARGETS, "block_size": 8, "init_weights": "gaussian"}),
    "miss": (getattr(peft, "MissConfig", None), {**TARGETS, "r": 4, "init_weights": False}),
    "bone": (getattr(peft, "BoneConfig", None), {**TARGETS, "r": 4, "init_weights": False}),
    "road": (getattr(peft, "RoadConfig", None), {**TARGETS, "group_size": 8, "init_weights": False}),
    "delora": (getattr(peft, "DeloraConfig", None), {**TARGETS, "r": 4, "init_weights": False}),
    "waveft": (getattr(peft, "WaveFTConfig", None), {**TARGETS, "n_frequency": 20, "init_weights": False}),
    "gralora": (getattr(peft, "GraloraConfig", None), {**TARGETS, "r": 4, "gralora_k": 2, "init_weights": False}),
}


def runs_of(name):
    method, kwargs = METHODS[name]
    torch.manual_seed(0)
    model = peft.get_peft_model(LlamaForCausalLM(CONFIG), method(**TASK, **kwargs)).eval()
    tokens = torch.randint(3, 97, (2, 9), generator=torch.Generator().manual_seed(2))

    def here(device, dtype):
        return copy.deepcopy(model).to(dtype or torch.float32).to(device)

    def forward(device, dtype):
        return with_gradients(here(device, dtype), lambda module: module(input_ids=tokens.to(device)).logits)

    def steps(device, dtype):
        module = here(device, dtype)
        wanted = [parameter for parameter in module.parameters() if parameter.requires_grad]
        optimizer = torch.optim.SGD(wanted, lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            module(input_ids=tokens.to(device), labels=tokens.to(device)).loss.backward()
            optimizer.step()
        return [parameter.detach() for parameter in wanted]

    def merged(device, dtype):
        return [here(device, dtype).merge_and_unload()(input_ids=tokens.to(device)).logits.detach()]
    return {"gradients": forward, "steps": steps, **({"merged": merged} if hasattr(model.base_model, "merge_and_unload") else {})}


for name in METHODS:
    if not is_wanted(name) or METHODS[name][0] is None:
        continue
    try:
        made = runs_of(name)
    except Exception as error:  # noqa: BLE001
        tell(name, "cpu", said(error))
        continue
    for part, run in made.items():
        case(f"{name} {part}", run)
