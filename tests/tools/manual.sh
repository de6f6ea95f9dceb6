#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# manual.sh BELAY PAGES CC: the manual pages are there for each verb, name every option, and please mandoc and man where
# these are installed; and each example of the help runs as it stands there.
set -uo pipefail
belay=$1 pages=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
fault() {
    echo "$*"
    wrong=$((wrong + 1))
}

mapfile -t verbs < <("$belay" help --complete -- "" | cut -f 1)
[ ${#verbs[@]} -ge 8 ] || fault "there are ${#verbs[@]} verbs"
[ "$(find "$pages" -name '*.1' | wc -l)" -eq $((${#verbs[@]} + 1)) ] || fault "there is not one page for each verb and the command"
for verb in "" "${verbs[@]}"; do
    page=$pages/belay${verb:+-$verb}.1
    # shellcheck disable=SC2086 # no word where there is no verb
    cmp <(sed 1d "$page") <("$belay" help --man $verb | sed 1d) || fault "$page is another one than belay help --man $verb prints"
    # The options that argp adds are its own, and said by --help.
    for option in $("$belay" $verb --help | grep -oE '^ +(-., )?--[a-zA-Z]+' | grep -oE -- '--[a-zA-Z]+' | grep -vxE -- '--(usage|version)'); do
        sed 's/\\-/-/g; s/\\%//g' "$page" | grep -q -- "[B ,]$option" || fault "$page does not name $option"
    done
    if command -v mandoc >/dev/null; then
        mandoc -Tlint "$page" || fault "mandoc finds fault with $page"
    fi
    if command -v man >/dev/null; then
        # The tables of macros that are not installed are none of this page's business.
        complaints=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [ -z "$complaints" ] || fault "man --warnings $page: $complaints"
    fi
done
grep -q '^\.TH BELAY 1 2024-02-29 ' <(SOURCE_DATE_EPOCH=1709164800 "$belay" help --man) || fault "SOURCE_DATE_EPOCH is not looked at"

# What the examples name. Programs that are right, so that belay check has nothing to say.
mkdir -p bin project/build
ln -s "$belay" bin/belay
ln -s "$(command -v python3)" bin/python
ln -s "$cc" bin/cc
export PATH=$work/bin:$PATH
root=$(belay prefix)
[ -e "$root/set_env.sh" ] || set_env=missing
# It tries again what fails.
cat >program <<'END'
#!/bin/sh
for try in 1 2; do
    belay eval cast --self 1 --dtype FLOAT --out one.npy >/dev/null 2>&1 && exit 0
done
exit 1
END
cp program launcher
chmod +x program launcher
echo 'import subprocess; subprocess.check_call(["belay", "info"], stdout=subprocess.DEVNULL)' >train.py
echo 'int main(void) { return 0; }' >program.c
echo 'DC-017 aclrtMalloc' >known.txt
printf 'cmake_minimum_required(VERSION 3.22)\nproject(nothing NONE)\n' >project/CMakeLists.txt
head -c 32 /dev/zero >x.bin
for name in g x; do belay eval cast --self 1 --dtype FLOAT --out $name.npy; done
BELAY_TRACE=$work/timeline.json ./program

examples=0
for verb in "${verbs[@]}"; do
    of_verb=0
    # Each is a line with what it is for in the next one.
    while IFS= read -r line; do
        of_verb=$((of_verb + 1))
        [[ $line != *"man -l"* ]] || command -v man >/dev/null || continue
        [[ $line != *set_env.sh* || -z ${set_env-} ]] || continue # a build folder has none
        folder=.
        [[ $line != *cmake* ]] || folder=project/build
        (cd $folder && bash -c "$line") >out 2>err </dev/null || fault "status $?: $line: $(cat out err)"
    done < <(belay help "$verb" | sed -n '/^Examples:$/,$s/^  \([^ ].*\)/\1/p')
    [ $of_verb -gt 0 ] || fault "the help of $verb has no example"
    examples=$((examples + of_verb))
done
for file in y.npy trace.json step.json step.txt timeline.json reports.json program.o; do
    [ -s $file ] || fault "no example has written $file"
done
echo "${#verbs[@]} verbs, $examples examples, $wrong faults"
[ $wrong -eq 0 ]
