# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# No function is declared in two libraries' headers, none of those that programs of others are known to call is gone
# (known_functions.txt), and what refuses by its name is tested to do so. No operator does one thing or another by what
# its name or stem has in it, and none has its name pasted.
#   cmake -DSOURCE=folder -P names.cmake
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/declared.cmake)

# compare(LEFT RIGHT MESSAGE): complains of what stands in the list LEFT and not in RIGHT.
function(compare left right message)
  set(more ${${left}})
  list(REMOVE_ITEM more ${${right}})
  if(more)
    list(JOIN more " " more)
    message(SEND_ERROR "${message}: ${more}")
  endif()
endfunction()

set(declared "")
foreach(folder acl aclnn aclnnop hccl)
  declared_functions(names ${SOURCE}/include/${folder})
  foreach(name IN LISTS names)
    if(name IN_LIST declared)
      message(SEND_ERROR "${name} is declared in headers of two libraries")
    endif()
  endforeach()
  list(APPEND declared ${names})
endforeach()

file(STRINGS ${SOURCE}/tests/api/known_functions.txt known REGEX "^[^#]")
compare(known declared "tests/api/known_functions.txt has it, and no header")

file(READ ${SOURCE}/src/runtime/unsupported.c text)
string(REGEX MATCHALL "\nUNSUPPORTED(_VALUE\\([^,]*|_VOID|)[(,][ \n]*acl[A-Za-z0-9_]*" refused "${text}")
string(REGEX REPLACE "[^;]*[(, \n](acl[A-Za-z0-9_]*)(;|$)" "\\1\\2" refused "${refused}")
file(READ ${SOURCE}/tests/api/not_supported.c text)
string(REGEX MATCHALL "(STATUS|OBJECT|NUMBER|NOTHING)\\(acl[A-Za-z0-9_]*" tested "${text}")
string(REGEX REPLACE "[A-Z]+\\(" "" tested "${tested}")
compare(refused tested "not supported, but tests/api/not_supported.c does not try it")
compare(refused declared "not supported, but not declared")

# function.c sorts by names, and a refused call leaves its own name out of the sentence.
file(GLOB_RECURSE sources ${SOURCE}/src/ops/*.c ${SOURCE}/src/ops/*.h)
list(FILTER sources EXCLUDE REGEX "/src/ops/(function|refused_plan)\\.c$")
foreach(source IN LISTS sources)
  file(STRINGS ${source} lines REGEX "(str(n?cmp|n?casecmp|str|chr)|memcmp) ?\\(.*(stem|operation\\.name|function->|\"aclnn)|aclnn##")
  # The program of an operator by name calls functions by theirs.
  list(FILTER lines EXCLUDE REGEX "all\\[i\\]->operation\\.name \\+ strlen")
  if(lines)
    message(SEND_ERROR "${source} looks at names, or pastes them: ${lines}")
  endif()
endforeach()
list(LENGTH sources count_sources)
if(count_sources LESS 300)
  message(SEND_ERROR "only ${count_sources} sources of operators were found")
endif()

list(LENGTH declared count)
list(LENGTH refused refusals)
list(LENGTH known count_known)
if(count LESS 300 OR refusals LESS 50 OR count_known LESS 300)
  message(SEND_ERROR "only ${count} functions were found, ${refusals} of them not supported, ${count_known} of them known")
endif()
message("${count} functions, ${refusals} not supported; ${count_known} are known to be called")
