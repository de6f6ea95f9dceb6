# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Which functions the public headers declare, for every test that asks: nobody keeps a list of them.
# As a script it writes those of one folder to a file, a name a line:
#   cmake -DFOLDER=include/aclnnop -DOUTPUT=file -P declared.cmake

# declared_functions(OUTPUT FOLDERS...): the names that the headers below these folders declare, sorted.
function(declared_functions output)
  set(text "")
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE headers ${folder}/*.h)
    # What op_host and kernels include defines classes, and is whole in itself.
    list(FILTER headers EXCLUDE REGEX "/include/(ascendc|register|exe_graph)/")
    foreach(header IN LISTS headers)
      file(READ ${header} content)
      # Comments speak of functions too.
      string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" content "${content}")
      string(REGEX REPLACE "//[^\n]*" "" content "${content}")
      # ACLNN_MAX_WORKSPACE(aclnnXxx) declares one more first phase.
      string(REGEX REPLACE "\nACLNN_MAX_WORKSPACE\\(([A-Za-z0-9]+)" "\n \\1GetMaxWorkspaceSize( " content "${content}")
      # A line for each function of a table: ACLNN_UNARY(aclnnExp, self, out) declares aclnnExp and its first phase.
      string(REGEX REPLACE "\nACLNN_[A-Z_]+\\(([A-Za-z0-9]+)" "\n \\1( \\1GetWorkspaceSize( " content "${content}")
      string(APPEND text "${content}")
    endforeach()
  endforeach()
  functions_in(found "${text}")
  set(${output} ${found} PARENT_SCOPE)
endfunction()

# functions_in(OUTPUT TEXT): the names in front of a parenthesis, sorted.
function(functions_in output text)
  # What a header defines itself is no library's.
  string(REGEX REPLACE "static inline [^\n]*" "" text "${text}")
  string(REGEX MATCHALL "([aA]cl|Hccl)[A-Za-z0-9_]*\\(" found "${text}")
  string(REPLACE "(" "" found "${found}")
  list(REMOVE_DUPLICATES found)
  list(SORT found)
  set(${output} ${found} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  declared_functions(names ${FOLDER})
  list(JOIN names "\n" text)
  file(WRITE ${OUTPUT} "${text}\n")
endif()
