# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Writes the table of operator_signatures.h from the headers of the operators.
#   cmake -DINCLUDE=folder -DOUTPUT=file.cpp -P operator_signatures.cmake
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/declared.cmake)
set(text "/* Made by tests/api/operator_signatures.cmake. */\n#include \"api/operator_signatures.h\"\n")
file(GLOB headers RELATIVE ${INCLUDE} ${INCLUDE}/aclnnop/*.h)
foreach(header IN LISTS headers)
  string(APPEND text "#include \"${header}\"\n")
endforeach()
string(APPEND text "\nconst signature signatures[] = {\n")
declared_functions(names ${INCLUDE}/aclnnop)
list(FILTER names INCLUDE REGEX "GetWorkspaceSize$")
foreach(phase_1 IN LISTS names)
  string(REGEX REPLACE "GetWorkspaceSize$" "" name ${phase_1})
  string(APPEND text "    signature_of<decltype(${phase_1}), decltype(${name})>(\"${name}\"),\n")
endforeach()
file(WRITE ${OUTPUT} "${text}    {nullptr, nullptr},\n};\n")
