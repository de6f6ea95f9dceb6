# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Sets BELAY_HAS_GLOO where libbelay_gloo.so is to be built: the library that libhccl.so opens when ranks are in
# several processes. It is the only one in C++, and all that Gloo is needed for.
set(BELAY_HAS_GLOO OFF)
if(NOT BELAY_GLOO STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    find_package(Gloo CONFIG QUIET)
  endif()
  if(TARGET gloo)
    set(BELAY_HAS_GLOO ON)
  elseif(BELAY_GLOO STREQUAL "AUTO")
    message(STATUS "Belay: Gloo is not found (Debian's libgloo-dev); collectives between processes are left out")
  else()
    message(FATAL_ERROR "BELAY_GLOO is ${BELAY_GLOO}, and Gloo is not found: libgloo-dev is Debian's package for it")
  endif()
endif()
