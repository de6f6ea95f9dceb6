# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Small models with random weights, what Hugging Face's transformers generates with them on the CPU, and vLLM's tokens
of the same prompts.

Prompts are drawn until the best two logits of each step are apart, so that no rounding decides between them."""

import atexit
import os
import shutil
import tempfile

import torch
import transformers

NEW_TOKENS = 16
APART = 0.04  # of the logits' standard deviation
VOCABULARY = 512

COMMON = dict(
    vocab_size=VOCABULARY,
    hidden_size=128,
    intermediate_size=256,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=512,
    bos_token_id=1,
    eos_token_id=2,
    pad_token_id=0,
    tie_word_embeddings=False,
)
EXPERTS = dict(num_experts=8, num_experts_per_tok=2, moe_intermediate_size=64, norm_topk_prob=True)
LATENT = dict(
    num_key_value_heads=4,
    kv_lora_rank=512,
    q_lora_rank=None,
    qk_nope_head_dim=128,
    qk_rope_head_dim=64,
    v_head_dim=128,
    n_routed_experts=8,
    num_experts_per_tok=2,
    n_shared_experts=1,
    moe_intermediate_size=64,
    first_k_dense_replace=1,
    routed_scaling_factor=1.0,
)

CONFIGS = {
    "llama": lambda: transformers.LlamaConfig(**COMMON),
    "qwen2": lambda: transformers.Qwen2Config(**COMMON),
    "qwen3": lambda: transformers.Qwen3Config(**{**COMMON, "head_dim": 64}),
    "qwen3_moe": lambda: transformers.Qwen3MoeConfig(**{**COMMON, **EXPERTS, "head_dim": 64}),
    "mixtral": lambda: transformers.MixtralConfig(
        **{**COMMON, "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": None}
    ),
    "gemma": lambda: transformers.GemmaConfig(**{**COMMON, "head_dim": 64, "tie_word_embeddings": True}),
    "gemma2": lambda: transformers.Gemma2Config(
        **{**COMMON, "head_dim": 64, "tie_word_embeddings": True, "query_pre_attn_scalar": 64, "sliding_window": 128}
    ),
    "deepseek_v2": lambda: transformers.DeepseekV2Config(
        **{**COMMON, **LATENT, "topk_method": "greedy", "n_group": 1, "topk_group": 1, "norm_topk_prob": False}
    ),
    "deepseek_v3": lambda: transformers.DeepseekV3Config(
        **{
            **COMMON, **LATENT, "q_lora_rank": 64, "n_group": 4, "topk_group": 2, "norm_topk_prob": True,
            "topk_method": "noaux_tc", "scoring_func": "sigmoid",
        }
    ),
}


LENGTHS = (5, 11, 23, 3, 17, 8, 40, 1)


def draw(kind, dtype):
    torch.manual_seed(7)
    model = transformers.AutoModelForCausalLM.from_config(CONFIGS[kind]()).float().eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 and "embed" not in name:
                weight.mul_(3.0)  # so that what is seen before matters
            weight.copy_(weight.to(dtype).float())
    return model


@torch.no_grad()
def continued(model, prompt, count, least, judge=None):
    """Greedy tokens, and the least distance of the best two logits, in standard deviations of them; none where that is
    less than it may be. judge(logits, prompt, tokens) changes logits."""
    tokens, apart, past, given = [], float("inf"), None, prompt
    for _ in range(count):
        result = model(torch.tensor([given]), past_key_values=past, use_cache=True)
        past, logits = result.past_key_values, result.logits[0, -1].float()
        if judge is not None:
            logits = judge(logits, prompt, tokens)
        best = logits.topk(2)
        apart = min(apart, float((best.values[0] - best.values[1]) / logits.std()))
        if apart < least:
            return None, apart
        given = [int(best.indices[0])]
        tokens += given
    return tokens, apart


def make(kind, dtype, count=NEW_TOKENS, lengths=LENGTHS, shared=(), change=None, judge=None):
    """The folder of a model, prompts of these lengths, which begin with what is shared, and the tokens that it goes on
    with. dtype: "float16" or "bfloat16". change(model, folder) may change the one whose tokens are wanted, behind the
    folder's back; judge(logits, prompt, tokens) the logits of a step."""
    torch.set_num_threads(1)
    torch_dtype = getattr(torch, dtype)
    least = APART * (1 if dtype == "float16" else 2)
    model, generator = draw(kind, torch_dtype), torch.Generator().manual_seed(11)
    folder = tempfile.mkdtemp(prefix="belay-vllm-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    model.to(torch_dtype).save_pretrained(folder)
    model.float()
    if change is not None:
        change(model, folder)
    prompts, wanted, apart = [], [], float("inf")
    for length in lengths:
        for _ in range(1000):
            prompt = [*shared, *torch.randint(3, VOCABULARY, (length,), generator=generator).tolist()]
            tokens, distance = continued(model, prompt, count, least, judge)
            if tokens is not None:
                break
        else:
            raise AssertionError("no prompt of 1000 has the best two logits apart everywhere")
        prompts.append(prompt)
        wanted.append(tokens)
        apart = min(apart, distance)
    print(f"{kind} {dtype}: the best two logits are {apart:.3f} of a standard deviation apart or more", flush=True)
    return folder, prompts, wanted


def engine(folder, dtype, **more):
    from vllm import LLM

    settings = dict(
        model=folder,
        dtype=dtype,
        skip_tokenizer_init=True,
        enforce_eager=True,
        max_model_len=256,
        max_num_seqs=8,
        kv_cache_memory_bytes=64 << 20,
        block_size=128,
        enable_prefix_caching=False,
        seed=0,
        disable_log_stats=True,
    )
    settings.update(more)
    return LLM(**settings)


def generate(llm, all_prompts, count=NEW_TOKENS, **sampling):
    from vllm import SamplingParams, TokensPrompt

    parameters = SamplingParams(**{**dict(temperature=0, max_tokens=count, ignore_eos=True, detokenize=False), **sampling})
    outputs = llm.generate(
        [TokensPrompt(prompt_token_ids=prompt) for prompt in all_prompts], parameters, use_tqdm=False
    )
    return [list(output.outputs[0].token_ids) for output in outputs]


def same(got, wanted):
    for i, (one, other) in enumerate(zip(got, wanted)):
        assert one == other, f"prompt {i}: {one}; {other} is expected"
    assert len(got) == len(wanted)


def quiet():
    """In this process, and with few words."""
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")


quiet()
