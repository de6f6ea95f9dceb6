# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# shellcheck shell=bash source=set_env.sh
#
# Source this file: `source <root>/bin/setenv.bash`. Another name of set_env.sh, which the scripts of some toolkits use.
if ! (return 0 2>/dev/null); then
    echo "setenv.bash: run as a program it changes nothing; source it: . ${BASH_SOURCE[0]}" >&2
    exit 1
fi
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../set_env.sh"
