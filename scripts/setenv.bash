# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
# shellcheck shell=bash source=set_env.sh
#
# Source this file: `source <root>/bin/setenv.bash`. Another name of set_env.sh, which the scripts of some toolkits use.
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../set_env.sh"
