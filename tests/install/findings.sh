#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# What users met around the libraries, each as they met it, on an installed tree: a line for each that says whether it
# is as it should be, and what was seen. The exit status is 0 when all are.
#
#   findings.sh PREFIX SOURCE [FINDING...]     SOURCE: the tree that PREFIX was made of; FINDING: A1, B7, C4 ... (all)
#
# Needs a C compiler and Python with NumPy; CC names the compiler. What needs dash or CMake is left out without them.
# shellcheck disable=SC1091,SC2317,SC2069 # called by their names; standard error alone is wanted
set -uo pipefail
prefix=$(realpath "$1") source=$(realpath "$2")
shift 2
chosen=" $* "
mistakes=$(realpath "$(dirname "$0")/mistakes.c")
python=$(command -v "$(sh "$(dirname "$0")/../python/interpreter.sh")") || { echo "Python is needed"; exit 77; }
"$python" -c 'import numpy' 2>/dev/null || { echo "NumPy is needed"; exit 77; }
belay=$prefix/bin/belay
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ulimit -c 0
for name in $(compgen -e | grep -E '^(BELAY_|ASCEND_)') LD_LIBRARY_PATH LD_PRELOAD PYTHONPATH; do
    unset "$name"
done
"${CC:-cc}" -o mistakes "$mistakes" -I"$prefix/include" -L"$prefix/lib64" -lopapi -lnnopbase -lascendcl || exit 1

