# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# find_package(tikicpulib): tikicpulib::Ascend910B1 and its like, for programs that run kernels with ICPU_RUN_KF.
get_filename_component(tikicpulib_root "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(tikicpulib_root "${tikicpulib_root}/../../../../.." ABSOLUTE)
foreach(name Ascend310P1 Ascend310P3 Ascend910A Ascend910B Ascend910B1 Ascend910B2 Ascend910B2C Ascend910B3 Ascend910B4
             Ascend910B4-1 Ascend910_9362 Ascend910_9372 Ascend910_9381 Ascend910_9382 Ascend910_9391 Ascend910_9392
             ${SOC_VERSION})
  if(NOT TARGET tikicpulib::${name})
    add_library(tikicpulib::${name} INTERFACE IMPORTED)
    set_target_properties(tikicpulib::${name} PROPERTIES
      INTERFACE_COMPILE_DEFINITIONS "ASCENDC_CPU_DEBUG=1"
      INTERFACE_COMPILE_OPTIONS "-ffp-contract=off;-fno-strict-aliasing"
      INTERFACE_COMPILE_FEATURES cxx_std_20
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${tikicpulib_root}/include"
      INTERFACE_INCLUDE_DIRECTORIES "${tikicpulib_root}/include"
      INTERFACE_LINK_DIRECTORIES "${tikicpulib_root}/lib64"
      INTERFACE_LINK_LIBRARIES "${tikicpulib_root}/lib64/libbelay_kernel.so;${tikicpulib_root}/lib64/libascendcl.so")
  endif()
endforeach()
