#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# bisheng: launches in each form, messages with the program's lines, what it is told and hands on, what is missing; and
# projects of kernels, built by CMake as they are.
#   kernels.sh BUILD SOURCE CMAKE WORK
set -euo pipefail
build=$1 source=$2 cmake=$3 work=$4
kernels=$source/tests/tools/kernels
bisheng=$build/bin/bisheng
failed=0
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export LD_LIBRARY_PATH=$build/lib64
mkdir temporary
export TMPDIR=$work/temporary # others compile beside this, too

# expect WHAT PATTERN TEXT
expect() {
    if ! grep -qE -- "$2" <<<"$3"; then
        printf '%s: %s is expected, and not:\n%s\n' "$1" "$2" "$3"
        failed=1
    fi
}

compilers=$(for name in g++ clang++; do command -v $name || true; done)
for compiler in $compilers; do
    BELAY_CXX=$compiler "$bisheng" -x asc --npu-arch=dav-2201 -std=c++17 -mllvm -cce-x=y --cce-auto-sync=off -Xaicore-start --strange -Xaicore-end \
        "$kernels/forms.asc" -o forms
    expect "launches, by $compiler" '^right: 0, 0, 56$' "$(./forms)"
done
# Kernels that are right are nothing to report, with their memory out of the host's reach; timelines name them.
expect "a check" '^belay check: 0 reports$' "$("$build/bin/belay" check ./forms 2>&1)"
"$build/bin/belay" trace -o trace.json ./forms >/dev/null 2>&1
expect "a timeline" '"name":"with_template<T, by>"' "$(cat trace.json)"

"$bisheng" -x asc "$source/examples/kernels/vector_add.asc" -o vector_add
checked=$("$build/bin/belay" check ./vector_add 2>&1)
expect "the example" '^65536 sums are right$' "$checked"
expect "the example under a check" '^belay check: 0 reports$' "$checked"

# What kernels cost: the program runs and is right; what it measures is not judged here.
"$bisheng" -x asc -O2 "$source/bench/kernels.asc" -lopapi -lnnopbase -o costs
expect "the benchmark" '^launch +[0-9.]+ us' "$(./costs 1 2)"

# Who called the compiler is told the line of the program: of the type, and of a launch that is none.
cat >wrong.asc <<'END'
#include "ascendc/launch.h"
#include "ascendc/qualifiers.h"
__global__ __aicore__ void k(GM_ADDR x, int n) {}
void run(void *s, uint8_t *x)
{
    k<<<1, nullptr, s>>>(x, 3);
    int *y = x;
}
END
expect "an error" 'wrong.asc:7:' "$("$bisheng" -c wrong.asc 2>&1 || true)"
# Types that a device's compiler refuses: by A2's and A3's instructions; Ascend950's are for it to judge.
cat >types.asc <<'END'
#include "kernel_operator.h"
using namespace AscendC;
__global__ __aicore__ void k(GM_ADDR)
{
    LocalTensor<int32_t> whole;
    LocalTensor<int8_t> bytes;
    LocalTensor<bfloat16_t> narrow;
    LocalTensor<float> real;
    Add(whole, whole, whole, 8);
#ifdef WRONG
    Exp(whole, whole, 8);
    Mul(bytes, bytes, bytes, 8);
    Adds(narrow, narrow, 1, 8);
    And(real, real, real, 8);
    Duplicate(bytes, 1, 8);
#endif
}
END
refused=$("$bisheng" -DWRONG -c types.asc 2>&1 || true)
expect "the line of a wrong type" 'types.asc:11' "$refused"
expect "a number that is no float" 'Exp: half or float is expected on this product' "$refused"
for name in Mul Adds; do
    expect "a number" "$name: half, float or an integer of 16 or 32 bits is expected" "$refused"
done
expect "no integer" 'And: an integer of 16 or 32 bits is expected' "$refused"
expect "a byte" 'Duplicate: elements of 16 or 32 bits are expected' "$refused"
expect "the same for another product" '^$' "$("$bisheng" --npu-arch=dav-3510 -UWRONG -c types.asc -o types.o 2>&1)"

printf '#include "ascendc/launch.h"\nvoid run() {\n    1 + <<<1, 0, 0>>>(2);\n}\n' >nameless.asc
expect "a launch without a name" 'nameless.asc:3: error: the name of a kernel is expected before <<<' \
    "$("$bisheng" -c nameless.asc 2>&1 || true)"