# import PROGRAM: Python with the installed packages; what it prints last.
import() {
    (set +u && . "$prefix/set_env.sh" && timeout 30 "$python" -c "import numpy as np, belay_npu
$1") 2>&1 | tail -n 1
}

# raises ERROR EXPRESSION: Python's answer, for what is to be an error of that kind.
raises() {
    import "
try: print(repr($2))
except Exception as e: print(type(e).__name__, '-', e)"
}

checked() {
    timeout 60 "$belay" check "$@" 2>&1 >/dev/null
    echo "status $?"
}

# finding ID TEXT SEEN PATTERN...: what was seen must match each pattern, and none of those behind '!'.
finding() {
    local id=$1 text=$2 seen=$3 pattern wanted=0 verdict="as it should be"
    shift 3
    for pattern; do
        [ "$pattern" = '!' ] && { wanted=1; continue; }
        grep -qE -- "$pattern" <<<"$seen"
        [ $? -eq $wanted ] || verdict=found
    done
    [ "$verdict" = found ] && failed=1
    printf '%-15s  %-3s  %s: %s\n' "$verdict" "$id" "$text" "$(tr '\n' ' ' <<<"$seen" | cut -c1-"${WIDTH:-160}")"
}

A1() {
    finding A1 "an error through pickle" "$(import '
import copy, pickle
try: belay_npu.silu(np.zeros(2, np.int32))
except belay_npu.Error as e: print(*(f(e) == e or (str(f(e)), f(e).status) == (str(e), e.status) for f in (lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy)))')" '^True True True$'
    finding A1 "a function in a pool" "$(import '
import multiprocessing
with multiprocessing.get_context("spawn").Pool(1) as pool: print(len(pool.map_async(belay_npu.silu, [np.ones(2, np.float32)]).get(20)))')" '^1$'
}

A2() {
    head -c 65536 /dev/zero >zeros
    "$belay" eval aclnnCast --self zeros:FLOAT:16384 --dtype FLOAT --out big.npy && cp big.npy before.npy
    (trap '' XFSZ; ulimit -f 8; "$belay" eval aclnnCast --self big.npy --dtype FLOAT --out big.npy) 2>message
    finding A2 "the file that cannot be written" "$(cmp big.npy before.npy 2>&1 && echo untouched)" '^untouched$'
    cp before.npy big.npy && ln -sf big.npy link.npy
    (trap '' XFSZ; ulimit -f 8; "$belay" eval aclnnCast --self before.npy --dtype FLOAT --out link.npy) 2>message
    finding A2 "the link that cannot be written" "$([ -L link.npy ] && cmp link.npy before.npy 2>&1 && echo untouched)" '^untouched$'
}

A3() {
    finding A3 "a call that fails" "$(checked ./mistakes dtype)" 'DC-023: aclnnSilu' 'status 1'
    finding A3 "no device at all" "$(BELAY_DEVICES=none checked ./mistakes)" 'BELAY_DEVICES' '!' '0 reports' 'status 0'
    finding A3 "a check that is none" "$(BELAY_CHECK=garbage checked ./mistakes)" 'garbage' '!' '0 reports' 'status 0'
    finding A3 "leaks, asked for" "$(BELAY_CHECK=leak checked ./mistakes leak)" 'DC-017: aclrtMalloc' 'status 1'
    finding A3 "a program of another library" "$(checked true)" 'no process used the library' 'status 1'
}

B1() { finding B1 "acl under belay run" "$("$belay" run "$python" -c 'import acl; print(acl.get_soc_name())' 2>&1 | tail -n 1)" '^Ascend'; }

B2() {
    cp -r "$prefix"/python/site-packages alone 2>/dev/null || cp -r "$(dirname "$(find "$prefix/" -path '*/acl/__init__.py' | head -n 1)")/.." alone
    finding B2 "acl without libraries" "$(PYTHONPATH=$work/alone "$python" -c '
try: import acl
except BaseException as e: print(type(e).__name__, "-", e)')" '^ImportError'
}

B3() {
    command -v dash >/dev/null || { echo "left out: B3 (dash)"; return; }
    finding B3 "set_env.sh in a subshell of dash" "$(dash -c "(. $prefix/set_env.sh; echo \$ASCEND_HOME_PATH)" 2>&1)" "^$prefix"
    finding B3 "set_env.sh in a pipe of dash" "$(dash -c ". $prefix/set_env.sh | cat && echo fine" 2>&1)" '^fine$' '!' 'this shell'
}

B4() {
    "$belay" check ./mistakes sleep 2>message &
    local command=$! program
    for _ in 1 2 3 4 5 6 7 8 9 10; do program=$(pgrep -P $command) && break; sleep 0.2; done
    sleep 0.5
    kill $command
    wait $command 2>/dev/null
    kill "$program" 2>/dev/null && echo "outlives the command" >>message
    finding B4 "SIGTERM to belay check" "$(cat message)" 'signal 15' '!' 'outlives'
    finding B4 "a program that a signal ends" "$(checked ./mistakes crash)" 'signal 11 ended the program'
}

B5() {
    mkdir -p logs/debug elsewhere && ln -sfn "$work/elsewhere" logs/debug/plog
    ASCEND_PROCESS_LOG_PATH=$work/logs ASCEND_GLOBAL_LOG_LEVEL=0 "$belay" run ./mistakes dtype 2>/dev/null
    finding B5 "the log where a link leads" "files: $(find elsewhere -type f | wc -l)" '^files: 0$'
}

B6() { finding B6 "None for an array" "$(raises TypeError 'belay_npu.silu(None)')" '^TypeError'; }
B7() { finding B7 "2**64 + 2 as an attribute" "$(raises OverflowError 'belay_npu.smooth_l1_loss(np.ones(2, np.float32), np.ones(2, np.float32), 2**64 + 2)')" '^OverflowError'; }
B8() { finding B8 "float16 as bfloat16" "$(raises TypeError 'belay_npu.from_bfloat16(np.ones(3, np.float16))')" '^TypeError.*float16'; }

B9() {
    finding B9 "where a report comes from" "$(checked ./mistakes dtype)" 'at mistakes\+0x[0-9a-f]+'
    finding B9 "a thousand equal reports" "lines: $(checked ./mistakes often | wc -l)" '^lines: .{1,2}$'
}

B10() {
    command -v cmake >/dev/null || { echo "left out: B10 (cmake)"; return; }
    local folder
    folder=$(dirname "$(realpath -s "$("${CC:-cc}" -print-file-name=libcmocka.so)")")
    finding B10 "cmake without cmocka" "$(cmake -S "$source" -B cmake -DCMAKE_IGNORE_PATH="$folder;${folder#/usr}" 2>&1 >/dev/null; echo "status $?")" 'status 0|BELAY_TESTS=OFF'
}

B11() {
    finding B11 "device memory read on the host" "$(checked ./mistakes read)" 'DC-007'
    finding B11 "read back before a wait" "$(checked ./mistakes early)" 'DC-011'
    finding B11 "two streams" "$(checked ./mistakes streams)" 'DC-012'
    finding B11 "memory never written" "$(checked ./mistakes unwritten)" 'DC-010'
    finding B11 "no mistake" "$(checked ./mistakes)" '0 reports' 'status 0'
}

B12() {
    finding B12 "a licence as a table" "tables: $(cat "$source"/pyproject.toml "$source"/python/pyproject.toml 2>/dev/null | grep -cE '^license( = \{|-files)')" '^tables: 0$'
}

C1() {
    mkdir -p 'a:b' && cp "$prefix/set_env.sh" 'a:b/' && ln -s "$prefix"/[!s]* 'a:b/'
    finding C1 "a prefix with a colon" "$(bash -c '. ./a:b/set_env.sh; echo status $?' 2>&1)" 'a:b' '!' 'status 0'
}

C2() {
    finding C2 "set_env.sh executed" "$(bash "$prefix/set_env.sh" 2>&1; echo status $?)" 'sourced?' '!' 'status 0'
    finding C2 "set_env.sh without PATH" "$(bash -c "PATH=; . $prefix/set_env.sh; echo \$ASCEND_HOME_PATH" 2>&1)" "^$prefix$"
}

C3() { finding C3 "an install without --prefix" "$(grep -hE 'opt/|BELAY_INSTALL_ALIASES|share programs|shared folder' "$source/CMakeLists.txt" "$source"/cmake/*.cmake 2>/dev/null | head -n 2)" '.'; }

C4() {
    finding C4 "a misspelt operator" "$("$belay" eval aclnnSiluBakward 2>&1)" 'aclnnSiluBackward'
    finding C4 "the README's spelling" "$("$belay" ops SiluBackward 2>&1 | head -n 1)" '^aclnnSiluBackward'
    finding C4 "-h" "$("$belay" -h 2>&1; echo "status $?")" 'status 0$'
}

C5() {
    finding C5 "a dtype that is none" "$("$belay" eval aclnnCast --self 1 --dtype float 2>&1)" 'FLOAT'
    finding C5 "complex numbers" "$("$belay" eval aclnnCast --self 1+2j:COMPLEX64 --dtype COMPLEX64 2>&1)" '^1\+2j'
}

C6() {
    cp big.npy 3 2>/dev/null || echo >3
    finding C6 "a number that is a file, too" "$("$belay" eval aclnnCast --self 3 --dtype FLOAT 2>&1 | head -n 1)" '^3$'
    mkdir -p folder
    finding C6 "a folder for a file" "$("$belay" eval aclnnCast --self folder --dtype FLOAT 2>&1)" 'Is a directory'
}

C7() {
    rm -f fifo && mkfifo fifo && chmod +x fifo
    finding C7 "belay run of a pipe" "$(timeout 60 "$belay" run ./fifo 2>&1; echo "status $?")" '!' 'status 124'
}

C8() { finding C8 "control characters" "$("$belay" run $'\e[31m' 2>&1)" 'x1b' '!' $'\e'; }

C9() {
    finding C9 "a file that aclInit cannot open" "$(./mistakes_run init /does/not/exist)" 'No such file'
    echo '{"err_msg_mode": "0", "err_msg_mode": "1"}' >twice.json
    finding C9 "a key that is there twice" "$(./mistakes_run init twice.json)" '!' '^init 0'
}

C10() { finding C10 "a bad environment, ten times" "sentences: $(BELAY_THREADS=none ./mistakes_run ten | grep -o BELAY_THREADS: | wc -l)" '^sentences: 1$'; }

C11() {
    finding C11 "a string for a size" "$(raises TypeError '__import__("acl").rt.malloc("5", 0)')" '^TypeError'
    finding C11 "2**64 beside an array" "$(raises OverflowError 'belay_npu.adds(np.ones(2, np.int64), 2**64)')" '!' 'object'
}

C12() {
    finding C12 "a fork behind the first call" "$(import '
import acl, os
acl.init(); acl.rt.set_device(0)
if os.fork() == 0:
    try: belay_npu.silu(np.ones(2, np.float32))
    except Exception as e: print(e, flush=True)
    os._exit(0)
os.wait()')" 'spawn'
}

C13() {
    finding C13 "a masked array" "$(raises TypeError 'belay_npu.silu(np.ma.array([1.0, 2.0], mask=[True, False]))')" '^(TypeError|ValueError)'
}

# Where the program is to have the libraries itself.
printf '#!/bin/sh\nexec "%s" run ./mistakes "$@" 2>&1\n' "$belay" >mistakes_run && chmod +x mistakes_run

for one in A1 A2 A3 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 C1 C2 C3 C4 C5 C6 C7 C8 C9 C10 C11 C12 C13; do
    [[ $chosen = "  " || $chosen = *" $one "* ]] && $one
done
exit $failed
