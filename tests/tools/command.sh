#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# command.sh BELAY DOCUMENTS: what the belay command prints, writes and answers, verb by verb.
set -uo pipefail
belay=$1 documents=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
cases=0

fault() {
    echo "$1"
    cat out err
    wrong=$((wrong + 1))
}

# gives STATUS OUTPUT ERRORS COMMAND...: the command ends with this status, prints exactly OUTPUT (words; - for
# anything) and complains with a text that contains ERRORS (- for anything, empty for nothing at all).
gives() {
    local status=$1 output=$2 errors=$3 actual
    shift 3
    cases=$((cases + 1))
    "$@" >out 2>err </dev/null
    actual=$?
    [ "$actual" -eq "$status" ] || fault "status $actual, not $status: $*"
    [ "$output" = - ] || [ "$(paste -sd ' ' out)" = "$output" ] || fault "prints something other than '$output': $*"
    if [ -z "$errors" ]; then
        [ ! -s err ] || fault "complains: $*"
    elif [ "$errors" != - ]; then
        grep -qF -- "$errors" err || fault "does not complain of '$errors': $*"
    fi
}

# npy FILE DESCR ORDER SHAPE BYTES: an .npy file; BYTES as printf takes them.
npy() {
    local header="{'descr': '$2', 'fortran_order': $3, 'shape': $4, }"
    # shellcheck disable=SC2059 # the formats are the bytes
    {
        printf '\x93NUMPY\x01\x00'
        printf "\\x$(printf '%02x' ${#header})\\x00"
        printf '%s' "$header"
        printf "$5"
    } >"$1"
}
silu() { "$belay" eval aclnnSiluBackward "$@"; }
hardswish() { "$belay" eval aclnnHardswishBackward "$@"; }
smooth() { "$belay" eval aclnnSmoothL1LossBackward "$@"; }
leaky() { "$belay" eval aclnnLeakyReluBackward "$@"; }

# The command itself.
gives 2 - "Usage" "$belay"
gives 0 - "" "$belay" --help
gives 0 - "" "$belay" --version
gives 2 - "there is no verb nothing" "$belay" nothing
gives 0 - "" "$belay" info
root=$("$belay" prefix) && [ "$root/bin/belay" -ef "$belay" ] || fault "belay prefix prints '$root', which is not above $belay"
gives 1 - "BELAY_SOC" env BELAY_SOC=Ascend1 "$belay" info
env BELAY_SCHEDULE=lazy BELAY_ACCURACY=exact BELAY_HOST_POINTERS=allow ASCEND_RT_VISIBLE_DEVICES=x "$belay" info >out 2>err
for line in "schedule  *lazy" "accuracy  *exact" "host pointers  *allowed" "devices .*ASCEND_RT_VISIBLE_DEVICES is not a valid list.*"; do
    grep -qx "$line" out || fault "info does not say $line"
done
env BELAY_SCHEDULE=random:7 "$belay" info >out 2>err
grep -qx "schedule  *random" out || fault "info does not name the random schedule"
gives 0 "aclnnSilu" "" "$belay" ops --names silu
"$belay" ops --kinds | grep -x 'BatchMultiClassNonMaxSuppression  *a form of its own' >/dev/null || fault "ops --kinds joins a long name to what computes it"
[ "$("$belay" ops --names)" = "$("$belay" ops --all | grep -o '^aclnn[A-Za-z0-9]*')" ] || fault "ops --names lists other operators"
# -h as everywhere; what the terminal would obey is shown.
for words in "" run check info prefix ops eval "eval silu"; do
    # shellcheck disable=SC2086 # words
    gives 0 - "" "$belay" $words -h
    # shellcheck disable=SC2086
    [ "$(cat out)" = "$("$belay" $words --help)" ] || fault "-h and --help of '$words' differ"
done
gives 0 "-h" "" "$belay" run echo -h
for words in "" run check info prefix ops "eval silu"; do
    # shellcheck disable=SC2086
    gives 2 "" "--\x1b[31m is not an option" "$belay" $words --$'\e[31m'
    # shellcheck disable=SC2086
    gives 2 "" "is not an option" "$belay" $words "--$(printf 'a%.0s' {1..5000})"
    [ "$(wc -c <err)" -lt 500 ] || fault "a long option is not cut"
