# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Tokens in a second of a model that vLLM-Ascend serves, beside transformers' generate() on the CPU, and what memory it takes.

    TRITON_INTERPRET=0 OMP_NUM_THREADS=1 BELAY_THREADS=1 belay run python bench/vllm_served.py [--batches 1,8]

The environment is the one that docs/vllm.md makes. The model is made on the spot, of random weights; both generate the
same count of tokens greedily in the same dtype, rounds taking turns, medians. --processor-time counts what all threads of
the process take, for machines that other programs share. Memory: what the process holds at its most beyond what it held
before the model was loaded, divided by the bytes of weights and of the cache that was asked for; and how much of it is
neither the file of weights, which is mapped while it is read, nor what the engine holds besides with the smallest model:
each serves in a process of its own first. --memory ends there.
"""
import argparse
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from resident_memory import PeakOfNoFile, forget_peak, resident, resident_of_no_file

sys.path.pop(0)  # this folder has a kernels.py, which transformers would take for the package of that name
os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")  # the engine in this process
os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import transformers
from vllm import LLM, SamplingParams, TokensPrompt


def made(options):
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=options.vocabulary, hidden_size=options.width, intermediate_size=options.width * 11 // 4 // 64 * 64,
        num_hidden_layers=options.layers, num_attention_heads=options.width // 64,
        num_key_value_heads=options.width // 128, max_position_embeddings=1024)
    return transformers.AutoModelForCausalLM.from_config(config).to(getattr(torch, options.dtype)).eval()


def save(model, folder, options):
    model.save_pretrained(folder, **({"max_shard_size": f"{options.file}MB"} if options.file else {}))


# How much more the process held at its most: all, and what is no file's; and what it held more in the end.
Taken = collections.namedtuple("Taken", "most own stays")
SMALLEST = {"width": 128, "layers": 1, "vocabulary": 512, "cache": 8}


def started(folder, options):
    """What serves prompts by the model in a folder."""
    llm = LLM(model=folder, dtype=options.dtype, skip_tokenizer_init=True, enforce_eager=not options.graph,
              max_model_len=256, max_num_seqs=8, kv_cache_memory_bytes=options.cache << 20, enable_prefix_caching=False)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    parameters = SamplingParams(temperature=0, max_tokens=options.tokens, ignore_eos=True, detokenize=False)

    def serve(prompts):
        llm.generate([TokensPrompt(prompt_token_ids=row.tolist()) for row in prompts], parameters, use_tqdm=False)

    return serve


def taken_here(folder, options):
    """What memory it takes to load the model in a folder and to serve 8 prompts."""
    torch.ones(1, device="npu")
    before, own_before = resident("VmRSS"), resident_of_no_file()
    forget_peak()
    peak = PeakOfNoFile()
    started(folder, options)(drawn(options))
    return Taken(resident("VmHWM") - before, peak.end() - own_before, resident("VmRSS") - before)


def taken(options):
    """The same in a process that has made no model, as memory that it had freed would be taken again."""
    with tempfile.TemporaryDirectory() as folder:
        save(made(options), folder, options)
        weights = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith(".safetensors"))
        names = (*SMALLEST, "dtype", "prompt", "tokens")
        words = [f"--{name}={getattr(options, name)}" for name in names] + ["--graph"] * options.graph
        run = subprocess.run([sys.executable, __file__, "--taken", folder, *words], check=True, stdout=subprocess.PIPE, text=True)
    return Taken(*json.loads(run.stdout.splitlines()[-1])), weights, weights + (options.cache << 20)


def tell_memory(options):
    least, _, least_asked = taken(argparse.Namespace(**vars(options) | SMALLEST))
    here, weights, asked = taken(options)
    engine = least.own - least_asked
    print(f"memory: at most {here.most / asked:.2f} of weights and cache ({weights >> 20} and {options.cache} MiB), "
          f"{here.stays / asked:.2f} while it serves; at most {(here.own - engine) / asked:.2f} "
          f"without the weights' file and the {engine >> 20} MiB that the engine takes", flush=True)


def drawn(options):
    torch.manual_seed(2)
    return torch.randint(0, options.vocabulary, (8, options.prompt))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", default="1,8")
    parser.add_argument("--dtype", default="bfloat16", help="or float16")
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--prompt", type=int, default=32, help="tokens of each prompt (32)")
    parser.add_argument("--tokens", type=int, default=32, help="tokens to generate (32)")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--cache", type=int, default=256, help="MiB of the cache of keys and values (256)")
    parser.add_argument("--file", type=int, help="most megabytes of a file of weights, which are several then (one file)")
    parser.add_argument("--graph", action="store_true", help="graph mode, not eager")
    parser.add_argument("--processor-time", action="store_true")
    parser.add_argument("--memory", action="store_true", help="nothing else")
    parser.add_argument("--taken", help=argparse.SUPPRESS)
    options = parser.parse_args()
    clock = time.process_time if options.processor_time else time.perf_counter
    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    torch.set_num_threads(threads)

    if options.taken:
        print(json.dumps(taken_here(options.taken, options)))
        return
    tell_memory(options)
    if options.memory:
        return

    with tempfile.TemporaryDirectory() as folder:
        save(made(options), folder, options)
        serve = started(folder, options)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, options.dtype)).eval()
        prompts = drawn(options)

        def served(batch):
            serve(prompts[:batch])

        def generated(batch):
            model.generate(prompts[:batch], max_new_tokens=options.tokens, min_new_tokens=options.tokens, do_sample=False,
                           attention_mask=torch.ones_like(prompts[:batch]), pad_token_id=0)

        print(f"{options.dtype}, {threads} threads; tokens in a second: vLLM, generate() on the CPU, times")
        for batch in map(int, options.batches.split(",")):
            times = {served: [], generated: []}
            for _ in range(options.turns + 1):  # the first one warms up
                for work, seconds in times.items():
                    begin = clock()
                    work(batch)
                    seconds.append(clock() - begin)
            here, there = (batch * options.tokens / statistics.median(seconds[1:]) for seconds in times.values())
            print(f"batch {batch}: {here:.1f} {there:.1f} {here / there:.2f}", flush=True)


if __name__ == "__main__":
    main()
