# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# What `cmake --install` lays out: a toolkit root with the folders, file names and variables that programs and
# their build scripts expect. Nothing in it names the place where it was installed, so it may be moved, and
# nothing in it needs root. The library folder is lib64 on every system because that is where they look.
#
# Many names in it are other libraries' too (libgraph, libhccl, include/acl), so it stays out of folders that
# programs share: with BELAY_LAYOUT=toolkit the prefix is the root; with fhs the root is lib/belay/toolkit of the
# prefix, and the command, pkg-config's and CMake's files stand besides where a distribution has them.
include(GNUInstallDirs)
set(BELAY_LAYOUT toolkit CACHE STRING "What the prefix is: a toolkit root (toolkit), or what a distribution installs to (fhs)")
set_property(CACHE BELAY_LAYOUT PROPERTY STRINGS toolkit fhs)
if(BELAY_LAYOUT STREQUAL "toolkit")
  set(toolkit "")
  if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
    set_property(CACHE CMAKE_INSTALL_PREFIX PROPERTY VALUE /opt/belay)
  endif()
  # Whoever gives this prefix when installing has not met the option yet.
  install(CODE [[
    if(CMAKE_INSTALL_PREFIX MATCHES "^(/usr|/usr/local|)/?$") # the one of / is empty here
      message(FATAL_ERROR "A toolkit root in ${CMAKE_INSTALL_PREFIX}/ would mix with other programs' files. Install to a "
                          "folder of its own (--prefix), or configure with -DBELAY_LAYOUT=fhs.")
    endif()]])
elseif(BELAY_LAYOUT STREQUAL "fhs")
  set(toolkit lib/belay/toolkit/)
else()
  message(FATAL_ERROR "BELAY_LAYOUT is ${BELAY_LAYOUT}; toolkit and fhs are the layouts")
endif()

set(BELAY_LIBRARY_FOLDER lib64)
get_property(forwarding_libraries GLOBAL PROPERTY BELAY_FORWARDING_LIBRARIES)
set(belay_libraries ascendcl nnopbase opapi hccl)

# All that is compiled to be installed, and nothing else.
add_custom_target(toolkit DEPENDS belay msprof npu-smi bisheng bishengir-compile op_build ${belay_libraries} ${forwarding_libraries})

