#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Operator projects: from op_host and op_kernel, by CMake as it is, to a package that `belay ops`, `belay eval` and programs
# find; checked, traced; and what is wrong with one.
#   operators.sh BUILD SOURCE CMAKE WORK
set -euo pipefail
build=$1 source=$2 cmake=$3 work=$4
belay=$build/bin/belay
failed=0
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export LD_LIBRARY_PATH=$build/lib64 BELAY_SOC=Ascend910B3

# expect WHAT PATTERN TEXT
expect() {
    if ! grep -qE -- "$2" <<<"$3"; then
        printf '%s: %s is expected, and not:\n%s\n' "$1" "$2" "$3"
        failed=1
    fi
}

# A root that leads into the build tree.
mkdir -p root/tools/opbuild root/tools/tikcpp/ascendc_kernel_cmake root/compiler
ln -s "$build/bin" "$build/lib64" "$source/include" root/
ln -s "$build/bin/op_build" root/tools/opbuild/
ln -s ../tools/tikcpp root/compiler/
cp "$source"/cmake/kernels/*.cmake root/tools/tikcpp/ascendc_kernel_cmake
cp -r "$source/cmake/kernels/asc" root/tools/tikcpp
export ASCEND_HOME_PATH=$work/root

# project FOLDER NAME: builds it and its package, without optimising, which is quicker.
project() {
    "$cmake" -S "$1" -B "$2" -Dvendor_name="$2" -DASCEND_COMPUTE_UNIT=ascend910b -DENABLE_SOURCE_PACKAGE=True \
        -DENABLE_BINARY_PACKAGE=True -DCMAKE_CXX_FLAGS_RELEASE=-O0 >"$2.log" 2>&1 || { cat "$2.log"; exit 1; }
    "$cmake" --build "$2" --target binary package -j 2 >>"$2.log" 2>&1 || { cat "$2.log"; exit 1; }
}
project "$source/examples/kernels/scale_add" customize
project "$source/tests/tools/operators/project" parts

# Installed by the file of the package: into the toolkit's folder, and into one's own.
mkdir -p opp
ASCEND_OPP_PATH=$work/opp customize/custom_opp_*.run --quiet
expect "the list of vendors" '^load_priority=customize$' "$(cat opp/vendors/config.ini)"
export ASCEND_OPP_PATH=$work/opp
parts/custom_opp_*.run --install-path="$work/own" >installed.txt
expect "where it is" 'own/vendors/parts is installed' "$(cat installed.txt)"
for file in op_api/include/aclnn_scale_add.h op_api/lib/libcust_opapi.so op_impl/ai_core/tbe/op_tiling/liboptiling.so \
    op_impl/ai_core/tbe/kernel/ascend910b/scale_add/ScaleAdd_1.so op_impl/ai_core/tbe/customize_impl/dynamic/scale_add.cpp; do
    [ -e "opp/vendors/customize/$file" ] || { echo "$file is not installed"; failed=1; }
done
export ASCEND_CUSTOM_OPP_PATH=$work/own/vendors/parts

# Listed and described.
names=$("$belay" ops --names)
for name in ScaleAdd Parts Mistakes; do
    expect "the list" "^aclnn$name\$" "$names"
done
expect "a description" 'x +tensor +FLOAT FLOAT16 ' "$("$belay" ops ScaleAdd)"
expect "its accuracy" 'as its kernel computes' "$("$belay" ops ScaleAdd)"
expect "as JSON" '"name": "someInts", "kind": "int array".*"default": "1,2,3"' "$("$belay" ops --json Parts)"
expect "a list" 'xs +tensor list' "$("$belay" ops Parts)"
expect "in place" 'varRef +tensor in place' "$("$belay" ops Mistakes)"

# Evaluated: two dtypes, two keys (8 elements are whole blocks, 3 are not).
echo 'import struct, sys
values = [float(v) for v in sys.argv[3:]]
open(sys.argv[1], "wb").write(struct.pack("<%d%s" % (len(values), sys.argv[2]), *values))' >bytes.py
python3 bytes.py x8.bin f 1 2 3 4 5 6 7 8
python3 bytes.py y8.bin f 10 20 30 40 50 60 70 80
python3 bytes.py h3.bin e 1 2 3
eval() { "$belay" eval "$@" 2>&1 || true; }
expect "FLOAT, key 1" '12 +24 +36 +48 +60 +72 +84 +96' \
    "$(eval ScaleAdd --x x8.bin:FLOAT:8 --y y8.bin:FLOAT:8 --scale 2 | tr '\n' ' ' | tr -d '[],')"
expect "FLOAT16, key 2" '1.5 +3 +4.5' \
    "$(eval ScaleAdd --x h3.bin:FLOAT16:3 --y h3.bin:FLOAT16:3 --scale 0.5 | tr '\n' ' ' | tr -d '[],')"
expect "dtypes that do not fit" 'x, y have the dtypes FLOAT, FLOAT16; FLOAT, FLOAT or FLOAT16, FLOAT16, as the definition has them' \
    "$(eval ScaleAdd --x x8.bin:FLOAT:8 --y h3.bin:FLOAT16:3)"
expect "another product" 'the operator is for ascend910b, ascend910_93, and the product is Ascend950PR_9599' \
    "$(BELAY_SOC=Ascend950PR_9599 eval ScaleAdd --x x8.bin:FLOAT:8 --y y8.bin:FLOAT:8)"
expect "a product that it was not built for" 'the kernel for x FLOAT, y FLOAT is missing: there is no .*kernel/ascend910_93/scale_add/ScaleAdd_0.so' \
    "$(BELAY_SOC=Ascend910_9391 eval ScaleAdd --x x8.bin:FLOAT:8 --y y8.bin:FLOAT:8)"

# Lists, an optional input, numbers of the host, attributes of each kind, two outputs, a workspace, cube and vector cores.
parts() { eval Parts --xs x8.bin:FLOAT:8,y8.bin:FLOAT:8 "$@" | tr '\n' ' ' | tr -d '[],'; }
expect "parts" '22 +44 +66 +88 +110 +132 +154 +176 .*7 +4 +3 +0.5 +1 +20 +3 +1' "$(parts --picks 0,1 --scale 2)"
expect "parts with all" '^-11 +-22 .*9 +2 +1 +2.5 +0 +20 +4 +1' \
    "$(parts --picks 1 --scale 1 --biasOptional x8.bin:FLOAT:8 --negate true --anInt 9 --aText ab --someInts 1 \
        --someFloats 2.5 --someBools false | sed 's/^[^-0-9]*//')"

