# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""An adapter of low rank beside the model without it, in one batch. lora.py RANK: vllm-ascend multiplies by its kernels
below 128, for which Belay stands in, and by PyTorch from there on."""

import json
import os
import sys

import safetensors.torch
import torch

from support import small

TARGETS = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj")
ALPHA = 2


def main(rank):
    from vllm import SamplingParams, TokensPrompt
    from vllm.lora.request import LoRARequest

    adapter = {}

    def adapt(model, folder):
        """The adapter's files, and its product added to the weights."""
        torch.manual_seed(3)
        for i, layer in enumerate(model.model.layers):
            for target in TARGETS:
                linear = layer.get_submodule(target)
                rows, columns = linear.weight.shape
                down = (torch.randn(rank, columns) / columns**0.5).half()
                up = (torch.randn(rows, rank) / rank**0.5).half()
                name = f"base_model.model.model.layers.{i}.{target}"
                adapter[name + ".lora_A.weight"], adapter[name + ".lora_B.weight"] = down, up
                linear.weight.data += ALPHA * (up.float() @ down.float())
        os.mkdir(folder + "/adapter")
        safetensors.torch.save_file(adapter, folder + "/adapter/adapter_model.safetensors")
        with open(folder + "/adapter/adapter_config.json", "w") as file:
            targets = [target.split(".")[1] for target in TARGETS]
            json.dump(
                {"peft_type": "LORA", "r": rank, "lora_alpha": ALPHA * rank, "target_modules": targets, "bias": "none"}, file
            )

    lengths = (5, 11, 3)
    folder, prompts, wanted = small.make("llama", "float16", lengths=lengths, change=adapt)
    _, plain_prompts, plain_wanted = small.make("llama", "float16", lengths=lengths)
    llm = small.engine(folder, "float16", enable_lora=True, max_lora_rank=rank, max_loras=2)
    request = LoRARequest("adapter", 1, folder + "/adapter")
    parameters = SamplingParams(temperature=0, max_tokens=small.NEW_TOKENS, ignore_eos=True, detokenize=False)
    outputs = llm.generate(
        [TokensPrompt(prompt_token_ids=prompt) for prompt in [*prompts, *plain_prompts]],
        parameters,
        lora_request=[request] * len(prompts) + [None] * len(plain_prompts),
        use_tqdm=False,
    )
    small.same([list(output.outputs[0].token_ids) for output in outputs], wanted + plain_wanted)


if __name__ == "__main__":
    main(int(sys.argv[1]))
