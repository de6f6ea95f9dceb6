# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# src/simd/maths/README.md names every header of its folder, and no function or header that is not there.
#   cmake -DSOURCE=folder -P maths_table.cmake
cmake_minimum_required(VERSION 3.22)

set(folder ${SOURCE}/src/simd/maths)
file(READ ${folder}/README.md page)
set(code "")
file(GLOB headers ${folder}/*.h)
foreach(header IN LISTS headers)
  get_filename_component(name ${header} NAME)
  string(FIND "${page}" "${name}" place)
  if(place EQUAL -1)
    message(SEND_ERROR "src/simd/maths/README.md does not name ${name}")
  endif()
  file(READ ${header} text)
  string(APPEND code "${text}")
endforeach()
foreach(file src/simd/loops/row.h src/simd/loops/row_exponential.h src/ops/attention/kernels.c)
  file(READ ${SOURCE}/${file} text)
  string(APPEND code "${text}")
endforeach()

string(REGEX MATCHALL "`[A-Za-z][A-Za-z0-9_]*`" names "${page}")
list(LENGTH names count)
if(count LESS 40)
  message(SEND_ERROR "src/simd/maths/README.md names ${count} functions; 40 or more are expected")
endif()
foreach(name IN LISTS names)
  string(REPLACE "`" "" name ${name})
  # A word of prose in code marks is none of them.
  if(NOT name MATCHES "^(P|ulp)$" AND NOT code MATCHES "[^A-Za-z0-9_]${name}\\(")
    message(SEND_ERROR "src/simd/maths/README.md names ${name}, which no header of the maths defines")
  endif()
endforeach()
