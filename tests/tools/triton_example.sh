#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# triton_example.sh BELAY EXAMPLE: the example in Triton, on an installed Belay or on the one of a build folder, which is
# installed for it. By the Python that BELAY_TRITON_PYTHON names, else by that of `scripts/clients.sh triton`, else
# python3, where that has triton-ascend and torch_npu and LLVM is installed. BELAY_TRITON_CACHE keeps what is compiled.
skip() {
    echo "skipped: $1"
    exit 77
}
clients=${BELAY_CLIENTS-$HOME/.cache/belay-clients}/triton/bin/python
python=${BELAY_TRITON_PYTHON-python3}
[ -n "${BELAY_TRITON_PYTHON-}" ] || [ ! -x "$clients" ] || python=$clients
"$python" -c 'import importlib.util as u, sys; sys.exit(not all(u.find_spec(n) for n in ("torch_npu", "triton", "pybind11")))' \
    2>/dev/null || skip "$python has no triton-ascend with torch_npu; docs/triton.md says how to install them"
ls /usr/lib/llvm-*/bin/mlir-opt >/dev/null 2>&1 || [ -n "${BELAY_LLVM-}" ] || skip "install llvm-19 and mlir-19-tools"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
belay=$1
build=$(cd "$(dirname "$belay")/.." && pwd)
if [ -e "$build/CMakeCache.txt" ]; then
    mkdir -p "$build/share/man/man1" # of a build that has no pages
    cmake --install "$build" --prefix "$work/belay" >/dev/null || exit
    belay=$work/belay/bin/belay
fi
TRITON_CACHE_DIR=${BELAY_TRITON_CACHE-$work/cache} "$belay" run "$python" -B "$2" 2>"$work/said" && exit
cat "$work/said"
exit 1
