# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""`vllm serve` as a process of its own, and completions over HTTP, whole and as a stream."""

import json
import os
import socket
import sys
import time
import urllib.request

import tokenizers
import transformers

from support import server, small


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ask(port, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return answer.read().decode()


def add_tokenizer(folder):
    """A word for each token."""
    words = {f"w{i}": i for i in range(small.VOCABULARY)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="w0").save_pretrained(folder)


def main():
    folder, prompts, wanted = small.make("llama", "float16", lengths=(5, 11, 3))
    add_tokenizer(folder)
    port = free_port()
    command = [os.path.join(os.path.dirname(sys.executable), "vllm"), "serve", folder, "--port", str(port)]
    command += ["--host", "127.0.0.1", "--dtype", "float16", "--enforce-eager"]
    command += ["--max-model-len", "256", "--max-num-seqs", "4", "--kv-cache-memory-bytes", str(64 << 20)]
    command += ["--served-model-name", "small"]
    environment = {key: value for key, value in os.environ.items() if key != "VLLM_ENABLE_V1_MULTIPROCESSING"}
    with server.running(command, environment) as process:
        deadline = time.monotonic() + 400
        while True:
            try:
                ask(port, "/health")
                break
            except OSError:
                assert process.poll() is None, "the server has ended"
                assert time.monotonic() < deadline, "the server does not answer"
                time.sleep(1)
        for prompt, tokens in zip(prompts, wanted):
            body = {"model": "small", "prompt": prompt, "temperature": 0, "max_tokens": len(tokens), "ignore_eos": True}
            body["return_token_ids"] = True
            choice = json.loads(ask(port, "/v1/completions", body))["choices"][0]
            assert choice["token_ids"] == tokens, (choice, tokens)
            assert choice["text"].split() == [f"w{token}" for token in tokens], choice
            body = {**body, "prompt": " ".join(f"w{token}" for token in prompt), "stream": True}
            lines = [line[6:] for line in ask(port, "/v1/completions", body).splitlines() if line.startswith("data: ")]
            assert lines.pop() == "[DONE]"
            parts = [json.loads(line)["choices"][0] for line in lines]
            assert len(parts) > 4, "it was no stream"
            assert [token for part in parts for token in part["token_ids"] or []] == tokens, (parts, tokens)


if __name__ == "__main__":
    main()