done
gives 2 "" "there is no verb \x1b[31m;" "$belay" $'\e[31m'
gives 2 "" "there is no operator a\x0ab;" "$belay" ops $'a\nb'
gives 1 "" "--self: \x1b: No such file" "$belay" eval silu --self $'\e'
gives 1 "" "aaa: File name too long" "$belay" eval silu --self "$(printf 'a%.0s' {1..5000})"
gives 127 "" "belay run: \x1b[31m: No such file" "$belay" run $'\e[31m'
gives 126 "" "belay run: aaa" "$belay" run "$(printf 'a%.0s' {1..5000})"
[ "$(wc -c <err)" -lt 500 ] || fault "a long name is not cut"
gives 2 - "one operator at most is expected" "$belay" ops aclnnSiluBackward aclnnSiluBackward
gives 1 - "writing to standard output failed" bash -c '"$0" ops >/dev/full' "$belay"
# What newcomers wrote.
printf 'print(1)\n' >train.py
cp /bin/true here
gives 127 "" "belay run: train.py: No such file or directory; did you mean python train.py?" "$belay" run train.py
gives 127 "" "belay run: here: No such file or directory; did you mean ./here?" "$belay" run here
gives 2 "" "PROGRAM is missing: ./here was taken as the argument of --json" "$belay" check --json ./here
gives 2 "" "PROGRAM is missing: ./here was taken as the argument of -o" "$belay" trace -o ./here
rm train.py here
gives 127 "" "./nope: No such file or directory" "$belay" check ./nope
gives 2 "" "there is no verb rum; did you mean run; belay help lists them" "$belay" rum x
gives 0 "$("$belay" --version)" "" "$belay" version
gives 0 "$("$belay" --version)" "" "$belay" -v
gives 0 "" "BELAY_DEVICE is not a variable of Belay: it has no effect; did you mean BELAY_DEVICES?" env BELAY_DEVICE=2 "$belay" run true
gives 0 "" "did you mean BELAY_THREADS?" env BELAY_TREADS=2 "$belay" run true
gives 0 "" "did you mean BELAY_CHECK?" env BELAY_CHEKC=mem "$belay" run true
gives 0 "" "did you mean BELAY_MEMORY?" env BELAY_MEM=2 "$belay" run true
gives 0 "" "did you mean BELAY_DEVICES?" env BELAY_DEVIZE=2 "$belay" run true
gives 0 "" "" env BELAY_SOMETHING=2 "$belay" run true
gives 2 "" "there is no verb chec; did you mean check; belay help lists them" "$belay" chec x
gives 1 "" "belay check: /nonexist/x.json: No such file or directory" "$belay" check --json /nonexist/x.json true
gives 0 "0 1 2" "" "$belay" eval relu --self -1,1,2
gives 0 "11 22 33 44" "" "$belay" eval add --self '[[1, 2], [3, 4]]' --other '[[10,20],[30,40]]' --alpha 1
gives 0 "2 1" "" "$belay" eval index_select --self '[1,2]' --dim 0 --index '[1,0]:INT64'
gives 0 "1 2 3" "" "$belay" eval cat --tensors '[1,2],[3]' --dim 0
# The first that says a dtype says it for all: no FLOAT has this number.
gives 0 "9007199254740993 2" "" "$belay" eval add --self '[1,2]:INT64' --other '[9007199254740992,0]' --alpha 1:INT64
gives 0 "9007199254740993 1" "" "$belay" eval cat --tensors '[9007199254740993],[1]:INT64' --dim 0
gives 1 "" "one list has 2 elements and another beside it 1" "$belay" eval relu --self '[[1,2],[3]]'
gives 1 "" "some numbers lie in 1 lists and others in 2" "$belay" eval relu --self '[1,[2]]'
gives 1 "" "a comma or the end of its list is expected" "$belay" eval relu --self '[1,2'
gives 1 "" "is no number" "$belay" eval relu --self '[1,,2]'
gives 1 "" "is too long for a number" "$belay" eval relu --self "[$(printf '1%.0s' {1..64})]"
gives 1 "" "[x]/y.npy: No such file" "$belay" eval relu --self '[x]/y.npy'
gives 1 "" "follows the array" "$belay" eval relu --self '[1]2'
gives 1 "" "at most" "$belay" eval relu --self '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]'
gives 2 "" "belay eval aclnnMatmul: there is no option --other; aclnnMatmul has --self, --mat2, " "$belay" eval matmul --self 1 --other 2
gives 2 "" "did you mean --self?" "$belay" eval silu --slef 1
if command -v script >/dev/null; then # a terminal gets dtype and shape, rows, and not all of what is long
    npy long.npy '|i1' False '(1001,)' ''
    head -c 1001 /dev/zero >>long.npy
    gives 0 "FLOAT of 2x2: 1 2 3 4" "" sh -c 'script -qec "$0 eval relu --self [[1,2],[3,4]]" /dev/null | tr -d "\r"' "$belay"
    gives 0 "and 1 more; --out FILE.npy has all" "" sh -c 'script -qec "$0 eval abs --self long.npy" /dev/null | tr -d "\r" | tail -n 1' "$belay"
fi
gives 0 "1.5" "" "$belay" eval cast --self 1.5 --dtype float32
gives 0 "1" "" "$belay" eval cast --self 1:bfloat16 --dtype float32 --out -
"$belay" eval mul --help | grep 'self=FILE *FLOAT, FLOAT16' >/dev/null || fault "eval --help does not list dtypes"
LOCAL_WORLD_SIZE=3 "$belay" info | grep -x 'devices        3' >/dev/null || fault "torchrun's processes have no device each"
LOCAL_WORLD_SIZE=3 BELAY_DEVICES=2 "$belay" info | grep -x 'devices        2' >/dev/null || fault "BELAY_DEVICES does not win over LOCAL_WORLD_SIZE"
"$belay" info | grep '^collectives    by ' >/dev/null || fault "info does not tell of collectives"
gives 0 - "" "$belay" ops
[ "$("$belay" ops | wc -l)" = "$("$belay" ops --names | wc -l)" ] || fault "ops prints other than a line for each operator"
"$belay" ops | grep '^aclnnAbs  *proved: FLOAT16 BFLOAT16; .*own reference$' >/dev/null || fault "ops does not say what stands behind Abs"
"$belay" ops gelu | grep 'compared with a reference of its own: tests/ops/gelu.c' >/dev/null || fault "ops does not say what Gelu is compared with"
"$belay" ops --json gelu | grep '"states": .{"state": "proved", "dtypes": .*{"state": "reference", "by": ' >/dev/null || fault "ops --json has no states"
for name in torch.bmm bmm BMM; do
    "$belay" ops $name | head -n 1 | grep -qx "PyTorch's torch.bmm calls aclnnBatchMatMul" || fault "ops does not know $name of PyTorch"
