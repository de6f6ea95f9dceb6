# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The functions that a library exports are those of the checked-in list, and beside them only the private bridge
# (belay_*): nothing that could clash with a program's names, and nothing that vanishes unnoticed.
#   cmake -DNM=nm -DLIBRARY=lib.so -DLIST=lib.symbols -P exports.cmake
execute_process(COMMAND ${NM} --dynamic --defined-only ${LIBRARY} RESULT_VARIABLE result OUTPUT_VARIABLE text)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "nm cannot read ${LIBRARY}")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${text}")
set(found "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^.* ([A-Za-z]) ([^ @]+).*$" "\\1;\\2" parts "${line}")
  list(GET parts 0 kind)
  list(GET parts 1 name)
  # Sanitizers mark exported variables.
  if(NOT name MATCHES "^(belay_|__odr_asan(_gen)?_?\\.?belay_)")
    list(APPEND found ${name})
    if(NOT kind STREQUAL "T")
      message(SEND_ERROR "${name} is exported as ${kind}; only functions (T) are expected")
    endif()
  endif()
endforeach()
file(STRINGS ${LIST} expected)
set(missing ${expected})
list(REMOVE_ITEM missing ${found})
list(REMOVE_ITEM found ${expected})
if(missing)
  list(JOIN missing " " missing)
  message(SEND_ERROR "not exported: ${missing}")
endif()
if(found)
  list(JOIN found " " found)
  message(SEND_ERROR "exported, but not in ${LIST}: ${found}")
endif()
