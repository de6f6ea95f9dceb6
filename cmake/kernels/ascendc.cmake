# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# What projects of AscendC kernels include: ascendc_library and what belongs to it. A library of kernels is a library of
# C++, whose sources bisheng compiles in the place of the C++ compiler, for the host. SOC_VERSION says what the sources are told
# to run on; RUN_MODE changes nothing else but that cpu defines ASCENDC_CPU_DEBUG.
cmake_policy(PUSH)
cmake_policy(VERSION 3.16...3.25)
get_filename_component(BELAY_KERNEL_ROOT "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(BELAY_KERNEL_ROOT "${BELAY_KERNEL_ROOT}/../../../.." ABSOLUTE)
set(BELAY_BISHENG "${BELAY_KERNEL_ROOT}/bin/bisheng")
if(NOT EXISTS "${BELAY_BISHENG}" OR NOT EXISTS "${BELAY_KERNEL_ROOT}/lib64/libbelay_kernel.so")
  message(FATAL_ERROR "${CMAKE_CURRENT_LIST_FILE} is not in a folder in which Belay is installed: ${BELAY_BISHENG} or "
                      "${BELAY_KERNEL_ROOT}/lib64/libbelay_kernel.so is missing.")
endif()

# What host code that has no kernels is linked with, beside -lascendcl and its like by name.
if(NOT TARGET host_intf_pub)
  add_library(host_intf_pub INTERFACE)
  target_include_directories(host_intf_pub SYSTEM INTERFACE "${BELAY_KERNEL_ROOT}/include")
  target_link_directories(host_intf_pub INTERFACE "${BELAY_KERNEL_ROOT}/lib64")
endif()

# ascendc_library(NAME STATIC|SHARED|OBJECT SOURCES...). For each kernel in the sources there is aclrtlaunch_KERNEL.h, for
# whatever is linked with the library.
function(ascendc_library target)
  cmake_parse_arguments(PARSE_ARGV 1 given "STATIC;SHARED;OBJECT" "" "")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT CXX IN_LIST languages)
    message(FATAL_ERROR "ascendc_library(${target}): the project has no language CXX; kernels are compiled by the C++ compiler")
  endif()
  set(type STATIC)
  foreach(name SHARED OBJECT)
    if(given_${name})
      set(type ${name})
    endif()
  endforeach()
  set(sources)
  foreach(source IN LISTS given_UNPARSED_ARGUMENTS)
    get_filename_component(path "${source}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "ascendc_library(${target}): ${path} does not exist")
    endif()
    list(APPEND sources "${path}")
  endforeach()
  if(NOT sources)
    message(FATAL_ERROR "ascendc_library(${target}): a source is expected")
  endif()
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
  add_library(${target} ${type} ${sources})
  set(options --belay-launchers)
  if(SOC_VERSION)
    list(APPEND options --npu-soc=${SOC_VERSION})
  endif()
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${BELAY_BISHENG};${options};--belay-instead-of"
                                             POSITION_INDEPENDENT_CODE ON CXX_SCAN_FOR_MODULES OFF)
  if(RUN_MODE STREQUAL "cpu")
    target_compile_definitions(${target} PRIVATE ASCENDC_CPU_DEBUG=1)
  endif()
  target_include_directories(${target} SYSTEM PUBLIC "${BELAY_KERNEL_ROOT}/include")
  target_link_directories(${target} PUBLIC "${BELAY_KERNEL_ROOT}/lib64")
  target_link_libraries(${target} PUBLIC "${BELAY_KERNEL_ROOT}/lib64/libbelay_kernel.so"
                                         "${BELAY_KERNEL_ROOT}/lib64/libascendcl.so")

  # The headers of the launches, again when a source has changed.
  set(headers "${CMAKE_BINARY_DIR}/include/${target}")
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${target}_launch_headers.stamp")
  set(folders "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  add_custom_command(OUTPUT "${stamp}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${headers}"
    COMMAND "${BELAY_BISHENG}" "--belay-launch-headers=${headers}" ${options} "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>"
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>"
            --belay-instead-of "${CMAKE_CXX_COMPILER}" ${sources}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS ${sources} COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Launch headers of ${target}")
  add_custom_target(${target}_launch_headers DEPENDS "${stamp}")
  add_dependencies(${target} ${target}_launch_headers)
  file(MAKE_DIRECTORY "${headers}")
  target_include_directories(${target} PUBLIC "${headers}")
endfunction()

# belay_kernel_property(COMMAND TARGET ARGUMENTS...): with PRIVATE where no keyword is given.
function(belay_kernel_property command target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${command}: ${target} is no library that ascendc_library has made")
  endif()
  set(arguments ${ARGN})
  list(GET arguments 0 first)
  if(NOT first MATCHES "^(PRIVATE|PUBLIC|INTERFACE)$")
    list(PREPEND arguments PRIVATE)
  endif()
  if(command STREQUAL "ascendc_include_directories")
    target_include_directories(${target} ${arguments})
  elseif(command STREQUAL "ascendc_compile_definitions")
    list(TRANSFORM arguments REPLACE "^-D" "")
    target_compile_definitions(${target} ${arguments})
  else()
    target_compile_options(${target} ${arguments})
  endif()
endfunction()

function(ascendc_include_directories target)
  belay_kernel_property(ascendc_include_directories ${target} ${ARGN})
endfunction()

function(ascendc_compile_definitions target)
  belay_kernel_property(ascendc_compile_definitions ${target} ${ARGN})
endfunction()

function(ascendc_compile_options target)
  belay_kernel_property(ascendc_compile_options ${target} ${ARGN})
endfunction()

function(ascendc_fatbin_library target)
  message(FATAL_ERROR "ascendc_fatbin_library(${target}): a file of code for the device's cores has no use here, as there is no "
                      "device; ascendc_library makes a library that the host runs")
endfunction()
cmake_policy(POP)
