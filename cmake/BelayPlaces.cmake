# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The other places where programs and their build scripts look inside a toolkit root. All are links that name their
# target from where they lie, so that the root may be moved. No library is linked to: some programs
# skip operator libraries that are not regular files, and behind a linked folder they still are.
set(places ${PROJECT_BINARY_DIR}/cmake/places)
file(REMOVE_RECURSE ${places})

# place(TARGET LINK): LINK of the root leads to TARGET, a path from the folder of the link.
function(place target link)
  get_filename_component(folder ${places}/${link} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${target} ${places}/${link} SYMBOLIC)
endfunction()

# Clients have either name of a processor built in, whatever they run on; the others are parts of older toolkits.
set(parts aarch64-linux x86_64-linux acllib compiler fwkacllib runtime)
foreach(part ${parts})
  place(../include ${part}/include)
  place(../${BELAY_LIBRARY_FOLDER} ${part}/lib64)
endforeach()

# Where toolkits lie beside one another, latest is the one in use; here it is a folder, not a link to the root, so
# that nothing that follows links goes round in circles.
foreach(name bin include opp python set_env.sh share tools ${BELAY_LIBRARY_FOLDER} ${parts})
  place(../${name} latest/${name})
endforeach()

place(../../../../../../include opp/built-in/op_impl/ai_core/tbe/op_api/include)
place(libascend_protobuf.so ${BELAY_LIBRARY_FOLDER}/libascend_protobuf.so.3.13.0.0)

place(../tools/profiler/bin/msprof bin/msprof)

# Kernels: the compiler's older name, and where projects look for headers and for what CMake includes.
place(bisheng bin/ccec)
place(../tools/tikcpp compiler/tikcpp)
place(../../tools/opbuild toolkit/tools/opbuild)
place(../../../tools/tikcpp/ascendc_kernel_cmake ascendc_devkit/tikcpp/samples/cmake)
foreach(folder interface impl)
  place(../../../include tools/tikcpp/tikcfw/${folder})
endforeach()
foreach(header kernel_operator kernel_operator_intf kernel_operator_list_tensor_intf kernel_tensor kernel_type kernel_event
               kernel_macros kernel_tpipe kernel_common tikicpulib)
  place(../../../include/${header}.h tools/tikcpp/tikcfw/${header}.h)
endforeach()
place(../../tools/tikcpp/asc share/cmake/ASC)
place(../../tools/tikcpp/asc ${BELAY_LIBRARY_FOLDER}/cmake/ASC)
place(../../../include tools/tikicpulib/lib/include)

install(DIRECTORY ${places}/ DESTINATION ${toolkit}.)
