# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# custom_opp_SYSTEM_MACHINE.run: a script with the package behind it, which copies it to the toolkit's opp folder, or to
# --install-path.
#   cmake -DNAME=vendor -DFOLDER=packages -DTO=folder -DMACHINE=x86_64 -P operators_package.cmake
set(package "${FOLDER}/vendors/${NAME}")
file(WRITE "${package}/bin/set_env.bash" [[
#!/bin/bash
# . set_env.bash: the operators of this package are found.
ASCEND_CUSTOM_OPP_PATH=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)${ASCEND_CUSTOM_OPP_PATH:+:$ASCEND_CUSTOM_OPP_PATH}
export ASCEND_CUSTOM_OPP_PATH
export LD_LIBRARY_PATH=${ASCEND_CUSTOM_OPP_PATH%%:*}/op_api/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
]])
set(system linux)
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release line REGEX "^ID=")
  string(REGEX REPLACE "^ID=\"?([a-z]+).*" "\\1" system "${line}")
endif()
set(run "${TO}/custom_opp_${system}_${MACHINE}.run")
file(MAKE_DIRECTORY "${TO}")
string(CONFIGURE [[
#!/bin/sh
# Installs the operators of @NAME@: [--quiet] [--install-path=FOLDER]
set -e
name=@NAME@ to= quiet=
for option in "$@"; do
    case $option in
    --install-path=*) to=${option#*=} ;;
    --quiet) quiet=yes ;;
    *) echo "$0: $option is no option; --quiet and --install-path=FOLDER are" >&2; exit 2 ;;
    esac
done
opp=$to
if [ -z "$opp" ]; then
    opp=${ASCEND_OPP_PATH-}
    [ -n "$opp" ] || { echo "$0: ASCEND_OPP_PATH is not set; . set_env.sh of the toolkit, or --install-path=FOLDER" >&2; exit 1; }
fi
mkdir -p "$opp/vendors"
sed '1,/^__PACKAGE__$/d' "$0" | tar -xf - -C "$opp/vendors"
if [ -z "$to" ]; then
    ini=$opp/vendors/config.ini
    others=$(sed -n 's/^load_priority=//p' "$ini" 2>/dev/null | tr ',' '\n' | grep -vx "$name" | paste -sd, - || true)
    echo "load_priority=$name${others:+,$others}" >"$ini"
elif [ -z "$quiet" ]; then
    echo ". $opp/vendors/$name/bin/set_env.bash makes its operators found"
fi
[ -n "$quiet" ] || echo "$opp/vendors/$name is installed"
exit 0
__PACKAGE__
]] script @ONLY)
string(REGEX REPLACE "^\n" "" script "${script}")
file(WRITE "${run}.head" "${script}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar cf "${run}.tar" ${NAME} WORKING_DIRECTORY "${FOLDER}/vendors"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" -E cat "${run}.head" "${run}.tar" OUTPUT_FILE "${run}" COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE "${run}.head" "${run}.tar")
file(CHMOD "${run}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
