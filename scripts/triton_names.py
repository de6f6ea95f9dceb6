#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The table of docs/triton-language.md: each name of triton-ascend's language, and the program of tests/clients/triton that
uses it, or how it is refused. By the Python of `scripts/clients.sh triton`:

    PYTHON scripts/triton_names.py            writes it
    PYTHON scripts/triton_names.py --check    fails where it would be another one

A name that neither a program uses nor language.py has among what is refused is an error.
"""
import ast
import inspect
import os
import pathlib
import re
import sys

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import triton.language as tl  # noqa: E402
import triton.testing  # noqa: E402,F401 # puts triton-ascend's own names into the language
from triton.language.extra.ascend import libdevice  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent.parent
PAGE = HERE / "docs/triton-language.md"
BEGIN, END = (f"<!-- scripts/triton_names.py {word} -->\n" for word in ("begin", "end"))
# What is Triton's inside, or no part of a kernel.
INSIDE = {"builtin", "block_type", "function_type", "str_to_ty", "ir", "nv_tma_desc_type", "pi32_t", "tensor", "void", "const",
          "core", "dtype", "PropagateNan", "semantic", "standard", "triton", "extra", "math", "random", "philox_impl",
          "tensor_descriptor", "tensor_descriptor_type", "TRITON_MAX_TENSOR_NUMEL", "float8e4b15", "float8e4b8",
          "float8e5b16", "pair_uniform_to_normal_impl"}


def names_of(module, prefix, own):
    for name, value in sorted(vars(module).items()):
        if name.startswith("_") or inspect.ismodule(value) or (prefix == "tl" and name in INSIDE):
            continue
        if own and (not callable(value) or not getattr(value, "__module__", "").startswith("triton.language.extra.ascend")
                    and name not in own):
            continue
        yield f"{prefix}.{name}"


def main():
    folder = HERE / "tests/clients/triton"
    programs = {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}
    refusals = next(ast.literal_eval(node.value) for node in ast.parse(programs["language.py"]).body
                    if isinstance(node, ast.Assign) and node.targets[0].id == "REFUSED")
    added = {"index_put", "index_select_simd", "gather_out_to_ub"}
    names = list(names_of(tl, "tl", None)) + [f"tl.math.{name}" for name in sorted(vars(tl.math)) if callable(
        vars(tl.math)[name]) and not hasattr(tl, name) and not hasattr(libdevice, name) and not name.startswith("_")
        and getattr(vars(tl.math)[name], "__module__", "").startswith("triton")] + list(
            names_of(libdevice, "libdevice", added))
    rows, unknown = [], []
    for name in names:
        word = re.compile(re.escape(name) + r"\b")
        users = [program for program, text in programs.items() if word.search(text)]
        if name in refusals:
            rows.append(f"| `{name}` | refused: {refusals[name]} |")
        elif users:
            rows.append(f"| `{name}` | {users[0]} |")
        else:
            unknown.append(name)
    if unknown:
        print("no program uses: " + " ".join(unknown))
        return 1
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    made = before + BEGIN + "| Name | Where |\n|---|---|\n" + "\n".join(rows) + "\n" + END + rest.split(END)[1]
    if "--check" in sys.argv:
        return made != text
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