done
for name in torch.nn.Conv2d conv2d; do
    "$belay" ops --names $name | grep -qx aclnnConvolution || fault "ops does not know $name of PyTorch"
done
"$belay" ops --names torch.nn.Linear | grep -qx aclnnMatmul || fault "ops does not know Linear of PyTorch"
for name in allreduce torch.distributed.all_reduce HcclAllReduce; do
    gives 2 "" "there is no operator $name, but a collective HcclAllReduce (hccl/hccl.h);" "$belay" ops $name
done
"$belay" ops --names npu_add_rms_norm | grep -qx aclnnAddRmsNorm || fault "ops does not know npu_add_rms_norm"
refused=$("$belay" ops --refused --names | head -n 1)
gives 0 "$refused" "" "$belay" ops --refused --names "$refused"
"$belay" ops "$refused" | grep '^  state  *refused: ' >/dev/null || fault "ops does not say that $refused refuses"
gives 0 - "" "$belay" ops aclnnSiluBackward
gives 2 "" "there is no operator aclnnNothing" "$belay" ops aclnnNothing
gives 2 - "there is no operator aclnnNothing" "$belay" ops --json aclnnNothing
gives 2 - "there is no operator aclnnNothing" "$belay" ops --markdown aclnnNothing
if command -v python3 >/dev/null; then
    "$belay" ops --json | python3 -m json.tool >/dev/null || fault "ops --json is no JSON"
fi
[ "$("$belay" ops --json | head -n 1 | cut -c 1-2)" = '[{' ] || fault "ops --json is no list"
"$belay" ops --markdown aclnnCast | head -n 1 | grep -qx '<!-- table aclnnCast -->' || fault "ops --markdown begins with another table"
"$belay" ops --markdown aclnnCast | grep -F '| dtype | dtype |' >/dev/null || fault "ops --markdown lacks the dtype of Cast"
"$belay" ops --json | grep '^{"name": "aclnnSiluBackward", "stem": "silu_backward", .*},$' >/dev/null || fault "ops --json lacks Silu"
gives 0 "0.5" "" "$belay" eval smooth_l1_loss_backward --gradOut 1 --self 0.5 --target 0
gives 0 "0.25" "" "$belay" eval smooth_l1_loss_backward --gradOut 1 --self 0.5 --target 0 --beta 2
gives 1 - "writing to standard output failed" bash -c '"$0" info >/dev/full' "$belay"
for operator in Hardswish Silu SmoothL1Loss LeakyRelu; do
    "$belay" ops --all | grep "^aclnn${operator}Backward .*#include \"aclnnop/aclnn_.*_backward.h\"" >/dev/null || fault "ops lacks $operator"
done
"$belay" ops aclnnInplaceCopy | grep "selfRef  *tensor overwritten *FLOAT " >/dev/null || fault "ops does not set selfRef of InplaceCopy apart"
"$belay" ops aclnnSiluBackward | grep "FLOAT: within 1 ulp" >/dev/null || fault "ops does not say how accurate Silu is"
BELAY_DEVICES=3 BELAY_THREADS=2 "$belay" info >out 2>err
grep -q "^devices  *3$" out && grep -q "^threads  *2$" out || fault "info does not show what the environment asks for"

BELAY_DEVICE=3 BELAY_CHECK=report,race,mem "$belay" info >out 2>err
grep -q "BELAY_DEVICE=3 .*not a variable of Belay" out || fault "info does not point out an unknown name"
grep -qx "checks  *mem, race, report" out || fault "info does not say what BELAY_CHECK asks for"
# The documented variables, and no others.
documented=$(grep -o '^| `BELAY_[A-Z_]*`' "$documents/environment.md" | tr -d '|` ')
[ -n "$documented" ] || fault "environment.md names no variables"
for name in $documented; do
    env "$name=" "$belay" info | grep "^environment  *$name=\$" >/dev/null || fault "info does not know $name"
done

