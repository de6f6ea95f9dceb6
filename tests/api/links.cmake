# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Every link of the documents that leads into the tree leads to something.
#   cmake -DSOURCE=folder -P links.cmake
file(GLOB documents ${SOURCE}/*.md ${SOURCE}/docs/*.md)
set(links 0)
foreach(document IN LISTS documents)
  get_filename_component(folder ${document} DIRECTORY)
  file(READ ${document} text)
  # Brackets and semicolons mean something to lists.
  string(REPLACE "](" "@link(" text "${text}")
  string(REGEX REPLACE "[][;]" "" text "${text}")
  string(REGEX MATCHALL "@link\\([^)]+\\)" found "${text}")
  foreach(link IN LISTS found)
    string(REGEX REPLACE "^@link\\(([^)#]*).*\\)$" "\\1" target "${link}")
    if(target STREQUAL "" OR target MATCHES "^https?:")
      continue()
    endif()
    math(EXPR links "${links} + 1")
    if(NOT EXISTS ${folder}/${target})
      message(SEND_ERROR "${document} links to ${target}, which is not there")
    endif()
  endforeach()
endforeach()
if(links LESS 10)
  message(FATAL_ERROR "only ${links} links were found")
endif()
message("${links} links lead somewhere")
