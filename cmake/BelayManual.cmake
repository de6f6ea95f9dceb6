# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The manual pages, which the built command prints, and what shells complete: below share of the build folder, as
# they are installed. A build for another processor asks a command that runs here: BELAY_HOST_COMMAND, or its own
# under CMAKE_CROSSCOMPILING_EMULATOR.
set(BELAY_HOST_COMMAND "" CACHE FILEPATH "A belay of this release that runs here, to print the manual pages of one that does not")
set(BELAY_HAS_MANUAL ON)
if(BELAY_HOST_COMMAND)
  set(command ${BELAY_HOST_COMMAND})
elseif(CMAKE_CROSSCOMPILING AND CMAKE_CROSSCOMPILING_EMULATOR)
  set(command ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:belay>)
elseif(BELAY_SANITIZE OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR))
  set(BELAY_HAS_MANUAL OFF)
  message(STATUS "Belay: no manual pages, as the command does not run here (BELAY_HOST_COMMAND names one that does)")
else()
  set(command $<TARGET_FILE:belay>)
endif()

if(BELAY_HAS_MANUAL)
  set(written ${PROJECT_BINARY_DIR}/share/man.written)
  list(JOIN command "\\;" command)
  add_custom_command(OUTPUT ${written} DEPENDS belay ${PROJECT_SOURCE_DIR}/cmake/manual_pages.cmake
    COMMAND ${CMAKE_COMMAND} "-DBELAY=${command}" -DFOLDER=${PROJECT_BINARY_DIR}/share/man/man1
            -P ${PROJECT_SOURCE_DIR}/cmake/manual_pages.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${written} VERBATIM)
  add_custom_target(manual ALL DEPENDS ${written})
endif()
configure_file(src/tools/completion/belay.bash ${PROJECT_BINARY_DIR}/share/bash-completion/completions/belay COPYONLY)
file(CREATE_LINK belay ${PROJECT_BINARY_DIR}/share/bash-completion/completions/belay-npu SYMBOLIC)
configure_file(src/tools/completion/_belay ${PROJECT_BINARY_DIR}/share/zsh/site-functions/_belay COPYONLY)