# In both trees the libraries find one another beside themselves, and the command finds them in ../lib64.
set_target_properties(${belay_libraries} ${forwarding_libraries} PROPERTIES
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN" NO_SONAME OFF)
set_target_properties(belay npu-smi PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../${BELAY_LIBRARY_FOLDER}")
install(TARGETS belay npu-smi bisheng bishengir-compile RUNTIME DESTINATION ${toolkit}bin)
install(TARGETS op_build RUNTIME DESTINATION ${toolkit}tools/opbuild)
# What triton-ascend looks for beside bisheng when TRITON_DEVICE_PRINT is set.
install(DIRECTORY src/tools/triton/ccelib DESTINATION ${toolkit}lib/clang/belay/include FILES_MATCHING PATTERN "*.h")
# Its second name: on the Python index another project is called belay, with a command of that name.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cmake/links)
file(CREATE_LINK belay ${PROJECT_BINARY_DIR}/cmake/links/belay-npu SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/cmake/links/belay-npu DESTINATION ${toolkit}bin)
# PyTorch for Ascend and MindSpore start msprof by PATH, and look for the scripts from the folder tools above it.
set_target_properties(msprof PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                                        INSTALL_RPATH "$ORIGIN/../../../${BELAY_LIBRARY_FOLDER}")
install(TARGETS msprof RUNTIME DESTINATION ${toolkit}tools/profiler/bin)
install(PROGRAMS src/tools/msprof.py DESTINATION ${toolkit}tools/profiler/profiler_tool/analysis/msprof)
install(PROGRAMS src/tools/get_msprof_info.py DESTINATION ${toolkit}tools/profiler/profiler_tool/analysis/interface)

# Where man and the shells look from the folder of the command (share beside bin).
if(BELAY_HAS_MANUAL)
  add_dependencies(toolkit manual)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/bash-completion DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
set(BELAY_ZSH_FOLDER ${CMAKE_INSTALL_DATAROOTDIR}/zsh/site-functions CACHE STRING "Where zsh looks for functions of packages")
install(FILES ${PROJECT_BINARY_DIR}/share/zsh/site-functions/_belay DESTINATION ${BELAY_ZSH_FOLDER})

foreach(library IN LISTS belay_libraries)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${toolkit}include>)
endforeach()
install(TARGETS ${belay_libraries} EXPORT BelayTargets LIBRARY DESTINATION ${toolkit}${BELAY_LIBRARY_FOLDER})
install(TARGETS ${forwarding_libraries} LIBRARY DESTINATION ${toolkit}${BELAY_LIBRARY_FOLDER})
install(DIRECTORY include/ ${PROJECT_BINARY_DIR}/include/ DESTINATION ${toolkit}include FILES_MATCHING PATTERN "*.h")

# What builds of kernels include. BelayPlaces has the other names of these folders.
install(FILES cmake/kernels/ascendc.cmake cmake/kernels/operators.cmake cmake/kernels/ASCConfig.cmake
              cmake/kernels/operators_package.cmake DESTINATION ${toolkit}tools/tikcpp/ascendc_kernel_cmake)
install(DIRECTORY cmake/kernels/asc/ DESTINATION ${toolkit}tools/tikcpp/asc)
install(FILES cmake/kernels/tikicpulib/tikicpulib-config.cmake DESTINATION ${toolkit}tools/tikicpulib/lib/cmake)
install(FILES cmake/kernels/tikicpulib-config.cmake DESTINATION ${toolkit}lib/cmake/tikicpulib)

# The Python packages, which set_env.sh puts onto PYTHONPATH.
install(DIRECTORY python/acl python/belay_npu python/hccl DESTINATION ${toolkit}python/site-packages FILES_MATCHING PATTERN "*.py")

# find_package(Belay)
include(CMakePackageConfigHelpers)
set(package_folder ${toolkit}${BELAY_LIBRARY_FOLDER}/cmake/Belay)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/BelayConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(EXPORT BelayTargets NAMESPACE Belay:: DESTINATION ${package_folder})
install(FILES cmake/BelayConfig.cmake ${PROJECT_BINARY_DIR}/cmake/BelayConfigVersion.cmake DESTINATION ${package_folder})

# package_found_from(FOLDER): CMake finds the package in this folder of the prefix too.
function(package_found_from folder)
  file(RELATIVE_PATH from_there /${folder} /${package_folder})
  foreach(file BelayConfig BelayConfigVersion)
    file(WRITE ${PROJECT_BINARY_DIR}/cmake/links/${file}.cmake
      "include(\"\${CMAKE_CURRENT_LIST_DIR}/${from_there}/${file}.cmake\")\n")
    install(FILES ${PROJECT_BINARY_DIR}/cmake/links/${file}.cmake DESTINATION ${folder})
  endforeach()
endfunction()
# pkg_config_in(FOLDER LINK_OPTION): `pkg-config --cflags --libs belay` with the file in this folder of the prefix.
function(pkg_config_in folder link_option)
  file(RELATIVE_PATH BELAY_ROOT_FROM_THERE /${folder} /${toolkit})
  string(REGEX REPLACE "/$" "" BELAY_ROOT_FROM_THERE ${BELAY_ROOT_FROM_THERE})
  set(BELAY_LINK_OPTION "${link_option}")
  configure_file(cmake/belay.pc.in ${PROJECT_BINARY_DIR}/cmake/${folder}/belay.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/${folder}/belay.pc DESTINATION ${folder})
endfunction()
pkg_config_in(${toolkit}${BELAY_LIBRARY_FOLDER}/pkgconfig "")

if(BELAY_LAYOUT STREQUAL "fhs")
  # What is built with these files finds its libraries without a variable; LD_LIBRARY_PATH still comes first.
  pkg_config_in(${CMAKE_INSTALL_LIBDIR}/pkgconfig " -Wl,-rpath,\${libdir}")
  package_found_from(${CMAKE_INSTALL_LIBDIR}/cmake/Belay)
  file(RELATIVE_PATH command /${CMAKE_INSTALL_BINDIR} /${toolkit}bin/belay)
  file(CREATE_LINK ${command} ${PROJECT_BINARY_DIR}/cmake/links/belay SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/links/belay ${PROJECT_BINARY_DIR}/cmake/links/belay-npu
          DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(document_folder ${CMAKE_INSTALL_DATADIR}/doc/belay)
else()
  # On Debian find_package does not look into lib64 of a prefix, but everywhere into share.
  package_found_from(share/cmake/Belay)
  set(document_folder share/doc/belay)
endif()
# The documents lie as in the tree, so that the links between them, and those to headers, hold.
file(RELATIVE_PATH headers /${document_folder} /${toolkit}include)
file(CREATE_LINK ${headers} ${PROJECT_BINARY_DIR}/cmake/links/include SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/cmake/links/include DESTINATION ${document_folder})
install(DIRECTORY docs DESTINATION ${document_folder} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "conformance.json")
install(FILES README.md LICENSE NOTICE CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${document_folder})
install(FILES bench/goals.txt DESTINATION ${document_folder}/bench)
install(DIRECTORY examples DESTINATION ${document_folder} PATTERN "CMakeLists.txt" EXCLUDE)
install(DIRECTORY findings DESTINATION ${document_folder})

# . <root>/set_env.sh
install(FILES scripts/set_env.sh DESTINATION ${toolkit}.)
install(FILES scripts/setenv.bash DESTINATION ${toolkit}bin)
include(BelayPlaces)

# What aclsysGetVersionStr reads, one folder for each package name that programs ask for. The version is that of the
# vendor's toolkit whose interface this is. The driver has none: there is none, and its version would switch on what
# no program has been tried with.
foreach(package acl_extend aoe asc-devkit ascendnpu-ir asc-tools bisheng-compiler cann compiler dflow-executor dvpp
                ge-compiler ge-executor graph_autofusion hccl hcomm hixl metadef ncs oam_tools opbase opp opp_kernel
                ops_cv ops_legacy ops_math ops_nn ops_transformer pto_isa pyACL runtime tbe-tik test-ops toolkit)
  install(FILES cmake/version.info DESTINATION ${toolkit}share/info/${package})
endforeach()

# ASCEND_OPP_PATH must name a folder that exists, and clients list its vendors: none, so that there is no config.ini
# either, which would name some.
install(DIRECTORY DESTINATION ${toolkit}opp/vendors)