# Each operator on plain numbers.
gives 0 "1.5" "" hardswish --gradOutput 1 --self 3
gives 0 "-0.5" "" "$belay" eval hardswish_backward --gradOutput=1 --self=-3
gives 0 "0.5" "" "$belay" eval divs --self 1 --other 2
gives 0 "3.5" "" "$belay" eval div --self 7:INT32 --other 2:INT64
gives 0 "3.5" "" "$belay" eval divs --self 7:INT32 --other 2
gives 0 "" "" "$belay" eval div --self 7:INT32 --other 2:INT64 --out quotient.npy:INT32
gives 0 "3" "" "$belay" eval add --self quotient.npy --other 0:INT32
gives 0 "9" "" "$belay" eval add --self 7:INT32 --other 2:INT64
gives 0 "0" "" "$belay" eval inplace_relu --selfRef=-1
gives 0 "4" "" "$belay" eval fill_scalar --selfRef=-1 --value 4
gives 0 "0" "" "$belay" eval zero --selfRef 5
gives 0 "7" "" "$belay" eval inplace_copy --selfRef 5 --src 7:INT8
gives 0 "1" "" "$belay" eval cast --self 1.75 --dtype INT32
gives 0 "1.75" "" "$belay" eval cast --self 1.75
gives 0 "" "" "$belay" eval cast --self 1.75 --out cast.npy:INT8 # which is the argument dtype, too
gives 0 "2" "" "$belay" eval add --self cast.npy --other 1:INT8
gives 0 "" "" "$belay" eval cast --self 2.75 --dtype INT64 --out cast.npy
gives 0 "3" "" "$belay" eval add --self cast.npy --other 1:INT64
gives 1 "" "out has dtype INT16; INT8" "$belay" eval cast --self 1.75 --dtype INT8 --out cast.npy:INT16
gives 1 "" "--dtype: nothing is not a dtype; these are: FLOAT, FLOAT16, INT8, " "$belay" eval cast --self 1.75 --dtype nothing
gives 1 "" "--self: float is not a dtype; these are: FLOAT, FLOAT16, INT8, " "$belay" eval cast --self 1:float
gives 1 "" "--negativeSlope: NO is not a dtype; these are: FLOAT, FLOAT16, INT8, " leaky --gradOutput 1 --self 1 --negativeSlope 1:NO --selfIsResult true
# Truth values and complex numbers as tensors and as scalars.
gives 0 "1" "" "$belay" eval cast --self true:BOOL --dtype INT32
gives 0 "1+2j" "" "$belay" eval neg --self=-1-2j:COMPLEX64
gives 0 "1-2j" "" "$belay" eval neg --self=-1+2j:COMPLEX128
gives 0 "2.5-0.5j" "" "$belay" eval adds --self 1:COMPLEX64 --other 1.5-.5j:COMPLEX64 --alpha 1
gives 0 "0+3j" "" "$belay" eval adds --self 1j:COMPLEX64 --other 2j:COMPLEX128 --alpha 1
gives 1 "" "--self: 1+2j is not a number" "$belay" eval neg --self 1+2j
gives 1 "" "--self: 1+1e39j is too large for COMPLEX64" "$belay" eval neg --self 1+1e39j:COMPLEX64
gives 1 "" "--self: 1+2: No such file" "$belay" eval neg --self 1+2:COMPLEX64
gives 1 "" "--self is missing" "$belay" eval cast --dtype INT8
gives 0 "0.5" "" silu --gradOutput 1 --self 0
gives 0 "0.927670538" "" silu --gradOutput 1 --self 1
gives 0 "0.5" "" smooth --gradOut 1 --self 1 --target 0.5 --reduction none --beta 1
gives 0 "-2" "" leaky --gradOutput 4 --self 0 --negativeSlope -0.5 --selfIsResult false
gives 0 "-4" "" leaky --gradOutput 4 --self 0 --negativeSlope -1:INT32 --selfIsResult 0
gives 0 "-0.375" "" "$belay" eval hardswish --self=-1.5
gives 0 "-0.375" "" "$belay" eval aclnnInplaceHardswish --self=-1.5
gives 0 "0.125" "" "$belay" eval aclnnSmoothL1Loss --self 1 --target 0.5 --reduction none
gives 0 "0.125" "" "$belay" eval aclnnSmoothL1Loss --self 1 --target 0.5 --reduction sum
gives 0 "0" "" "$belay" eval aclnnHardswishBackwardV2 --gradOutput 1 --self=-3
gives 0 "0.731058598" "" "$belay" eval aclnnSilu --self 1
gives 0 "0.731058598" "" "$belay" eval aclnnSwish --self 1
gives 0 "0.5" "" "$belay" eval aclnnSwish --self 1 --betaOptional 0
gives 0 "0.927670538" "" "$belay" eval aclnnSwishBackward --gradOutput 1 --self 0.5 --betaOptional 2:INT32
gives 0 "2" "" "$belay" eval aclnnInplaceLeakyRelu --selfRef=-4 --negativeSlope=-0.5
gives 0 "" "" "$belay" eval aclnnInplaceHardswish --self=-1.5 --out in_place.npy
gives 0 "-0.1640625" "" "$belay" eval aclnnHardswish --self in_place.npy
gives 0 "-1.375" "" "$belay" eval add --self=-1 --other in_place.npy
gives 0 "0.375" "" "$belay" eval mul --self=-1 --other in_place.npy
gives 1 "" "keeps dtype and shape" "$belay" eval aclnnInplaceHardswish --self=-1.5 --out in_place.npy:FLOAT16

