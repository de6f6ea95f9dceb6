# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The API fuzzer calls every function that the headers declare: by its name, or as one of the list that the
# library has, whose every entry any_function.c calls.
#   cmake -DTESTS=folder -DBELAY=command -P whole_api.cmake
cmake_minimum_required(VERSION 3.22)

include(${TESTS}/api/declared.cmake)
declared_functions(declared ${TESTS}/../include)

# What stands in comments is not called. The program that races threads is another one.
set(text "")
file(GLOB sources ${TESTS}/fuzz/*.c ${TESTS}/fuzz/*.h)
list(REMOVE_ITEM sources ${TESTS}/fuzz/race.c ${TESTS}/fuzz/configuration.c ${TESTS}/fuzz/environment.c)
foreach(source IN LISTS sources)
  file(READ ${source} one)
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" one "${one}")
  string(APPEND text "${one}")
endforeach()
string(REGEX MATCHALL "([aA]cl|Hccl)[A-Za-z0-9_]+" called "${text}")
list(REMOVE_DUPLICATES called)

# Both phases of what is listed.
if(text MATCHES "[^A-Za-z_]functions\\(&count\\)")
  execute_process(COMMAND ${BELAY} ops OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(^|\n)aclnn[A-Za-z0-9]+" listed "${listed}")
  list(TRANSFORM listed STRIP)
  list(LENGTH listed listed_count)
  list(APPEND called ${listed})
  list(TRANSFORM listed APPEND GetWorkspaceSize)
  list(APPEND called ${listed})
  # These are first phases under a second name: tests/ops/max_workspace.c.
  list(TRANSFORM listed REPLACE "GetWorkspaceSize$" "GetMaxWorkspaceSize")
  list(APPEND called ${listed})
endif()

set(missing ${declared})
list(REMOVE_ITEM missing ${called})
if(missing)
  list(JOIN missing " " missing)
  message(SEND_ERROR "The API fuzzer does not call ${missing}")
endif()
list(LENGTH declared count)
message(STATUS "${count} functions, ${listed_count} of them with both phases by the list")
