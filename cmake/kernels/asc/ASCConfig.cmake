# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# find_package(ASC): the language ASC, whose sources end in .asc and are compiled by bisheng, is known from here on.
get_filename_component(ASC_DIR "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
list(APPEND CMAKE_MODULE_PATH "${ASC_DIR}")
include("${ASC_DIR}/../ascendc_kernel_cmake/operators.cmake")
set(ASC_FOUND TRUE)
