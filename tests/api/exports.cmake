# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# A library exports the functions that the installed headers of one folder declare, those of FAMILY alone where the
# library is another name of it, and beside them only the private bridge (belay_*): nothing that could clash with a
# program's names, nothing that is declared and missing, and nothing that no header declares. The exceptions are
# UNLISTED, functions that frameworks ask for and no header declares, and the names in the file ABSENT that refuse (those
# behind a line "= REASON"), which are weak where the library has no such function.
# A library that no program links has no FOLDER. DECLARED holds what declared.cmake found there.
#   cmake -DNM=nm -DLIBRARY=lib.so [-DFOLDER=include/aclnnop -DDECLARED=FILE] [-DFAMILY=REGEX] [-DUNLISTED=NAMES]
#         [-DABSENT=FILE] -P exports.cmake
cmake_minimum_required(VERSION 3.22)

set(absent "")
if(DEFINED ABSENT)
  file(STRINGS ${ABSENT} lines REGEX "^[-=A-Z]")
  foreach(line IN LISTS lines)
    if(line MATCHES "^([-=]) ")
      set(group ${CMAKE_MATCH_1})
    elseif(group STREQUAL "=")
      string(REGEX MATCHALL "[A-Za-z0-9]+" names "${line}")
      foreach(name IN LISTS names)
        list(APPEND absent aclnn${name} aclnn${name}GetWorkspaceSize)
      endforeach()
    endif()
  endforeach()
  list(LENGTH absent count)
  if(count LESS 20)
    message(SEND_ERROR "${ABSENT} has only ${count} functions")
  endif()
endif()

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
    if(NOT kind STREQUAL "T" AND NOT (kind STREQUAL "W" AND name IN_LIST absent))
      message(SEND_ERROR "${name} is exported as ${kind}; only functions (T) are expected")
    endif()
  endif()
endforeach()

set(expected)
if(DEFINED FOLDER)
  file(STRINGS ${DECLARED} expected)
endif()
string(REPLACE "," ";" UNLISTED "${UNLISTED}")
list(APPEND expected ${UNLISTED} ${absent})
list(REMOVE_DUPLICATES expected)
if(DEFINED FAMILY)
  list(FILTER expected INCLUDE REGEX "${FAMILY}")
endif()
list(LENGTH expected count)
if(DEFINED FOLDER AND NOT DEFINED FAMILY AND count LESS 10)
  message(SEND_ERROR "${FOLDER} declares only ${count} functions")
endif()
set(missing ${expected})
list(REMOVE_ITEM missing ${found})
list(REMOVE_ITEM found ${expected})
if(missing)
  list(JOIN missing " " missing)
  message(SEND_ERROR "not exported, though ${FOLDER} declares it, or UNLISTED has it: ${missing}")
endif()
if(found)
  list(JOIN found " " found)
  message(SEND_ERROR "exported, but not declared in ${FOLDER}, nor UNLISTED: ${found}")
endif()
