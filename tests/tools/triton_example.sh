#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# triton_example.sh BELAY EXAMPLE: the example in Triton, by the Python that BELAY_TRITON_PYTHON names, or python3, where
# that has triton-ascend and torch_npu and LLVM is installed.
python=${BELAY_TRITON_PYTHON-python3}
"$python" -c 'import importlib.util as u, sys; sys.exit(not all(u.find_spec(n) for n in ("torch_npu", "triton", "pybind11")))' \
    2>/dev/null || { echo "skipped: $python has no triton-ascend; docs/triton.md says how to install it"; exit 77; }
ls /usr/lib/llvm-*/bin/mlir-opt >/dev/null 2>&1 || { echo "skipped: install llvm-19 and mlir-19-tools"; exit 77; }
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
TRITON_CACHE_DIR=$cache TRITON_ENABLE_TASKQUEUE=false "$1" run "$python" -B "$2"