# A kernel that is a template, by the arguments that its key is made of: a factor and a sign.
keyed() { eval Keyed --x "$1" --factor "$2" --negate "$3" | tr '\n' ' ' | tr -d '[],'; }
expect "a key of FLOAT" '^2 +4 +6 +8 +10 +12 +14 +16' "$(keyed x8.bin:FLOAT:8 2 false | sed 's/^[^-0-9]*//')"
expect "another one" '^-4 +-8 +-12 +-16 ' "$(keyed x8.bin:FLOAT:8 4 true | sed 's/^[^-0-9]*//')"
expect "one of INT32" '-144 +-156' "$(keyed '[12,13]:INT32' 12 true)"
expect "one that is not selected" 'which the kernel keyed has no branch for; one of 512 66048 768 66304 1024 66560 68611 is expected' \
    "$(keyed x8.bin:FLOAT:8 5 true)"

# What is wrong.
mistake() { eval Mistakes --varRef x8.bin:FLOAT:8 --kind "$1"; }
expect "a right one" '2 +4 +6 +8 +10 +12 +14 +16' "$(mistake 0 | tr '\n' ' ' | tr -d '[],')"
expect "no blocks" 'the tiling function has set 0 blocks; SetBlockDim with 1 to 65535' "$(mistake 1)"
expect "a key" 'the tiling key is 77, which the kernel mistakes has no branch for; one of 5, 6 is expected' "$(mistake 2)"
expect "large data" 'the tiling data have 1073741824 bytes; 65536, their capacity, at most' "$(mistake 3)"
expect "what is thrown" 'the tiling function has failed: it has thrown: tiles are out' "$(mistake 4)"
expect "small data" 'mistakes.cpp:[0-9]+: GET_TILING_DATA: reads 6 bytes past the end of an allocation of 2 bytes' "$(mistake 5)"
expect "no success" 'the tiling function has failed; 0 is expected, and it is 0xffffffff' "$(mistake 6)"
expect "no dims" 'InferShape of the operator has failed; 0 is expected' "$(mistake 7)"
expect "another dtype" 'InferDataType says INT8 for varRef; FLOAT, as the definition has it' "$(mistake 8)"
expect "no tiling" 'no tiling function is registered; AICore\(\).SetTiling\(f\)' "$(eval Untiled --x x8.bin:FLOAT:8)"
expect "a sentence of op_host" 'the tiling function has failed: pick 5 is no tensor of xs, which has 2' \
    "$(eval Parts --xs x8.bin:FLOAT:8,y8.bin:FLOAT:8 --picks 5 --scale 1)"