printf 'void k();\nvoid run() {\n    k<<<1, 0, 0;\n}\n' >open.asc
expect "a launch without an end" 'open.asc:3: error: kernel<<<blocks, l2, stream>>>\(arguments\) is expected' \
    "$("$bisheng" -c open.asc 2>&1 || true)"
expect "no file" 'bisheng: absent.asc cannot be read' "$("$bisheng" -c absent.asc 2>&1 || true)"

# Objects, rules for make, the product's macros, C.
printf '#include "part.h"\nint arch = __NPU_ARCH__, core = __CCE_AICORE__, part = PART;\n' >rules.cpp
printf '#define PART 1\n' >part.h
"$build/bin/ccec" --npu-arch=dav-3510 -I. -MD -MF rules.d -c rules.cpp
expect "an object" 'rules.o' "$(ls)"
expect "rules" '^rules.o:.*rules.cpp.*part.h' "$(tr -d '\\\n' <rules.d)"
expect "what is preprocessed" 'arch = 3510, core = 310, part = 1;' "$("$bisheng" --npu-arch=dav-3510 -E rules.cpp)"
printf 'int f(void) { int new = 1; return new; }\n' >plain.c
"$bisheng" -c plain.c -o plain.o
expect "the target" hiipu64 "$("$bisheng" -print-targets)"

# What is missing.
for option in -o -x --npu-arch -I -l; do
    expect "no value of $option" "^bisheng: $option has no value behind it; one is expected$" \
        "$("$bisheng" -c rules.cpp "$option" 2>&1 || true)"
done
expect "no end" '^bisheng: -Xaicore-start has no end behind it; one is expected$' \
    "$("$bisheng" -c rules.cpp -Xaicore-start -I. 2>&1 || true)"
mkdir nothing
expect "no compiler" 'bisheng: kernels are compiled by a C\+\+ compiler of the host, and there is none: install g\+\+ or clang' \
    "$(PATH=$work/nothing "$bisheng" -c rules.cpp 2>&1 || true)"
expect "no such compiler" 'BELAY_CXX names /nowhere/g\+\+, which is no program here' \
    "$(BELAY_CXX=/nowhere/g++ "$bisheng" -c rules.cpp 2>&1 || true)"
expect "temporary files" '^$' "$(ls temporary)"

# Projects, with a root that leads into the build tree.
mkdir -p root/tools/tikcpp/ascendc_kernel_cmake root/tools/tikicpulib/lib/cmake root/lib/cmake/tikicpulib
ln -s "$build/bin" "$build/lib64" "$source/include" root/
cp "$source"/cmake/kernels/*.cmake root/tools/tikcpp/ascendc_kernel_cmake
cp -r "$source/cmake/kernels/asc" root/tools/tikcpp
cp "$source"/cmake/kernels/tikicpulib/* root/tools/tikicpulib/lib/cmake
cp "$source/cmake/kernels/tikicpulib-config.cmake" root/lib/cmake/tikicpulib
export ASCEND_HOME_PATH=$work/root CMAKE_PREFIX_PATH=$work/root
"$cmake" -S "$kernels/project" -B project >project.log 2>&1 || cat project.log
"$cmake" --build project >>project.log 2>&1 || cat project.log
expect "a project" '^right: 0$' "$(project/main 2>&1)"
expect "unit tests" '^right$' "$(project/unit 2>&1)"
"$cmake" -S "$kernels/language" -B language -DASC_DIR="$work/root/tools/tikcpp/asc" >language.log 2>&1 || cat language.log
"$cmake" --build language >>language.log 2>&1 || cat language.log
expect "the language" '^right: 0, 0, 56$' "$(language/main 2>&1)"
mkdir refused
cat >refused/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.16)
project(refused NONE)
include($work/root/tools/tikcpp/ascendc_kernel_cmake/ascendc.cmake)
ascendc_fatbin_library(device kernel.cpp)
END
expect "code for the device" 'ascendc_fatbin_library\(device\): a file of code for the device' \
    "$("$cmake" -S refused -B refused/build 2>&1 | tr '\n' ' ' | tr -s ' ')"
exit $failed
