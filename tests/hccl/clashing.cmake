# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Writes a C source that defines every function of Gloo's that a library exports, or object files have, each of which
# ends the process: it stands in for a framework that brings another Gloo.
#   cmake -DNM=nm -DLIBRARY=libgloo.so -DOUTPUT=file -P clashing.cmake
set(dynamic -D)
if(LIBRARY MATCHES "[.]o$")
  set(dynamic "")
endif()
execute_process(COMMAND ${NM} ${dynamic} --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TW] _Z[A-Z]*4gloo[A-Za-z0-9_]*" symbols "${symbols}")
list(TRANSFORM symbols REPLACE "^ [TW] " "")
list(REMOVE_DUPLICATES symbols)
list(LENGTH symbols count)
if(count LESS 100)
  message(FATAL_ERROR "${LIBRARY} has ${count} functions of Gloo's")
endif()
set(text "#include <stdlib.h>\n#define CLASHES(n, symbol) \\\n  __attribute__((visibility(\"default\"))) void clash_##n(void) __asm__(symbol); \\\n  void clash_##n(void) { abort(); }\n")
set(number 0)
foreach(symbol IN LISTS symbols)
  string(APPEND text "CLASHES(${number}, \"${symbol}\")\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "${text}")