# A program: statuses, what is not contiguous, lists, a graph; with a timeline.
g++ -std=c++17 -O1 -Wall -Wextra -Werror "$source/tests/tools/operators/program.cpp" -isystem "$source/include" \
    -Iopp/vendors/customize/op_api/include -Iown/vendors/parts/op_api/include "-L$build/lib64" -lnnopbase -lascendcl -ldl \
    -o program || { echo "the program is not compiled"; exit 1; }
libraries=(opp/vendors/customize/op_api/lib/libcust_opapi.so own/vendors/parts/op_api/lib/libcust_opapi.so)
expect "a program" '^0 failures$' "$(./program "${libraries[@]}" 2>&1 || true)"
"$belay" trace -o trace.json ./program "${libraries[@]}" >/dev/null 2>&1 || true
expect "a timeline" '"name": ?"aclnnScaleAdd"' "$(cat trace.json)"

# Nothing is said of what is right, and of a program each of its mistakes.
export ASCEND_CUSTOM_OPP_PATH=$work/own/vendors/parts:$work/opp/vendors/customize
checked() { "$belay" check "$belay" eval "$@" 2>&1 | tr '\n' ' ' || true; }
expect "a check" '12 24 36 48 60 72 84 96 .*belay check: 0 reports' \
    "$(checked ScaleAdd --x x8.bin:FLOAT:8 --y y8.bin:FLOAT:8 --scale 2)"
expect "a check of cube and vector cores" '10 20 30 40 50 60 70 80 .*belay check: 0 reports' \
    "$(checked Parts --xs x8.bin:FLOAT:8,y8.bin:FLOAT:8 --picks 1 --scale 1)"
found=$("$belay" check ./program "${libraries[@]}" 2>&1 || true)
expect "a kernel's mistake" 'DC-026: mistakes: block 0, mistakes.cpp:10: GET_TILING_DATA: reads 6 bytes past the end' "$found"
expect "a call's mistake" 'DC-023: aclnnMistakes: the tiling function has set 0 blocks' "$found"
expect "a phase without an executor" 'DC-001: aclnnScaleAdd: executor is NULL' "$found"
expect "nothing else" '^0 failures$' "$(grep -vE 'DC-(001|018|023|024|026)' <<<"$found" | grep -E 'DC-0|failures')"

# What op_host and op_kernel lack is said when the build is configured.
mkdir -p broken/op_host
cp "$source/examples/kernels/scale_add/CMakeLists.txt" broken
cp "$source/examples/kernels/scale_add/op_host/CMakeLists.txt" broken/op_host
cp -r "$source/examples/kernels/scale_add/op_kernel" broken
# broken UNIT DTYPES: an operator whose output has these dtypes.
broken() {
    cat >broken/op_host/odd.cpp <<END
#include "register/op_def_registry.h"
class Odd : public ops::OpDef
{
  public:
    explicit Odd(const char *name) : OpDef(name)
    {
        this->Input("x").DataType({ge::DT_FLOAT, ge::DT_INT8});
        this->Output("z").DataType({$2});
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Odd);
END
    "$cmake" -S broken -B broken/build -Dvendor_name=broken -DASCEND_COMPUTE_UNIT="$1" 2>&1 | tr '\n' ' ' | tr -s ' '
}
expect "no kernel" 'the kernel of Odd is missing: .*odd.cpp' "$(broken ascend910b 'ge::DT_FLOAT, ge::DT_INT8' || true)"
expect "another product's build" 'no operator is for .*ascend310p' "$(broken ascend310p 'ge::DT_FLOAT, ge::DT_INT8' || true)"
expect "dtypes that are not as many" 'op_build: Odd: z has 3 dtypes; 2, as many as those before, are expected' \
    "$(broken ascend910b 'ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32' || true)"
exit $failed
