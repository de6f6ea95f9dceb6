# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# What a build calls itself: the version of python/acl/__init__.py where it is a release, and VERSION.dev0+gCOMMIT else,
# which comes before that release wherever versions are compared.
#
#   cmake -DSOURCE=tree -DOUTPUT=header.h -P build_version.cmake     for C; anything but .h gets the version alone
#
# A release is the commit with the tag vVERSION, with nothing changed, or what scripts/release.sh makes
# (BELAY_RELEASE). The commit is git's; in archives of git and source distributions, which have none, cmake/commit.txt
# says it; where neither knows it is left out.
cmake_minimum_required(VERSION 3.22)

file(STRINGS ${SOURCE}/python/acl/__init__.py version REGEX "^__version__ = ")
string(REGEX REPLACE ".*\"(.*)\"" "\\1" version "${version}")
file(STRINGS ${SOURCE}/cmake/commit.txt written LIMIT_COUNT 1)
set(commit "")
set(tags "")
if(written MATCHES "^([0-9a-f]+)( .*)?$")
  set(commit ${CMAKE_MATCH_1})
  set(tags "${CMAKE_MATCH_2}")
elseif(EXISTS ${SOURCE}/.git)
  find_program(GIT git)
  if(GIT)
    # A tree within another one's repository is not that one's commit.
    execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --format=%h\ %D OUTPUT_VARIABLE log ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(log MATCHES "^([0-9a-f]+)( .*)?$")
      set(commit ${CMAKE_MATCH_1})
      set(tags "${CMAKE_MATCH_2}")
      if(tags MATCHES "tag: ")
        execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE is_changed ERROR_QUIET)
        if(is_changed)
          set(tags "")
        endif()
      endif()
    endif()
  endif()
endif()
set(build ${version})
string(REPLACE "." "\\." pattern "${version}")
if(NOT "$ENV{BELAY_RELEASE}" AND NOT "${tags}," MATCHES "tag: v${pattern}[,)]")
  string(APPEND build ".dev0")
  if(commit)
    string(APPEND build "+g${commit}")
  endif()
endif()
if(OUTPUT MATCHES "\\.h$")
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "/* cmake/build_version.cmake writes this file. */
#define BELAY_BUILD_VERSION \"@build@\"
#define BELAY_COMMIT \"@commit@\"
" @ONLY)
elseif(OUTPUT)
  file(WRITE ${OUTPUT} "${build}\n${commit} ${tags}\n")
endif()
