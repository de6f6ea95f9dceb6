# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A model that is made on the spot, served by vLLM on the device, beside Hugging Face's transformers on the CPU.

    TRITON_INTERPRET=1 belay run python generate.py

docs/vllm.md says how the environment is made. The weights are random, so that nothing is fetched; sums differ in their
last bits between the two, so a token counts as right where it is the likeliest, or next to it within a little."""
import os
import tempfile

os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")  # the engine in this process

import torch
import transformers
from vllm import LLM, SamplingParams, TokensPrompt


def main():
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=512, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=256,
    )
    model = transformers.AutoModelForCausalLM.from_config(config).half()
    prompts = [[5, 17, 300], [8, 1, 2, 40, 41, 9], [100]]
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        llm = LLM(
            model=folder, dtype="float16", skip_tokenizer_init=True, enforce_eager=True, max_model_len=128,
            max_num_seqs=4, kv_cache_memory_bytes=32 << 20,
        )
        parameters = SamplingParams(temperature=0, max_tokens=12, ignore_eos=True, detokenize=False)
        outputs = llm.generate([TokensPrompt(prompt_token_ids=prompt) for prompt in prompts], parameters)
    reference = model.float()
    for prompt, output in zip(prompts, outputs):
        tokens = list(output.outputs[0].token_ids)
        with torch.no_grad():
            logits = reference(torch.tensor([prompt + tokens])).logits[0, len(prompt) - 1 : -1]
        chosen = logits.gather(1, torch.tensor(tokens)[:, None])[:, 0]
        assert torch.all(logits.max(-1).values - chosen < 0.01 * logits.std()), (prompt, tokens)
        print(prompt, "->", tokens)


if __name__ == "__main__":
    main()
