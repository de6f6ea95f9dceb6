#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# AscendC kernels of others on the toolkit in ROOT, compiled as they are and compared with PyTorch:
# clients_kernels.sh ROOT PYTHON. Those of vllm-ascend whose own headers have the Apache licence, out of its source
# package 0.18.0, which lies unpacked in BELAY_CLIENTS/kernels; other files of it are not opened. The digest of all
# results is the same for each number of threads and each level, and the checker has nothing to say. Then the operator of
# a project by EXEC_NPU_CMD of that package's header, which has the BSD licence.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
root=$1
python=$2
version=0.18.0
folder=${BELAY_CLIENTS-$HOME/.cache/belay-clients}/kernels
sources=$folder/vllm_ascend-$version/csrc/kernels
[ -d "$sources" ] || { echo "$sources is not there: unpack vllm-ascend's source package, vllm_ascend-$version.tar.gz, in $folder"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
files=()
for name in bgmv_expand bgmv_shrink sgmv_expand sgmv_shrink; do
    head -15 "$sources/$name.cpp" | grep -q 'Apache License' || { echo "FAILED  $name.cpp has another licence"; exit 1; }
    files+=("$sources/$name.cpp")
done
"$root/bin/bisheng" -x asc --npu-arch=dav-2201 -O2 -shared -fPIC "${files[@]}" -o "$work/kernels.so" ||
    { echo "FAILED  the kernels do not compile"; exit 1; }

# row run|check [VARIABLE=VALUE...]
row() {
    local begin=$SECONDS
    if env "${@:2}" timeout 600 "$root/bin/belay" "$1" "$python" -B tests/clients/kernels/lora.py "$work/kernels.so" >"$work/log" 2>&1; then
        passed=$((passed + 1))
        digest=$(sed -n 's/^digest //p' "$work/log")
        printf 'passed  lora %4d s  %3d kernels, %s %s\n' $((SECONDS - begin)) "$(grep -c ': right$' "$work/log")" "$digest" "$*"
    else
        failed=$((failed + 1))
        printf 'FAILED  lora %4d s  %s\n' $((SECONDS - begin)) "$*"
        grep -v ': right$' "$work/log" | tail -12 | cut -c1-300 | sed 's/^/        /'
    fi
    [ "${seen:=$digest}" = "$digest" ] || { echo "FAILED  lora: other bits by $*"; failed=$((failed + 1)); }
}

digest=
seen=
row check
for setting in BELAY_THREADS=1 BELAY_THREADS=2 BELAY_THREADS=8 BELAY_ISA=baseline; do
    row run "$setting"
done
# macros: the header and what it needs are compiled as they are, and the package is found by its own set_env.bash.
macros() {
    local adapter=$sources/../aclnn_torch_adapter where name
    where=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"], sysconfig.get_paths()["include"])')
    local site=${where% *} headers=${where#* }
    for name in op_api_common.h NPUBridge.cpp NPUStorageImpl.cpp; do
        head -15 "$adapter/$name" | grep -qE 'BSD(-3-Clause|-style| 3-Clause)' || { echo "$name has another licence"; return 1; }
    done
    (. "$root/set_env.sh" && cmake -S examples/kernels/scale_add -B "$work/package" -Dvendor_name=example \
        -DASCEND_COMPUTE_UNIT=ascend910b && cmake --build "$work/package" --target binary package -j 2) &&
        g++ -O0 -w -shared -fPIC -std=c++20 -I"$adapter" -I"$site/torch/include" -I"$site/torch/include/torch/csrc/api/include" \
            -I"$site/torch_npu/include" -I"$headers" -I"$root/include" tests/clients/kernels/macros.cpp "$adapter/NPUBridge.cpp" \
            "$adapter/NPUStorageImpl.cpp" -L"$site/torch/lib" -L"$site/torch_npu/lib" -ltorch -ltorch_cpu -ltorch_python \
            -lc10 -ltorch_npu -o "$work/macros.so" &&
        (. "$work/package/packages/vendors/example/bin/set_env.bash" &&
            "$root/bin/belay" run "$python" -B tests/clients/kernels/macros.py "$work/macros.so")
}
if macros >"$work/log" 2>&1; then
    passed=$((passed + 1))
    echo "passed  macros"
else
    failed=$((failed + 1))
    echo "FAILED  macros"
    tail -12 "$work/log" | cut -c1-300 | sed 's/^/        /'
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
