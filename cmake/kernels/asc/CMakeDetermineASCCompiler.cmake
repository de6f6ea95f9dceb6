# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The compiler of ASC: bisheng of the installation that this file is in.
if(NOT CMAKE_ASC_COMPILER)
  get_filename_component(root "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
  get_filename_component(root "${root}/../../../.." ABSOLUTE)
  set(CMAKE_ASC_COMPILER "${root}/bin/bisheng" CACHE FILEPATH "Compiler of AscendC")
endif()
if(NOT EXISTS "${CMAKE_ASC_COMPILER}")
  message(FATAL_ERROR "CMAKE_ASC_COMPILER is ${CMAKE_ASC_COMPILER}, which does not exist; bisheng is expected")
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
find_program(CMAKE_AR NAMES ar)
find_program(CMAKE_RANLIB NAMES ranlib)
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in" "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