# Files: shapes, element orders, byte orders, dtypes.
npy x.npy '<f4' False '(2, 2)' '\0\0\x80\xbf\0\0\0\0\0\0\x80\x3f\0\0\0\x40'      # -1 0 1 2
npy fortran.npy '<f4' True '(2, 2)' '\0\0\x80\xbf\0\0\x80\x3f\0\0\0\0\0\0\0\x40' # the same
npy big.npy '>f4' False '(2, 2)' '\xbf\x80\0\0\0\0\0\0\x3f\x80\0\0\x40\0\0\0'    # the same
npy row.npy '<f4' False '(2,)' '\0\0\x80\x3f\0\0\0\x40'                          # 1 2
npy bf16.npy '<V2' False '(2,)' '\x80\x3f\x80\xbf'                               # 1 -1
npy words.npy '<u2' False '(2,)' '\x80\x3f\x80\xbf'                              # the same
npy integers.npy '<i8' False '(1,)' '\1\0\0\0\0\0\0\0'

# What scripts/demo.sh looks at results with; it is built with the examples.
check_results=$(dirname "$belay")/check_results
if [ -x "$check_results" ]; then
    gives 0 "" "" "$belay" eval aclnnSiluBackward --gradOutput x.npy --self x.npy --out y.npy
    gives 0 - "" "$check_results" aclnnSiluBackward x.npy y.npy
    gives 1 - "" "$check_results" aclnnHardswishBackward x.npy y.npy
fi
npy empty.npy '<f4' False '(0, 3)' ''
printf '\0\x3c\0\xbc' >fp16.bin # 1 -1

# Floats of 8 bits: as NumPy writes those of ml_dtypes, as bytes, raw, and as numbers. Only the user knows which.
npy e4m3fn.npy '<V1' False '(2,)' '\x2a\xc0'    # 0.3125 -2
npy e5m2.npy '<f1' False '(2,)' '\x35\xc0'      # 0.3125 -2
npy bytes.npy '|u1' False '(2,)' '\x2a\xc0'
printf '\x2a\xc0' >e4m3fn.bin
printf '\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >indices.bin # 0 1 0
newest() { env BELAY_SOC=Ascend950PR_9599 "$belay" eval "$@"; }
for self in e4m3fn.npy:FLOAT8_E4M3FN bytes.npy:FLOAT8_E4M3FN e4m3fn.bin:FLOAT8_E4M3FN:2 e5m2.npy e5m2.npy:FLOAT8_E5M2; do
    gives 0 "0.3125 -2" "" newest cast --self $self --dtype FLOAT
done
gives 0 "0.312" "" newest cast --self 0.3 --dtype FLOAT8_E4M3FN
gives 0 "0.312" "" newest cast --self 0.3:FLOAT8_E4M3FN
for dtype in FLOAT8_E4M3FN FLOAT8_E5M2; do
    gives 0 "" "" newest cast --self 0.3 --dtype $dtype --out y.npy
    grep -qaF "'|V1'" y.npy || fault "$dtype is not written as NumPy reads it"
    gives 0 "0.3125" "" newest cast --self y.npy:$dtype --dtype FLOAT
done
gives 0 "0.312 -2 0.312" "" newest gather --self e4m3fn.npy:FLOAT8_E4M3FN --dim 0 --index 'indices.bin:INT64:3'
gives 1 "" "e4m3fn.npy holds bytes that have no meaning of their own; e4m3fn.npy:FLOAT8_E4M3FN, say" newest cast --self e4m3fn.npy --dtype FLOAT
gives 1 "" "e5m2.npy holds FLOAT8_E5M2, not FLOAT8_E4M3FN" newest cast --self e5m2.npy:FLOAT8_E4M3FN --dtype FLOAT
gives 1 "" "500 is too large for FLOAT8_E4M3FN" newest cast --self 500:FLOAT8_E4M3FN --dtype FLOAT
gives 1 "" "161002: " "$belay" eval cast --self e4m3fn.npy:FLOAT8_E4M3FN --dtype FLOAT
# Numbers of 8 and 4 bits: codes in files, a byte each.
printf '\x01\x02\x0f' >halves.bin
gives 0 "0.5 1 -6" "" newest cast --self halves.bin:FLOAT4_E2M1:3 --dtype FLOAT
gives 0 "0.25 0.5 -1.75" "" newest cast --self halves.bin:FLOAT4_E1M2:3 --dtype FLOAT
gives 0 "1 2 -1" "" newest cast --self halves.bin:INT4:3 --dtype INT32
for pair in HIFLOAT8:0.312 FLOAT8_E8M0:0.25 FLOAT4_E2M1:0.5 FLOAT4_E1M2:0.25; do
    gives 0 "${pair#*:}" "" newest cast --self 0.3 --dtype "${pair%:*}"
    gives 0 "${pair#*:}" "" newest cast --self "0.3:${pair%:*}" --dtype "${pair%:*}"
done
gives 0 "-3" "" newest cast --self -3:INT4 --dtype INT32
gives 0 "-6 1 0.5" "" newest flip --self halves.bin:FLOAT4_E2M1:3 --dims 0
gives 0 "" "" newest flip --self halves.bin:FLOAT4_E2M1:3 --dims 0 --out turned.npy
gives 0 "-6 1 0.5" "" newest cast --self turned.npy:FLOAT4_E2M1 --dtype FLOAT
gives 1 "" "8 does not fit into INT4" newest cast --self 8:INT4 --dtype INT32
gives 1 "" "7 does not fit into FLOAT4_E2M1" newest cast --self 7:FLOAT4_E2M1 --dtype FLOAT
for file in x fortran big; do
    gives 0 "-0.5 0 1 2" "" leaky --gradOutput $file.npy --self x.npy --negativeSlope 0.5 --selfIsResult true
    gives 0 "-0.5 0 1 2" "" leaky --gradOutput x.npy --self $file.npy --negativeSlope 0.5 --selfIsResult true
