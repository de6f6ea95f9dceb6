# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# find_package(Belay) gives Belay::ascendcl (runtime), Belay::nnopbase (tensors, executors), Belay::opapi
# (operators, which brings the other two) and Belay::hccl (collectives). BELAY_ROOT is the toolkit root, as ASCEND_HOME_PATH names it.
include("${CMAKE_CURRENT_LIST_DIR}/BelayTargets.cmake")
get_filename_component(BELAY_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Belay_FOUND TRUE)
foreach(component IN LISTS Belay_FIND_COMPONENTS)
  if(NOT TARGET Belay::${component} AND Belay_FIND_REQUIRED_${component})
    set(Belay_FOUND FALSE)
    set(Belay_NOT_FOUND_MESSAGE "Belay has no component ${component}; ascendcl, nnopbase, opapi and hccl exist")
  endif()
endforeach()
