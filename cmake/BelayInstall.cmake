# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# What `cmake --install` lays out: a toolkit root with the folders, file names and variables that programs and
# their build scripts expect. Nothing in it names the place where it was installed, so it may be moved, and
# nothing in it needs root. The library folder is lib64 on every system because that is where they look.
include(CMakePackageConfigHelpers)

set(BELAY_LIBRARY_FOLDER lib64)
get_property(forwarding_libraries GLOBAL PROPERTY BELAY_FORWARDING_LIBRARIES)
set(belay_libraries ascendcl nnopbase opapi)

# In both trees the libraries find one another beside themselves, and the command finds them in ../lib64.
set_target_properties(${belay_libraries} ${forwarding_libraries} PROPERTIES
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN" NO_SONAME OFF)
if(TARGET belay)
  set_target_properties(belay PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../${BELAY_LIBRARY_FOLDER}")
  install(TARGETS belay RUNTIME DESTINATION bin)
endif()

foreach(library IN LISTS belay_libraries)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:include>)
endforeach()
install(TARGETS ${belay_libraries} EXPORT BelayTargets LIBRARY DESTINATION ${BELAY_LIBRARY_FOLDER})
install(TARGETS ${forwarding_libraries} LIBRARY DESTINATION ${BELAY_LIBRARY_FOLDER})
install(DIRECTORY include/ DESTINATION include FILES_MATCHING PATTERN "*.h")

# The Python packages, which set_env.sh puts onto PYTHONPATH.
install(DIRECTORY python/acl python/belay DESTINATION python/site-packages FILES_MATCHING PATTERN "*.py")

# find_package(Belay)
set(package_folder ${BELAY_LIBRARY_FOLDER}/cmake/Belay)
configure_package_config_file(cmake/BelayConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/BelayConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/BelayConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(EXPORT BelayTargets NAMESPACE Belay:: DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/cmake/BelayConfig.cmake ${PROJECT_BINARY_DIR}/cmake/BelayConfigVersion.cmake
  DESTINATION ${package_folder})
# On Debian find_package does not look into lib64 of a prefix, but everywhere into share.
foreach(file BelayConfig BelayConfigVersion)
  file(WRITE ${PROJECT_BINARY_DIR}/cmake/share/${file}.cmake
    "include(\"\${CMAKE_CURRENT_LIST_DIR}/../../../${package_folder}/${file}.cmake\")\n")
  install(FILES ${PROJECT_BINARY_DIR}/cmake/share/${file}.cmake DESTINATION share/cmake/Belay)
endforeach()

# pkg-config --cflags --libs belay
configure_file(cmake/belay.pc.in ${PROJECT_BINARY_DIR}/cmake/belay.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/belay.pc DESTINATION ${BELAY_LIBRARY_FOLDER}/pkgconfig)

# . <root>/set_env.sh
install(FILES scripts/set_env.sh DESTINATION .)
install(FILES scripts/setenv.bash DESTINATION bin)
include(BelayPlaces)

# What aclsysGetVersionStr reads, one folder for each package name that programs ask for.
configure_file(cmake/version.info.in ${PROJECT_BINARY_DIR}/cmake/version.info @ONLY)
foreach(package cann compiler driver hccl opp opp_kernel runtime toolkit)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/version.info DESTINATION share/info/${package})
endforeach()

# ASCEND_OPP_PATH must name a folder that exists.
install(DIRECTORY DESTINATION opp)

# The documents lie as in the tree, so that the links between them hold.
set(document_folder share/doc/belay)
install(DIRECTORY docs DESTINATION ${document_folder} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(FILES README.md LICENSE NOTICE CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${document_folder})
install(FILES bench/goals.txt DESTINATION ${document_folder}/bench)
install(DIRECTORY examples DESTINATION ${document_folder} PATTERN "CMakeLists.txt" EXCLUDE)
