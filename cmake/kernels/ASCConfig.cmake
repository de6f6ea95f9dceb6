# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# find_package(ASC) of projects that look for it here: the functions for operator projects are known from here on.
include("${CMAKE_CURRENT_LIST_DIR}/operators.cmake")
list(APPEND CMAKE_MODULE_PATH "${BELAY_KERNEL_ROOT}/tools/tikcpp/asc")
set(ASC_FOUND TRUE)
