# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# No macro of src has a loop or a branch of its own: logic is in functions, which a debugger can step through and a
# compiler names in its messages. What a macro is given as an argument is not its own.
#   cmake -DSOURCE=folder -P macros.cmake
cmake_minimum_required(VERSION 3.22)

file(GLOB_RECURSE files ${SOURCE}/src/*.c ${SOURCE}/src/*.h ${SOURCE}/src/*.cpp)
set(found 0)
# TRY returns from its caller, which no function can.
set(excused TRY)
foreach(file IN LISTS files)
  file(READ ${file} text)
  # Lists of CMake end at semicolons and open at brackets; comments and texts may say anything.
  string(REGEX REPLACE "[][;]" " " text "${text}")
  string(REGEX REPLACE "\\\\\n" " " text "${text}")
  string(REGEX MATCHALL "\n *# *define [^\n]*" macros "${text}")
  foreach(macro IN LISTS macros)
    string(REGEX REPLACE "\"([^\"\\]|\\\\.)*\"" "" body "${macro}")
    string(REGEX REPLACE "'[^']*'" "" body "${body}")
    string(REGEX REPLACE "/\\*([^*]|\\*[^/])*\\*/" "" body "${body}")
    string(REGEX MATCH "define ([A-Za-z0-9_]+)" name "${body}")
    set(name ${CMAKE_MATCH_1})
    if(name IN_LIST excused)
      continue()
    endif()
    if(body MATCHES "[^A-Za-z0-9_](for|while|if|do|switch|case|goto)[^A-Za-z0-9_]" OR body MATCHES "[?]")
      file(RELATIVE_PATH place ${SOURCE} ${file})
      message(SEND_ERROR "${place}: macro ${name} has a loop or a branch (\"${CMAKE_MATCH_1}\"); "
                         "an always-inline function that it calls is expected")
    endif()
    math(EXPR found "${found} + 1")
  endforeach()
endforeach()
if(found LESS 1000)
  message(SEND_ERROR "only ${found} macros were found in ${SOURCE}/src; more are expected")
endif()
