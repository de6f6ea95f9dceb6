# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Which functions there are is said in several places, and all agree: the headers declare what the libraries export,
# that is the names of the checked-in lists, each in one library; what refuses by its name is tested to do so; and no
# function is missing that the document NAMES has a prototype of.
#   cmake -DSOURCE=folder -DNAMES=document -P names.cmake
cmake_minimum_required(VERSION 3.22)

# compare(LEFT RIGHT MESSAGE): complains of what stands in the list LEFT and not in RIGHT.
function(compare left right message)
  set(more ${${left}})
  list(REMOVE_ITEM more ${${right}})
  if(more)
    list(JOIN more " " more)
    message(SEND_ERROR "${message}: ${more}")
  endif()
endfunction()

# functions(OUTPUT TEXT): the names in front of a parenthesis.
function(functions output text)
  string(REGEX MATCHALL "[aA]cl[A-Za-z0-9_]*\\(" found "${text}")
  string(REPLACE "(" "" found "${found}")
  list(REMOVE_DUPLICATES found)
  set(${output} ${found} PARENT_SCOPE)
endfunction()

set(exported "")
file(GLOB lists ${SOURCE}/tests/api/exports/*.symbols)
foreach(list IN LISTS lists)
  file(STRINGS ${list} names)
  foreach(name IN LISTS names)
    if(name IN_LIST exported)
      message(SEND_ERROR "${name} is exported by two libraries")
    endif()
    list(APPEND exported ${name})
  endforeach()
endforeach()

set(text "")
file(GLOB_RECURSE headers ${SOURCE}/include/*.h)
foreach(header IN LISTS headers)
  file(READ ${header} content)
  # Comments speak of functions too.
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" content "${content}")
  string(REGEX REPLACE "//[^\n]*" "" content "${content}")
  string(APPEND text "${content}")
endforeach()
functions(declared "${text}")
compare(declared exported "declared in a header, but not exported")
compare(exported declared "exported, but declared in no header")

file(READ ${SOURCE}/src/runtime/unsupported.c text)
string(REGEX MATCHALL "\nUNSUPPORTED(_VALUE\\([^,]*|_VOID|)[(,][ \n]*acl[A-Za-z0-9_]*" refused "${text}")
string(REGEX REPLACE "[^;]*[(, \n](acl[A-Za-z0-9_]*)(;|$)" "\\1\\2" refused "${refused}")
file(READ ${SOURCE}/tests/api/not_supported.c text)
string(REGEX MATCHALL "(STATUS|OBJECT|NUMBER|NOTHING)\\(acl[A-Za-z0-9_]*" tested "${text}")
string(REGEX REPLACE "[A-Z]+\\(" "" tested "${tested}")
compare(refused tested "not supported, but tests/api/not_supported.c does not try it")
compare(refused declared "not supported, but not declared")

list(LENGTH exported count)
list(LENGTH refused refusals)
if(count LESS 300 OR refusals LESS 100)
  message(SEND_ERROR "only ${count} functions were found, ${refusals} of them not supported")
endif()

if(EXISTS ${NAMES})
  # Prototypes are list items in backquotes; types of functions, behind typedef, are none.
  file(STRINGS ${NAMES} lines REGEX "^- `")
  list(FILTER lines EXCLUDE REGEX "^- `typedef")
  functions(named "${lines}")
  compare(named exported "${NAMES} has a prototype, and no library the function")
  list(LENGTH named count_named)
  if(count_named LESS 300)
    message(SEND_ERROR "only ${count_named} prototypes were found in ${NAMES}")
  endif()
  message("${count} functions, ${refusals} not supported; ${count_named} of them are in ${NAMES}")
else()
  message("${count} functions, ${refusals} not supported; ${NAMES} is not here")
endif()
