#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# run.sh BELAY CC: belay run gets the libraries to programs that are made for another toolkit and insist on its folder,
# in each way in which programs do that. The other toolkit's library answers 42 where Belay's answers 0.
set -uo pipefail
belay=$1 cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset LD_LIBRARY_PATH LD_PRELOAD
wrong=0

# answers STATUS COMMAND...
answers() {
    local status=$1 actual
    shift
    "$@" >out 2>err </dev/null
    actual=$?
    [ "$actual" -eq "$status" ] && return
    echo "status $actual, not $status: $*"
    cat out err
    wrong=$((wrong + 1))
}

mkdir vendor own
echo 'int aclrtGetVersion(int *a, int *b, int *c) { return *a = *b = *c = 42; }' >vendor.c
echo 'int aclrtGetVersion(int *, int *, int *); int ask(void) { int a, b, c; return aclrtGetVersion(&a, &b, &c); }' >ask.c
echo 'int ask(void); int ask_for_another(void) { return ask(); }' >middle.c
echo 'int ask(void); int main(void) { return ask(); }' >main.c
echo 'int ask_for_another(void); int main(void) { return ask_for_another(); }' >main_of_middle.c
echo '#include <dlfcn.h>
int main(int argc, char **argv) { void *library = dlopen(argv[argc - 1], RTLD_NOW); return library ? ((int (*)(void))dlsym(library, "ask"))() : 1; }' >open.c
rpath=-Wl,--disable-new-dtags,-rpath,
runpath=-Wl,--enable-new-dtags,-rpath,
{
    "$cc" -shared -fPIC vendor.c -o vendor/libascendcl.so -Wl,-soname,libascendcl.so &&
    "$cc" main.c ask.c -o runpath -Lvendor -lascendcl "$runpath$work/vendor" &&
    "$cc" main.c ask.c -o rpath -Lvendor -lascendcl "$rpath$work/vendor" &&
    "$cc" -shared -fPIC ask.c -o own/libown.so -Lvendor -lascendcl "$rpath\$ORIGIN/../vendor" &&
    "$cc" main.c -o own_library -Lown -lown "$runpath$work/own" &&
    "$cc" -shared -fPIC middle.c -o own/libmiddle.so -Lown -lown "$runpath\$ORIGIN" &&
    "$cc" main_of_middle.c -o middle -Lown -lmiddle "$runpath\$ORIGIN/own" -Wl,-rpath-link,own -Wl,-rpath-link,vendor &&
    "$cc" open.c -o open -ldl
} || exit 1

# The cases are real: without the command all of them end in the other toolkit.
for program in ./runpath ./rpath ./own_library ./middle "./open own/libown.so"; do
    # shellcheck disable=SC2086 # words
    answers 42 $program
done
for program in ./runpath ./rpath ./own_library ./middle; do
    answers 0 "$belay" run "$program"
    answers 0 "$belay" run -p "$program"
done
# What is opened later, or started by a script, is not looked at: -p is for that.
answers 0 "$belay" run -p ./open own/libown.so
answers 42 "$belay" check ./open own/libown.so
answers 0 "$belay" check -p ./open own/libown.so
printf '#!/bin/sh\nexec ./rpath\n' >script
printf '#!%s/rpath\n' "$work" >interpreted
printf '#!/usr/bin/env own_library\n' >by_env
chmod +x script interpreted by_env
answers 0 "$belay" run -p ./script
answers 0 "$belay" run ./interpreted
answers 0 env PATH="$work:$PATH" "$belay" run ./by_env
answers 0 "$belay" run -p env
for name in ascendcl nnopbase opapi hccl acl_rt opapi_nn; do
    grep -q "^LD_PRELOAD=.*/lib$name.so" out || { echo "-p does not preload lib$name.so"; wrong=$((wrong + 1)); }
done
# A program may bring a library of its own that has the name of one without functions.
for name in graph platform; do
    grep -q "^LD_PRELOAD=.*/lib$name.so" out && { echo "-p preloads lib$name.so"; wrong=$((wrong + 1)); }
