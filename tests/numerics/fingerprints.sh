#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Writes a header with a hash for each operator: the upper half of the code of its kernels on every level, the
# lower half of what judges them, without the references of other families (family.h).
#
#   fingerprints.sh HEADER FAMILY=STEM,STEM,... --judge OBJECT... --kernels OBJECT...
#
# An object FAMILY.c.o or SOMETHING_FAMILY.c.o is that family's. families.c.o and family_judges.c.o, the lists
# of them, are nobody's.
set -eu
header=$1
shift
code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT
families=
kind=
stems=
for argument; do
    case $argument in
    --judge | --kernels) kind=${argument#--} ;;
    *=*) families="$families $argument" ;;
    *)
        # The library's folder tells the levels apart: .../LIBRARY.dir/FOLDER OF THE SOURCE/OBJECT.
        folder=$(basename "${argument%%.dir/*}").dir
        # Without what a comment changes, the lines of the source, and in an order that no folder's name changes.
        objcopy --strip-debug "$argument" "$code/$kind-${folder}_$(basename "$argument")"
        [ "$kind" = judge ] || stems="$stems $(basename "$argument" .c.o)"
        ;;
    esac
done
rm -f "$code"/judge-*_families.c.o "$code"/judge-*_family_judges.c.o

# The family of a stem, first for none.
family_of() {
    for family in $families; do
        case ,${family#*=}, in *,"$1",*) echo "${family%%=*}" && return ;; esac
    done
    echo first
}

# What judges a family: all objects but those of the others.
judges_of() {
    for object in "$code"/judge-*; do
        for family in $families; do
            name=${family%%=*}
            [ "$name" = "$1" ] || case $object in *_"$name".c.o) continue 2 ;; esac
        done
        echo "$object"
    done
}

{
    echo '/* SPDX-License-Identifier: Apache-2.0 */'
    echo '/* Made by tests/numerics/fingerprints.sh. */'
    echo 'static const struct {'
    echo '    const char *stem;'
    echo '    unsigned long long hash;'
    echo '} fingerprints[] = {'
    for stem in $(printf '%s\n' $stems | sort -u); do
        # In a shell a pipe has the status of its end: without an object the hash would be that of nothing.
        cat "$code"/kernels-*.dir_"$stem".c.o >"$code/all"
        kernels=$(sha256sum <"$code/all" | cut -c 1-8)
        # No path has a blank: they are made above.
        judges=$(cat $(judges_of "$(family_of "$stem")") | sha256sum | cut -c 1-8)
        echo "    {\"$stem\", 0x$kernels$judges},"
    done
    echo '};'
} >"$header"
