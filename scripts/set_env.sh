# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# shellcheck shell=sh
#
# Source this file: `. <root>/set_env.sh` or `source <root>/set_env.sh`, in sh, dash, bash, zsh or ksh.
# It names the toolkit root in which it lies by the variables that programs for Ascend NPUs and their build
# scripts read, and puts the root's libraries, Python packages and command first. Sourcing it twice changes nothing more.

_belay_fault=
# Each shell has its own way to say which file is being sourced.
_belay_file=
if [ -n "${BASH_SOURCE:-}" ]; then
    # shellcheck disable=SC3028,SC3054 # bash alone comes here
    _belay_file=$BASH_SOURCE
elif [ -n "${ZSH_VERSION:-}" ]; then
    eval '_belay_file=${(%):-%x}'
elif [ -n "${KSH_VERSION:-}" ] && (eval ': "${.sh.file}"') 2>/dev/null; then
    # Only some Korn shells have this variable; in the others its name is an error that ends the shell.
    eval '_belay_file=${.sh.file}'
fi
if [ ! -f "$_belay_file" ] && [ -r /proc/self/stat ]; then
    # Plain sh does not say, but holds the file open while it reads it; of several, the innermost has the highest
    # number. $$ is the parent's in a subshell; a builtin is told the number of the subshell itself.
    read -r _belay_process _belay_number </proc/self/stat
    _belay_number=-1
    for _belay_link in "/proc/$_belay_process/fd"/*; do
        _belay_target=$(PATH=${PATH:+$PATH:}/usr/bin:/bin readlink "$_belay_link" 2>/dev/null) || continue
        case $_belay_target in
        */set_env.sh)
            if [ "${_belay_link##*/}" -gt "$_belay_number" ]; then
                _belay_number=${_belay_link##*/}
                _belay_file=$_belay_target
            fi
            ;;
        esac
    done
    unset _belay_process _belay_number _belay_link _belay_target
fi

_belay_root=
if [ ! -f "$_belay_file" ]; then
    _belay_fault="this shell does not say where the file lies; source it from bash, zsh or ksh"
else
    _belay_file=$(PATH=${PATH:+$PATH:}/usr/bin:/bin readlink -f "$_belay_file")
    _belay_root=$(CDPATH='' cd -P "${_belay_file%/*}/" >/dev/null && pwd)
    case $_belay_root in
    *[:\;]*) _belay_fault="the folder $_belay_root has a colon or a semicolon in its name, which separate folders in LD_LIBRARY_PATH and PATH; move it" ;;
    esac
    [ -d "$_belay_root/lib64" ] || _belay_fault="${_belay_root:-$_belay_file} is not a folder in which Belay is installed: it has no lib64"
    # What a process of its own sets ends with it.
    if [ -n "${BASH_SOURCE:-}" ]; then
        # shellcheck disable=SC3028
        (return 0 2>/dev/null) || _belay_fault="run as a program it changes nothing; source it: . $_belay_file"
    elif [ -n "${ZSH_VERSION:-}" ]; then
        # shellcheck disable=SC2154 # zsh's
        case $ZSH_EVAL_CONTEXT in
        *:file*) ;;
        *) _belay_fault="run as a program it changes nothing; source it: . $_belay_file" ;;
        esac
    else
        case $0 in
        *set_env.sh)
            [ "$(PATH=${PATH:+$PATH:}/usr/bin:/bin readlink -f "$0")" != "$_belay_file" ] ||
                _belay_fault="run as a program it changes nothing; source it: . $_belay_file"
            ;;
        esac
    fi
fi

if [ -n "$_belay_fault" ]; then
    echo "set_env.sh: $_belay_fault" >&2
    unset _belay_file _belay_root _belay_fault
    # shellcheck disable=SC2317
    return 1 2>/dev/null || exit 1
fi

export ASCEND_HOME_PATH="$_belay_root"
export ASCEND_TOOLKIT_HOME="$_belay_root"
export TOOLCHAIN_HOME="$_belay_root"
export ASCEND_AICPU_PATH="$_belay_root"
export ASCEND_OPP_PATH="$_belay_root/opp"
# An empty entry would mean the current folder, so nothing is appended to an unset variable.
case ":${LD_LIBRARY_PATH:-}:" in
*":$_belay_root/lib64:"*) ;;
*) export LD_LIBRARY_PATH="$_belay_root/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;
esac
# MindSpore finds the root by the path of a library that has been loaded: by a folder in it that is called latest.
case ":$LD_LIBRARY_PATH:" in
*":$_belay_root/latest/lib64:"*) ;;
*) [ ! -d "$_belay_root/latest/lib64" ] || export LD_LIBRARY_PATH="$_belay_root/latest/lib64:$LD_LIBRARY_PATH" ;;
esac
case ":${PATH:-}:" in
*":$_belay_root/bin:"*) ;;
*) export PATH="$_belay_root/bin:$_belay_root/tools/profiler/bin${PATH:+:$PATH}" ;;
esac
case ":${PYTHONPATH:-}:" in
*":$_belay_root/python/site-packages:"*) ;;
*) export PYTHONPATH="$_belay_root/python/site-packages${PYTHONPATH:+:$PYTHONPATH}" ;;
esac
case ":${PKG_CONFIG_PATH:-}:" in
*":$_belay_root/lib64/pkgconfig:"*) ;;
*) export PKG_CONFIG_PATH="$_belay_root/lib64/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}" ;;
esac
case ":${CMAKE_PREFIX_PATH:-}:" in
*":$_belay_root:"*) ;;
*) export CMAKE_PREFIX_PATH="$_belay_root${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}" ;;
esac
unset _belay_file _belay_root _belay_fault
