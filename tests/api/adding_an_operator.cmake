# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The operator in docs/adding-an-operator.md compiles as it stands there, its contract and its maths for every level,
# without a warning, is found with the others, and computes. Its c blocks are the source, its h block the header.
#   cmake -DC_COMPILER=... -DCXX_COMPILER=... -DFLAGS=... -DLEVELS=name|flags,... -DSOURCE=root -DARCHIVE=ops.a
#         -DLIBRARIES=folder -DWORK=folder -P adding_an_operator.cmake
set(document ${SOURCE}/docs/adding-an-operator.md)
file(READ ${document} rest)
set(source "")
set(headers 0)
while(rest MATCHES "\n```(c|h)\n")
  set(language ${CMAKE_MATCH_1})
  string(FIND "${rest}" "\n```${language}\n" begin)
  math(EXPR begin "${begin} + 6")
  string(SUBSTRING "${rest}" ${begin} -1 rest)
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} block)
  string(SUBSTRING "${rest}" ${end} -1 rest)
  if(language STREQUAL c)
    string(APPEND source "${block}")
  else()
    file(WRITE ${WORK}/aclnnop/aclnn_relu6.h "${block}")
    math(EXPR headers "${headers} + 1")
  endif()
endwhile()
if(NOT headers EQUAL 1 OR source STREQUAL "")
  message(FATAL_ERROR "${document} has ${headers} h blocks, not 1, or no c block")
endif()
file(WRITE ${WORK}/relu6.c "${source}")

# compile(WORDS...): runs the compiler, whose complaints are the test's.
function(compile)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result ERROR_VARIABLE messages)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the operator of ${document} does not compile:\n${messages}")
  endif()
endfunction()

separate_arguments(FLAGS)
set(flags -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror -fPIC -ffp-contract=off
          -I${WORK} -I${SOURCE}/src -I${SOURCE}/include ${FLAGS})
set(c ${C_COMPILER} -std=gnu11 -Wstrict-prototypes -Wmissing-prototypes ${flags})
set(objects relu6.o)
compile(${c} -c relu6.c -o relu6.o)
string(REPLACE "," ";" LEVELS "${LEVELS}")
foreach(level IN LISTS LEVELS)
  string(REGEX MATCH "^([^|]*)\\|(.*)$" matched "${level}")
  set(name ${CMAKE_MATCH_1})
  separate_arguments(level_flags UNIX_COMMAND "${CMAKE_MATCH_2}")
  compile(${c} ${level_flags} -DKERNEL_PASS=${name} -c relu6.c -o relu6_${name}.o)
  list(APPEND objects relu6_${name}.o)
endforeach()
file(WRITE ${WORK}/alone.cpp "#include \"aclnnop/aclnn_relu6.h\"\n")
compile(${CXX_COMPILER} -std=c++11 ${flags} -c alone.cpp -o alone.o)
compile(${c} ${SOURCE}/tests/api/adding_an_operator.c ${objects} ${ARCHIVE} -o relu6 -L${LIBRARIES} -Wl,-rpath,${LIBRARIES}
        -lnnopbase -lascendcl -lm -lpthread)
execute_process(COMMAND ${WORK}/relu6 RESULT_VARIABLE result ERROR_VARIABLE messages)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the operator of ${document} does not work (${result}): ${messages}")
endif()
