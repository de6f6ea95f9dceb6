# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A language model of random weights in a file, for tests that compare two back ends of llama.cpp.

    make_model.py FILE DTYPE [WIDTH BLOCKS]    DTYPE: F32, F16, BF16, Q8_0 or Q4_0

It says nothing that means anything, but the same to everyone: the weights follow from the seed alone, and are of one
size whatever their dtype. Needs gguf-py (PYTHONPATH) and NumPy.
"""
import sys

import gguf
import numpy

WORDS = 58


def vocabulary(writer):
    """Three tokens with a meaning, each byte, and words of two letters."""
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    tokens += [f"\u2581{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(WORDS)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * 256 + [gguf.TokenType.NORMAL] * WORDS
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * 259 + [-float(i) for i in range(WORDS)])
    writer.add_token_types([int(kind) for kind in kinds])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    return len(tokens)


def main(path, name, width=128, blocks=2):
    heads = max(4, width // 64)
    inner, cached = 2 * width, width // 2  # of the feed-forward part; of keys and values: two heads share them
    dtype = gguf.GGMLQuantizationType[name]
    random = numpy.random.default_rng(20)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(1024)
    writer.add_embedding_length(width)
    writer.add_block_count(blocks)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads // 2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    tokens = vocabulary(writer)

    def add(tensor, rows, columns, scale=1.0, spread=0.0):
        values = random.standard_normal((rows, columns), dtype=numpy.float32) * numpy.float32(scale / columns**0.5)
        if spread:  # some tokens are likelier than others, so that few choices are close
            values *= numpy.exp(random.standard_normal((rows, 1), dtype=numpy.float32) * numpy.float32(spread))
        writer.add_tensor(tensor, gguf.quants.quantize(values, dtype), raw_dtype=dtype)

    def add_norm(tensor):
        writer.add_tensor(tensor, 1 + random.standard_normal(width, dtype=numpy.float32) * numpy.float32(0.1))

    add("token_embd.weight", tokens, width, 4.0)
    for i in range(blocks):
        add_norm(f"blk.{i}.attn_norm.weight")
        add(f"blk.{i}.attn_q.weight", width, width)
        add(f"blk.{i}.attn_k.weight", cached, width)
        add(f"blk.{i}.attn_v.weight", cached, width)
        add(f"blk.{i}.attn_output.weight", width, width)
        add_norm(f"blk.{i}.ffn_norm.weight")
        add(f"blk.{i}.ffn_gate.weight", inner, width)
        add(f"blk.{i}.ffn_up.weight", inner, width)
        add(f"blk.{i}.ffn_down.weight", width, inner)
    add_norm("output_norm.weight")
    add("output.weight", tokens, width, 4.0, spread=1.5)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
