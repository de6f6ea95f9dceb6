# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# bash: what can follow in a line of belay. The command itself knows (belay help --complete); this hands it the words.

_belay() {
    # bash takes = and : for ends of words; what stands together is one word to the command.
    local words=() begins=() i piece
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]}
        if ((${#words[@]} > 0)) && [[ $piece == [=:]* || ${words[-1]} == *[=:] ]]; then
            words[-1]+=$piece
        else
            words+=("$piece") begins+=("$i")
        fi
    done
    local word=${words[-1]} end=${COMP_WORDS[COMP_CWORD]} line at
    [[ $end != [=:]* ]] || end=
    local before=${word%"$end"}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files)
            compopt -o filenames 2>/dev/null
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$end")
            ;;
        ":program "*)
            at=${begins[${line#:program }]}
            if declare -F _comp_command_offset >/dev/null; then
                _comp_command_offset "$at"
            elif declare -F _command_offset >/dev/null; then
                _command_offset "$at"
            else
                compopt -o filenames 2>/dev/null
                ((at < COMP_CWORD)) || while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -c -- "$end")
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$end")
            fi
            ;;
        *)
            line=${line%%$'\t'*}
            COMPREPLY+=("${line#"$before"}")
            ;;
        esac
    done < <("${words[0]}" help --complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _belay belay belay-npu
