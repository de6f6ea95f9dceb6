#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Packages of operators with damaged files, two with the same operator, and sizes that no memory has: a sentence for each.
#   operators_damaged.sh BUILD PACKAGES WORK
# PACKAGES is the folder of operators.sh, which has built them.
set -euo pipefail
build=$1 packages=$2 work=$3
belay=$build/bin/belay
failed=0
rm -rf "$work"
mkdir -p "$work/opp/vendors"
cd "$work"
export LD_LIBRARY_PATH=$build/lib64 BELAY_SOC=Ascend910B3
unset ASCEND_OPP_PATH ASCEND_CUSTOM_OPP_PATH
printf '\0\0\200\77' >one.bin

# expect WHAT PATTERN TEXT
expect() {
    if ! grep -qE -- "$2" <<<"$3"; then
        printf '%s: %s is expected, and not:\n%s\n' "$1" "$2" "$3"
        failed=1
    fi
}
mistake() { "$belay" eval Mistakes --varRef one.bin:FLOAT:1 --kind "$1" 2>&1 || echo "status $?"; }

good=$packages/own/vendors/parts
kernel=op_impl/ai_core/tbe/kernel/ascend910b/mistakes/Mistakes_0.so
host=$(cd "$good" && ls op_impl/ai_core/tbe/op_tiling/lib/linux/*/libcust_opmaster_rt2.0.so)
export ASCEND_CUSTOM_OPP_PATH=:$good:
expect "a right one" '^2$' "$(mistake 0)"

# damage FILE HOW: a package with one file that is empty, a text, cut, another library, or missing.
damage() {
    rm -rf damaged
    cp -r "$good" damaged
    case $2 in
    empty) : >"damaged/$1" ;;
    text) head -c 300 "$0" >"damaged/$1" ;;
    cut) head -c 9000 "$good/$1" >"damaged/$1" ;;
    other) cp -L "$build/lib64/libascendcl.so" "damaged/$1" ;;
    missing) rm "damaged/$1" ;;
    esac
}
# A relative path, which is looked for from where the program runs.
export ASCEND_CUSTOM_OPP_PATH=damaged
for case in "$kernel empty the kernel for var FLOAT cannot be loaded: .*file too short" \
    "$kernel text the kernel for var FLOAT cannot be loaded: .*Mistakes_0.so: the file is no library, or a part of one" \
    "$kernel cut the kernel for var FLOAT cannot be loaded: .*Mistakes_0.so: the file is no library, or a part of one" \
    "$kernel other the kernel for var FLOAT cannot be loaded: it has no entry" \
    "$kernel missing the kernel for var FLOAT is missing: there is no .*Mistakes_0.so" \
    "$host empty there is no operator Mistakes.*cannot be used: the library of op_host cannot be loaded: .*too short" \
    "$host cut there is no operator Mistakes.*cannot be used: the library of op_host cannot be loaded: .*a part of one" \
    "$host other there is no operator Mistakes.*cannot be used: the library of op_host in .*registers no operator" \
    "op_api/lib/libcust_opapi.so empty there is no operator Mistakes.*libcust_opapi.so: file too short" \
    "op_api/lib/libcust_opapi.so cut there is no operator Mistakes.*libcust_opapi.so: the file is no library, or a part" \
    "op_api/lib/libcust_opapi.so missing there is no operator Mistakes.*libcust_opapi.so: cannot open"; do
    read -r file how sentence <<<"$case"
    damage "$file" "$how"
    expect "$file, $how" "$sentence" "$(mistake 0)"
done

# The first vendor that has an operator is the one whose it is; a vendor that is not there counts for nothing.
damage "$kernel" missing
cp -r "$good" opp/vendors/whole
mv damaged opp/vendors/hollow
unset ASCEND_CUSTOM_OPP_PATH
export ASCEND_OPP_PATH=opp
echo "load_priority=absent,whole,hollow" >opp/vendors/config.ini
expect "the whole one first" '^2$' "$(mistake 0)"
expect "a list that has it once" '^1$' "$("$belay" ops --names | grep -c '^aclnnMistakes$')"
echo "load_priority=hollow,whole" >opp/vendors/config.ini
expect "the hollow one first" 'the kernel for var FLOAT is missing: .*hollow' "$(mistake 0)"
echo "load_priority=$(printf 'absent%.0s,' {1..300})whole" >opp/vendors/config.ini
expect "a long list" '^2$' "$(mistake 0)"

# Sizes that no memory has, and sums that cannot be counted.
expect "a workspace" 'asks for workspaces of 18446744073709551615 bytes; 281474976710656 at most' "$(mistake 9)"
expect "two workspaces" 'asks for workspaces of 18446744073709551615 bytes; 281474976710656 at most' "$(mistake 10)"
expect "what is appended to large data" 'the tiling data have 18446744073709551615 bytes; 65536' "$(mistake 11)"

# The function has the parameters of the first product, whatever the others say.
expect "a product with words of its own" 'aclnnUntiled: no tiling function is registered' \
    "$("$belay" eval Untiled --x one.bin:FLOAT:1 --nOptional 1 2>&1 || true)"
exit $failed
