# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Sets BELAY_HAS_GLOO where libbelay_gloo.so is to be built: the library that libhccl.so opens when ranks are in
# several processes. It is the only one in C++, and all that Gloo is needed for. The target `gloo` is then the
# system's Gloo or, of the sources in BELAY_GLOO_SOURCE, its transport over TCP, which libbelay_gloo.so takes in.
set(BELAY_HAS_GLOO OFF)
if(NOT BELAY_GLOO STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
  endif()
  if(BELAY_GLOO_SOURCE)
    if(NOT CMAKE_CXX_COMPILER OR NOT EXISTS ${BELAY_GLOO_SOURCE}/gloo/transport/tcp/pair.cc)
      message(FATAL_ERROR "BELAY_GLOO_SOURCE is ${BELAY_GLOO_SOURCE}: it must have gloo/transport/tcp, and needs C++")
    endif()
    get_filename_component(gloo_source ${BELAY_GLOO_SOURCE} ABSOLUTE)
    file(GLOB gloo_files ${gloo_source}/gloo/transport/*.cc ${gloo_source}/gloo/transport/tcp/*.cc)
    list(APPEND gloo_files ${gloo_source}/gloo/common/linux.cc ${gloo_source}/gloo/common/logging.cc)
    # Its warnings are not ours to mend, and programs in C lack what that sanitizer needs for C++.
    set_source_files_properties(${gloo_files} PROPERTIES COMPILE_OPTIONS "-w;-fno-sanitize=undefined")
    add_library(gloo OBJECT ${gloo_files}) # wheels are built where no archiver is
    target_include_directories(gloo SYSTEM PUBLIC ${gloo_source})
    # What it says names its files, as from its own folder.
    target_compile_options(gloo PUBLIC -ffile-prefix-map=${gloo_source}/=)
    target_link_libraries(gloo PRIVATE belay_flags)
  elseif(CMAKE_CXX_COMPILER)
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