done
gives 0 "0.5 1 1 2" "" leaky --gradOutput row.npy --self x.npy --negativeSlope 0.5 --selfIsResult true
gives 0 "1 -0.5" "" leaky --gradOutput bf16.npy --self bf16.npy --negativeSlope 0.5:BF16 --selfIsResult true
gives 0 "1 -0.5" "" leaky --gradOutput words.npy:BF16 --self bf16.npy:BF16 --negativeSlope 0.5 --selfIsResult true
gives 0 "1 -0.5" "" leaky --gradOutput fp16.bin:FLOAT16:2 --self fp16.bin:FLOAT16:2 --negativeSlope 0.5:FLOAT16 --selfIsResult true
gives 0 "" "" leaky --gradOutput empty.npy --self empty.npy --negativeSlope 0.5 --selfIsResult true
gives 0 "" "" silu --gradOutput x.npy --self x.npy --out y.npy
gives 0 "" "" silu --gradOutput x.npy --self x.npy --gradInput z.npy
cmp y.npy z.npy || fault "the output's own name and --out differ"
head -c 128 y.npy | grep -qaF "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }" || fault "another header than expected"
# The output's dtype: promoted unless given.
gives 0 "" "" leaky --gradOutput bf16.npy --self row.npy --negativeSlope 1 --selfIsResult true --out y.npy
grep -qaF "'<f4'" y.npy || fault "BF16 with FLOAT is not written as FLOAT"
gives 0 "" "" leaky --gradOutput row.npy --self row.npy --negativeSlope 1 --selfIsResult true --out y.npy:BF16
grep -qaF "'<V2'" y.npy || fault "BF16 is not written as NumPy users store it"
gives 0 "" "" leaky --gradOutput row.npy --self row.npy --negativeSlope 1 --selfIsResult true --out y.npy:COMPLEX64
grep -qaF "'<c8'" y.npy || fault "COMPLEX64 is not written"
gives 0 "" "" silu --gradOutput empty.npy --self empty.npy --out y.npy
grep -qaF "'shape': (0, 3)" y.npy || fault "an empty result is not written"
# Reduction by name and by number; one element in two.
for reduction in mean 1; do
    gives 0 "0 0.5" "" smooth --gradOut 1 --self row.npy --target words.npy:BF16 --reduction $reduction --beta 1
done

# A result that cannot be written costs nothing: the file that was there, the input itself, what a link leads to.
head -c 65536 /dev/zero >zeros.bin
gives 0 "" "" "$belay" eval aclnnCast --self zeros.bin:FLOAT:16384 --dtype FLOAT --out large.npy
cp large.npy before.npy
ln -s large.npy link.npy
for name in large.npy link.npy; do
    gives 1 "" "--out: $name: writing failed: File too large" bash -c 'ulimit -f 8; exec "$@"' - \
        "$belay" eval aclnnCast --self large.npy --dtype FLOAT --out $name
    cmp large.npy before.npy || fault "a failed write changes the file"
    [ -L link.npy ] || fault "a failed write removes the link"
done
gives 0 "" "" "$belay" eval aclnnCast --self large.npy --dtype INT8 --out link.npy
[ -L link.npy ] && grep -qaF "'|i1'" large.npy || fault "what a link leads to is not written"
gives 1 "" "--out: /dev/full: writing failed: No space left" "$belay" eval aclnnCast --self 1 --out /dev/full
gives 0 - "" bash -c '"$0" eval aclnnCast --self 1 --out /dev/stdout | cat' "$belay"
grep -qaF NUMPY out || fault "a pipe is not written"
[ -z "$(find . -name '.belay*')" ] || fault "a write leaves files behind"

# Refusals: the library's sentence, status 1, no file.
rm -f y.npy
gives 1 "" "161002: " silu --gradOutput integers.npy --self integers.npy --out y.npy
grep -qF "aclnnSiluBackward" err && grep -qF INT64 err || fault "the sentence is not the library's"
gives 1 "" "161002: " hardswish --gradOutput x.npy --self row.npy --out y.npy
gives 1 "" "161002: " leaky --gradOutput 1 --self 1 --negativeSlope -1 --selfIsResult true --out y.npy
gives 1 "" "161002: " smooth --gradOut 1 --self 1 --target 1 --reduction 3 --beta 1 --out y.npy
gives 1 "" "161002: " smooth --gradOut 1 --self 1 --target 1 --reduction sum --beta nan --out y.npy
gives 1 "" "161002: " silu --gradOutput x.npy --self x.npy --out y.npy:INT32
gives 1 "" "161002: " silu --gradOutput x.npy --self x.npy --out y.npy:FLOAT:4
gives 1 "" "161002: " env BELAY_SOC=Ascend910A "$belay" eval aclnnSiluBackward --gradOutput bf16.npy --self bf16.npy --out y.npy
gives 1 "" "BELAY_THREADS" env BELAY_THREADS=none "$belay" eval aclnnSiluBackward --gradOutput 1 --self 1 --out y.npy
[ ! -e y.npy ] || fault "a refused call left a file"

