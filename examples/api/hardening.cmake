# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# What the link must have given the libraries: relocations that are read-only once resolved (RELRO) and resolved
# at once (BIND_NOW), none in the code (TEXTREL), a stack that is not executable, and no search path but the
# library's own folder.
#   cmake -DREADELF=readelf "-DFILES=a.so;b.so" -P hardening.cmake
set(failed 0)
foreach(file IN LISTS FILES)
  execute_process(COMMAND ${READELF} --wide --program-headers --dynamic ${file}
    RESULT_VARIABLE result OUTPUT_VARIABLE text)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "readelf cannot read ${file}")
  endif()
  set(faults "")
  if(NOT text MATCHES "GNU_RELRO")
    list(APPEND faults "no RELRO")
  endif()
  if(NOT text MATCHES "BIND_NOW|\\(FLAGS_1\\)[^\n]*NOW")
    list(APPEND faults "no BIND_NOW")
  endif()
  if(text MATCHES "TEXTREL")
    list(APPEND faults "relocations in the code")
  endif()
  if(NOT text MATCHES "GNU_STACK +[^\n]* RW +0x")
    list(APPEND faults "an executable stack, or none stated")
  endif()
  if(text MATCHES "R(UN)?PATH\\)[^\n]*\\[([^]]*)\\]" AND NOT CMAKE_MATCH_2 STREQUAL "\$ORIGIN")
    list(APPEND faults "the search path ${CMAKE_MATCH_2}")
  endif()
  if(faults)
    message("${file}: ${faults}")
    math(EXPR failed "${failed} + 1")
  endif()
endforeach()
if(failed)
  message(FATAL_ERROR "${failed} libraries are not hardened")
endif()
