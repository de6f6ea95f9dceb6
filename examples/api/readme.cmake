# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The program in the README compiles as C++11 without a warning, runs, and prints what the README says.
#   cmake -DCXX_COMPILER=... -DFLAGS=... -DREADME=README.md -DINCLUDE=folder -DLIBRARIES=folder -DWORK=folder -P readme.cmake
file(READ ${README} text)
foreach(block cpp output)
  string(FIND "${text}" "```${block}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${README} has no ${block} block")
  endif()
  string(LENGTH "```${block}\n" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" ${begin} -1 rest)
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} ${block})
endforeach()
file(WRITE ${WORK}/readme.cpp "${cpp}")
separate_arguments(FLAGS)
execute_process(
  COMMAND ${CXX_COMPILER} -std=c++11 -Wall -Wextra -Wpedantic -Werror ${FLAGS} ${WORK}/readme.cpp -o ${WORK}/readme
          -I${INCLUDE} -L${LIBRARIES} -Wl,-rpath,${LIBRARIES} -lascendcl -lnnopbase -lopapi
  RESULT_VARIABLE result ERROR_VARIABLE messages)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the program does not compile:\n${messages}")
endif()
execute_process(COMMAND ${WORK}/readme RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE messages)
if(NOT result EQUAL 0 OR NOT printed STREQUAL output)
  message(FATAL_ERROR "the program returned ${result} and printed:\n${printed}${messages}expected:\n${output}")
endif()
