# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Compiles every public header as the only one of a file, twice over, as C11 and as C++11, with warnings as
# errors: a header must bring all that it needs, and be guarded.
#   cmake -DC_COMPILER=... -DCXX_COMPILER=... -DINCLUDE=folder -DWORK=folder -P header_alone.cmake
file(GLOB_RECURSE headers RELATIVE ${INCLUDE} ${INCLUDE}/*.h)
list(LENGTH headers count)
if(count LESS 20)
  message(FATAL_ERROR "${INCLUDE} has only ${count} headers")
endif()
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wconversion -Werror -fsyntax-only)
set(failed 0)
foreach(header IN LISTS headers)
  foreach(language c cpp)
    set(file ${WORK}/alone.${language})
    file(WRITE ${file} "#include \"${header}\"\n#include \"${header}\"\nextern int belay_alone;\nint belay_alone;\n")
    if(language STREQUAL c)
      set(command ${C_COMPILER} -std=c11 -Wstrict-prototypes)
    else()
      set(command ${CXX_COMPILER} -std=c++11)
    endif()
    execute_process(COMMAND ${command} ${warnings} -I${INCLUDE} ${file} RESULT_VARIABLE result ERROR_VARIABLE text)
    if(NOT result EQUAL 0)
      message("${header} does not compile alone as ${language}:\n${text}")
      math(EXPR failed "${failed} + 1")
    endif()
  endforeach()
endforeach()
if(failed)
  message(FATAL_ERROR "${failed} of ${count} headers, in one of two languages, do not compile alone")
endif()
message("${count} headers compile alone as C11 and as C++11")
