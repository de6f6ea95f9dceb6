# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# find_package(tikicpulib) where CMAKE_PREFIX_PATH names the folder that Belay is installed in, as set_env.sh has it.
include("${CMAKE_CURRENT_LIST_DIR}/../../../tools/tikicpulib/lib/cmake/tikicpulib-config.cmake")
