# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""One way of serving at a time, beside Hugging Face's tokens. modes.py MODE"""

import os
import sys

from support import small


def chunked():
    """Prompts longer than a step has tokens."""
    folder, prompts, wanted = small.make("llama", "float16", lengths=(70, 33, 5, 90))
    llm = small.engine(folder, "float16", max_num_batched_tokens=32, enable_chunked_prefill=True, max_num_seqs=4)
    small.same(small.generate(llm, prompts), wanted)


def prefixes():
    """Prompts that begin with the same two blocks of keys, whose second half finds them there."""
    shared = [3 + 7 * i % 500 for i in range(260)]
    folder, prompts, wanted = small.make("qwen3", "bfloat16", lengths=(4, 9, 2, 6), count=8, shared=shared)
    llm = small.engine(folder, "bfloat16", enable_prefix_caching=True, max_model_len=400)
    small.same(small.generate(llm, prompts[:2], 8), wanted[:2])
    small.same(small.generate(llm, prompts, 8), wanted)


def sampling():
    """With a seed twice the same, with another one not; from the likeliest ones alone, nothing else."""
    folder, prompts, _ = small.make("qwen2", "float16")
    llm = small.engine(folder, "float16")
    how = dict(temperature=0.9, top_k=20, top_p=0.9)
    first = small.generate(llm, prompts, seed=5, **how)
    small.same(small.generate(llm, prompts, seed=5, **how), first)
    assert small.generate(llm, prompts, seed=6, **how) != first
    greedy = small.generate(llm, prompts)
    small.same(small.generate(llm, prompts, temperature=0.9, top_k=1, seed=3), greedy)


def penalties():
    """What is there already becomes less likely. triton-ascend 3.2.0's interpreter refuses an option of the kernels that
    do it: PyTorch does it here."""
    import torch
    import vllm_ascend.sample.sampler as sampler

    sampler.HAS_TRITON = False
    how = dict(repetition_penalty=1.5, frequency_penalty=0.75, presence_penalty=0.5)

    def judge(logits, prompt, tokens):
        seen, counts = torch.zeros_like(logits), torch.bincount(torch.tensor(tokens, dtype=torch.int64), minlength=len(logits))
        seen[[*prompt, *tokens]] = 1
        repeated = torch.where(logits > 0, logits / how["repetition_penalty"], logits * how["repetition_penalty"])
        logits = torch.where(seen > 0, repeated, logits)
        return logits - how["frequency_penalty"] * counts - how["presence_penalty"] * (counts > 0)

    folder, prompts, wanted = small.make("llama", "float16", lengths=(5, 11, 40), judge=judge)
    llm = small.engine(folder, "float16")
    small.same(small.generate(llm, prompts, **how), wanted)
    assert small.generate(llm, prompts) != wanted


def slots():
    """Eight requests over four slots."""
    folder, prompts, wanted = small.make("llama", "bfloat16")
    small.same(small.generate(small.engine(folder, "bfloat16", max_num_seqs=4), prompts), wanted)


def graph(mode):
    """Triton's interpreter copies to the host, which no graph can hold: rotation is ATB's here."""
    import vllm_ascend.ops.rotary_embedding as rotary

    rotary.HAS_TRITON = False
    folder, prompts, wanted = small.make("llama", "float16", lengths=(5, 11, 3, 17))
    llm = small.engine(
        folder,
        "float16",
        enforce_eager=False,
        max_num_seqs=4,
        compilation_config={"cudagraph_mode": mode, "cudagraph_capture_sizes": [1, 2, 4]},
    )
    small.same(small.generate(llm, prompts), wanted)
    small.same(small.generate(llm, prompts[:1]), wanted[:1])


def piecewise():
    graph("PIECEWISE")


def full():
    graph("FULL_DECODE_ONLY")


def full_and_piecewise():
    """As vllm has it unless told otherwise."""
    graph("FULL_AND_PIECEWISE")


def tensor_parallel(kind="llama"):
    """By two devices and processes, over HCCL. In forked workers PyTorch's threads for the devices may meet while they
    replace its pool, which ends one of them now and then ("Invalid thread pool!"): they begin anew instead."""
    os.environ["VLLM_WORKER_MULTIPROC_METHOD"] = "spawn"
    folder, prompts, wanted = small.make(kind, "bfloat16", lengths=(5, 11, 3, 17))
    small.same(small.generate(small.engine(folder, "bfloat16", tensor_parallel_size=2, max_num_seqs=4), prompts), wanted)


def tensor_parallel_experts():
    tensor_parallel("qwen3_moe")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
