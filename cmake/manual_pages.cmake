# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Writes the manual pages of the command and of each verb that it has, which it makes of what its --help says.
#   cmake -DBELAY=command -DFOLDER=man1 -P manual_pages.cmake
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${BELAY} help --complete -- "" OUTPUT_VARIABLE verbs RESULT_VARIABLE result)
string(REGEX MATCHALL "[a-z]+\t" verbs "${verbs}")
if(NOT result EQUAL 0 OR NOT verbs)
  message(FATAL_ERROR "${BELAY} names no verbs (${result})")
endif()
execute_process(COMMAND ${BELAY} help --man OUTPUT_FILE ${FOLDER}/belay.1 RESULT_VARIABLE result)
foreach(verb IN LISTS verbs)
  string(STRIP ${verb} verb)
  if(result EQUAL 0)
    execute_process(COMMAND ${BELAY} help --man ${verb} OUTPUT_FILE ${FOLDER}/belay-${verb}.1 RESULT_VARIABLE result)
  endif()
endforeach()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${BELAY} prints no manual page (${result})")
endif()