# Mistakes on the line and in files.
gives 2 "" "there is no operator aclnnNothing; belay ops --names lists them" "$belay" eval aclnnNothing
# Any spelling of a name, and the nearest of one that is none.
for name in aclnnSiluBackward SiluBackward silu_backward silubackward; do
    gives 0 "0.5" "" "$belay" eval $name --gradOutput 1 --self 0
    "$belay" ops $name | head -n 1 | grep -q "^aclnnSiluBackward " || fault "ops does not find $name"
done
gives 2 "" "no operator aclnnSiluBakward; did you mean aclnnSiluBackward" "$belay" eval aclnnSiluBakward
gives 2 "" "no operator SilubackwardX; did you mean aclnnSiluBackward" "$belay" ops SilubackwardX
gives 2 "" "no operator Hardswi; did you mean aclnnHardswish, aclnnInplaceHardswish, " "$belay" ops Hardswi
gives 2 "" "no operator sliu; did you mean aclnnSilu" "$belay" ops sliu
gives 2 "" "there is no operator silu;; did you mean aclnnSilu" "$belay" ops "silu;"
gives 2 "" "Usage" "$belay" eval
gives 0 - "" "$belay" eval --help
gives 0 - "" "$belay" eval --usage
gives 2 "" "Usage" "$belay" eval --nothing
gives 2 "" "OPERATOR --NAME VALUE" "$belay" eval -x
gives 0 "0.5" "" env BELAY_WORKSPACE=4096 "$belay" eval aclnnSiluBackward --gradOutput 1 --self 0
gives 1 "" "is too long for a number" leaky --gradOutput 1 --self 1 --negativeSlope "$(printf '0%.0s' {1..80})" --selfIsResult true
# A number is one whatever files there are.
cp x.npy 7
gives 0 "7" "" leaky --gradOutput 7 --self 7 --negativeSlope 0.5 --selfIsResult true
gives 0 "-0.5 0 1 2" "" leaky --gradOutput ./7 --self ./7 --negativeSlope 0.5 --selfIsResult true
rm 7
gives 1 "" "--self: .: Is a directory" silu --gradOutput 1 --self .
gives 1 "" "--self: .: Is a directory" silu --gradOutput 1 --self .:FLOAT:1
gives 0 - "" "$belay" help
"$belay" --help | cmp -s - out || fault "help and --help differ"
gives 0 - "" "$belay" help trace
"$belay" trace --help | cmp -s - out || fault "help trace and trace --help differ"
gives 2 "" "there is no verb nothing" "$belay" help nothing
gives 2 "" "one verb at most" "$belay" help run check
gives 2 "" "a verb is expected" "$belay" help --
gives 0 - "" "$belay" help --complete
gives 0 "" "" "$belay" help --complete -- nothing ""
gives 0 "" "there is no operator" "$belay" help --complete -- eval aclnnNothing --self ""
gives 1 - "writing to standard output failed" bash -c '"$0" help --man >/dev/full' "$belay"
gives 0 - "" smooth --help
grep -q -- "--reduction=NUMBER  *none, mean, sum" out || fault "the choices are not in the help"
gives 0 - "" silu --help
gives 2 "" "nothing" silu --nothing 1
gives 2 "" "is given twice" silu --self 1 --self 1
gives 2 "" "is not an option" silu x.npy
gives 2 "" "belay eval aclnnSilu: \x1b[31m is not an option" "$belay" eval silu $'\e[31m'
gives 1 "" "belay eval: --self is missing" silu --gradOutput 1
gives 1 "" "--self: none.npy: No such file" silu --gradOutput 1 --self none.npy
gives 1 "" "x.npy holds FLOAT, not FLOAT16" silu --gradOutput 1 --self x.npy:FLOAT16
gives 1 "" "dtype and shape need 16" silu --gradOutput 1 --self fp16.bin:FLOAT:4
gives 1 "" "first bytes are not NumPy's); raw elements are given as FILE:DTYPE:SHAPE" silu --gradOutput 1 --self fp16.bin
gives 1 "" "FILE:DTYPE:SHAPE" silu --gradOutput 1 --self fp16.bin:FLOAT16
# What stands behind a colon and means nothing.
gives 1 "" "--self: FP32 is not a dtype" silu --gradOutput 1 --self fp16.bin:FP32:3x5
gives 1 "" "--self: float is not a dtype" silu --gradOutput 1 --self fp16.bin:float:2
gives 1 "" "--self: float is not a dtype" silu --gradOutput 1 --self fp16.bin:float
gives 1 "" "--self: 3,5 is not a shape" silu --gradOutput 1 --self fp16.bin:FLOAT16:3,5
gives 1 "" "--self: FLOAT8 is not a dtype" silu --gradOutput 1 --self 1:FLOAT8
gives 1 "" "--self: the shape 2 has no dtype" silu --gradOutput 1 --self fp16.bin:2
gives 1 "" "--gradInput: float is not a dtype" silu --gradOutput 1 --self 1 --out y.npy:float
cp x.npy with:colon
gives 0 - "" silu --gradOutput with:colon --self with:colon
gives 0 "" "" silu --gradOutput 1 --self 1 --out with:another.npy
gives 1 "" "--self: 70000 is too large for FLOAT16" silu --gradOutput 1 --self 70000:FLOAT16
gives 1 "" "--negativeSlope: 1e400 is too large for DOUBLE" leaky --gradOutput 1 --self 1 --negativeSlope 1e400 --selfIsResult true
gives 1 "" "--selfIsResult: yes is not a truth value; true or false" leaky --gradOutput 1 --self 1 --negativeSlope 1 --selfIsResult yes
# A number without a dtype has that of the first input that says one.
gives 0 "" "" smooth --gradOut 1 --self words.npy:BF16 --target 1 --reduction none --beta 1 --out y.npy
grep -qaF "'<V2'" y.npy || fault "a plain number is not BF16 beside BF16"
gives 0 "" "" silu --gradOutput 1 --self 1:FLOAT16 --out y.npy
grep -qaF "'<f2'" y.npy || fault "a plain number is not FLOAT16 beside FLOAT16"
rm -f y.npy
gives 1 "" "--beta: x is not a number" smooth --gradOut 1 --self 1 --target 1 --reduction sum --beta x
gives 1 "" "--reduction: most is none of these: none, mean, sum" smooth --gradOut 1 --self 1 --target 1 --reduction most --beta 1
gives 1 "" "--negativeSlope: 300 does not fit into INT8" leaky --gradOutput 1 --self 1 --negativeSlope 300:INT8 --selfIsResult true
gives 1 "" "--negativeSlope: NO is not a dtype" leaky --gradOutput 1 --self 1 --negativeSlope 1:NO --selfIsResult true
gives 1 "" "--gradInput: /nowhere/y.npy: No such file" silu --gradOutput 1 --self 1 --out /nowhere/y.npy

