# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The API fuzzer calls every function that the headers declare.
#   cmake -DTESTS=folder -P whole_api.cmake
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
string(REGEX MATCHALL "[aA]cl[A-Za-z0-9_]+" called "${text}")
list(REMOVE_DUPLICATES called)

set(missing ${declared})
list(REMOVE_ITEM missing ${called})
if(missing)
  list(JOIN missing " " missing)
  message(SEND_ERROR "The API fuzzer does not call ${missing}")
endif()
list(LENGTH declared count)
message(STATUS "${count} functions")
