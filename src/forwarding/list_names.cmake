# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# cmake -DNM=... -DLIBRARY=... -DFAMILY=REGEX -DOUTPUT=... -P list_names.cmake
# Writes the exported functions of LIBRARY whose names match FAMILY as FORWARD(index, name) lines.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TW] [A-Za-z0-9_]+" symbols "${symbols}")
set(index 0)
set(lines "")
foreach(symbol IN LISTS symbols)
  string(SUBSTRING ${symbol} 3 -1 name)
  if(name MATCHES "${FAMILY}")
    string(APPEND lines "FORWARD(${index}, ${name})\n")
    math(EXPR index "${index} + 1")
  endif()
endforeach()
file(WRITE ${OUTPUT} "${lines}")