done
# A program that needs nothing gets nothing; what may start Python gets the one library that PyTorch needs.
answers 0 "$belay" run env
grep -q "^LD_PRELOAD=[^:]*/libbelay_torch.so$" out || { echo "env is not ready for PyTorch"; wrong=$((wrong + 1)); }
grep -q "^BELAY_ABSENT=report$" out || { echo "what is absent is not asked for"; wrong=$((wrong + 1)); }
cp "$(command -v env)" printenv
answers 0 "$belay" run ./printenv
grep -q "^LD_PRELOAD=" out && { echo "a program that needs nothing gets preloads"; wrong=$((wrong + 1)); }
CUDA_VISIBLE_DEVICES=0 answers 0 "$belay" run env
if [ -e /dev/nvidiactl ]; then
    grep -q "^CUDA_VISIBLE_DEVICES=$" out && grep -q "refuses to run beside a GPU" err || {
        echo "the GPU is not hidden"; wrong=$((wrong + 1)); }
else
    grep -q "^CUDA_VISIBLE_DEVICES=0$" out || { echo "CUDA_VISIBLE_DEVICES is changed without a GPU"; wrong=$((wrong + 1)); }
fi

# A GPU, as the kernel shows one, in a tree of files of our own; not everyone may have such a tree.
with_gpu() {
    unshare -m sh -c 'mount -t tmpfs none /proc/driver && mkdir /proc/driver/nvidia && exec "$@"' sh "$@"
}
if with_gpu true 2>/dev/null; then
    CUDA_VISIBLE_DEVICES=3 answers 0 with_gpu "$belay" run env
    grep -q "^CUDA_VISIBLE_DEVICES=$" out && grep -q "refuses to run beside a GPU" err ||
        { echo "the GPU is not hidden"; wrong=$((wrong + 1)); }
    CUDA_VISIBLE_DEVICES=-1 answers 0 with_gpu "$belay" run env
    grep -q "^CUDA_VISIBLE_DEVICES=-1$" out && [ ! -s err ] || { echo "a hidden GPU is hidden"; wrong=$((wrong + 1)); }
    CUDA_VISIBLE_DEVICES=3 answers 0 with_gpu "$belay" run ./printenv
    grep -q "^CUDA_VISIBLE_DEVICES=3$" out || { echo "a GPU is hidden from a program in C"; wrong=$((wrong + 1)); }
fi

# Folders that the loader's lists cannot hold.
root=$(cd "$(dirname "$belay")/.." && pwd -P)
for folder in "with space" with:colon "with;semicolon"; do
    mkdir "$folder" "$folder/bin" && cp "$root/bin/belay" "$folder/bin" && cp -r "$root/lib64" "$folder" || exit 1
done
echo 'no library' | tee "with space/lib64/README" >"with space/lib64/broken.so"
answers 0 "with space/bin/belay" run ./runpath
mkdir bare bare/bin && cp "$root/bin/belay" bare/bin || exit 1
LD_LIBRARY_PATH=$root/lib64 answers 1 bare/bin/belay run -p env
grep -q "bare/lib64 has no libraries" err || { echo "the missing folder is not named"; wrong=$((wrong + 1)); }
mkdir bare/lib64 && touch bare/lib64/README
LD_LIBRARY_PATH=$root/lib64 answers 1 bare/bin/belay run -p env
answers 1 "with space/bin/belay" run -p ./runpath
grep -q "a space in it, which the loader cannot take" err || { echo "the space is not named"; wrong=$((wrong + 1)); }
# The command itself finds its libraries by $ORIGIN, which the loader replaces before it splits at colons.
for folder in with:colon "with;semicolon"; do
    LD_LIBRARY_PATH=$root/lib64 answers 1 "$folder/bin/belay" run ./runpath
    LD_LIBRARY_PATH=$root/lib64 answers 1 "$folder/bin/belay" check ./runpath
done

# What the loader does not reach is named, and runs.
warns() {
    answers 0 "$belay" run "$1"
    grep -q "$2" err || { echo "no word of $2:"; cat err; wrong=$((wrong + 1)); }
}
echo 'int main(void) { return 0; }' >plain.c
if "$cc" -static plain.c -o static 2>/dev/null; then
    warns ./static "./static is statically linked"
fi
"$cc" plain.c -o plain && answers 0 "$belay" run ./plain
[ ! -s err ] || { echo "a plain program is warned of"; cat err; wrong=$((wrong + 1)); }
cp plain set_id
if [ "$(id -u)" -eq 0 ] && chown 65534 set_id && chmod 4755 set_id; then
    chmod 755 .
    warns ./set_id "./set_id has more rights than its user"
fi

echo "$wrong faults"
[ "$wrong" -eq 0 ]
