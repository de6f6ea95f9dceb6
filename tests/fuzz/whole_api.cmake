# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The API fuzzer calls every function that the libraries export (tests/api/exports).
#   cmake -DTESTS=folder -P whole_api.cmake
cmake_minimum_required(VERSION 3.22)

set(exported "")
file(GLOB lists ${TESTS}/api/exports/*.symbols)
foreach(list IN LISTS lists)
  file(STRINGS ${list} names)
  list(APPEND exported ${names})
endforeach()

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

set(missing ${exported})
list(REMOVE_ITEM missing ${called})
if(missing)
  list(JOIN missing " " missing)
  message(SEND_ERROR "The API fuzzer does not call ${missing}")
endif()
list(LENGTH exported count)
message(STATUS "${count} functions")