# Exact results by default, another accuracy on demand.
gives 0 - "" env BELAY_ACCURACY=default "$belay" eval aclnnSiluBackward --gradOutput 1 --self 1

# belay run: the program's words, status and surroundings.
mkfifo pipe && chmod +x pipe
gives 126 "" "belay run: ./pipe: Permission denied" timeout 60 "$belay" run ./pipe
gives 2 "" "Usage" "$belay" run
gives 127 "" "./nothing: No such file" "$belay" run ./nothing
gives 127 "" "no_such_program: No such file" "$belay" run no_such_program
gives 127 "" "no_such_program: No such file" env -u PATH "$belay" run no_such_program
gives 126 "" "File name too long" "$belay" run "$(printf '/a%.0s' {1..3000})"
# An empty folder in PATH is this one; a folder may be too long to have anything.
printf '#!/bin/sh -e\necho here $1\n' >here
printf '#!\n' >without
chmod +x here without
gives 0 "here now" "" env PATH="$(printf '/a%.0s' {1..3000}):/nowhere::$PATH" "$belay" run here now
gives 0 "" "" "$belay" run ./without # a shell's, as execvp has it
printf '#!sh -e\n' >relative
: >empty
chmod +x relative empty
gives 0 "" "" "$belay" run ./empty
gives 127 "" "relative" "$belay" run ./relative
# shellcheck disable=SC2016
root=$(cd "$(dirname "$belay")/.." && pwd -P)
# shellcheck disable=SC2016
gives 0 "$root/latest/lib64:$root/lib64" "" env LD_LIBRARY_PATH= "$belay" run sh -c 'echo $LD_LIBRARY_PATH'
gives 2 "" "Usage" "$belay" check
gives 0 - "belay check: 0 reports" env BELAY_CHECK= "$belay" check "$belay" info
gives 1 "" "belay check: no process used the library" env BELAY_CHECK= "$belay" check true
gives 2 - "nothing" "$belay" check --nothing
gives 1 "" "Argument list too long" env BELAY_CHECK="$(printf 'leak,%.0s' {1..60})leak" "$belay" check true
gives 126 "" "Permission denied" "$belay" run ./x.npy
gives 7 "" "" "$belay" run sh -c 'exit 7'
gives 0 "a --b c d" "" "$belay" run printf '%s\n' a --b 'c d'
# shellcheck disable=SC2016 # the inner shell expands
gives 0 "$root/latest/lib64:$root/lib64 $root" "" env -u LD_LIBRARY_PATH "$belay" run sh -c 'echo $LD_LIBRARY_PATH $ASCEND_HOME_PATH'
# shellcheck disable=SC2016
gives 0 "$root/latest/lib64:$root/lib64:/elsewhere" "" env LD_LIBRARY_PATH=/elsewhere "$belay" run sh -c 'echo $LD_LIBRARY_PATH'

# As set_env.sh has it, whatever the program is.
names=$(sed -n 's/^ *.*export \([A-Z_]*\)=.*/\1/p' "$documents/../scripts/set_env.sh" | sort -u)
[ "$(echo "$names" | wc -l)" -ge 10 ] || fault "set_env.sh names no variables"
env -i PATH=/usr/bin:/bin "$belay" run env >out 2>err
for name in $names; do
    grep -q "^$name=$root" out || fault "belay run does not set $name"
done
gives 0 "$root/python/site-packages:/elsewhere" "" env PYTHONPATH=/elsewhere "$belay" run sh -c 'echo $PYTHONPATH'
gives 1 "" "" env -u PATH "$belay" run /usr/bin/printenv PATH

echo "$cases cases, $wrong faults"
[ "$wrong" -eq 0 ]
