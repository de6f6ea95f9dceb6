# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The compiler flags, in one place: warnings and hardening for everything, the contract of floating point for
# whatever computes results. Each target takes them through the interface libraries belay_flags and belay_numeric.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)

add_library(belay_flags INTERFACE)
target_compile_options(belay_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wwrite-strings -Wpointer-arith -Wformat=2 -Wdouble-promotion
  -Wconversion -Wsign-conversion -Wimplicit-fallthrough
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  -fno-delete-null-pointer-checks -fno-strict-overflow -fvisibility=hidden)
if(BELAY_WERROR)
  target_compile_options(belay_flags INTERFACE -Werror)
endif()

# Hardening, as the OpenSSF guide for C and C++ lists it. Sanitizers bring their own checks and clash with some.
if(BELAY_SANITIZE)
  # What a sanitizer adds takes an optimising compiler three times as long as the code itself; what it finds it finds
  # without. Kernels, which do most of the work, are optimised nevertheless (src/ops/CMakeLists.txt).
  target_compile_options(belay_flags INTERFACE -fsanitize=${BELAY_SANITIZE} -fno-sanitize-recover=all
                                               -fno-omit-frame-pointer -O0 -g1) # lines, for reports
  target_link_options(belay_flags INTERFACE -fsanitize=${BELAY_SANITIZE})
  # A sanitizer's runtime is a megabyte in each of hundreds of programs, and gold, which is among the binutils, puts it
  # there in less than half the time.
  check_linker_flag(C -fuse-ld=gold BELAY_HAS_GOLD)
  if(BELAY_HAS_GOLD)
    target_link_options(belay_flags INTERFACE -fuse-ld=gold)
  endif()
  if(BELAY_SANITIZE MATCHES "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # gcc warns that TSan does not model fences; the code pairs each of them with atomic accesses.
    target_compile_options(belay_flags INTERFACE -Wno-tsan)
  endif()
else()
  # A distribution that says what it wants of this gets it.
  if(NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE")
    target_compile_options(belay_flags INTERFACE -U_FORTIFY_SOURCE $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
  endif()
  target_compile_options(belay_flags INTERFACE -fstack-protector-strong)
  foreach(flag -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard
               -ftrivial-auto-var-init=zero -fstrict-flex-arrays=3)
    string(MAKE_C_IDENTIFIER "BELAY_HAS${flag}" known)
    check_c_compiler_flag("-Werror ${flag}" ${known})
    if(${known})
      target_compile_options(belay_flags INTERFACE ${flag})
    endif()
  endforeach()
endif()

# Results must not depend on the compiler's freedom: no contraction, no errno, rounding as written.
add_library(belay_numeric INTERFACE)
target_compile_options(belay_numeric INTERFACE -ffp-contract=off -fno-math-errno)

check_linker_flag(C -Wl,-Bsymbolic-functions BELAY_HAS_BSYMBOLIC_FUNCTIONS)

# The tables of functions are full of addresses, which the loader makes right: as a list of places alone they take 13 KB
# instead of 0.9 MB that each process reads. glibc loads such libraries from 2.36 on, and what is linked here may count on
# the C library that it is linked with. Linkers that do not know the list only warn.
set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs -Wl,--fatal-warnings)
check_c_source_compiles("
#include <features.h>
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 36)
#error The loader does not know packed relocations.
#endif
int main(void) { return 0; }
" BELAY_HAS_PACKED_RELOCATIONS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)

# belay_shared_library(NAME): one of the libraries that programs link. The soname is the file's name, as the
# vendor's are, symbols are hidden unless a header exports them, and nothing may be left undefined.
function(belay_shared_library name)
  add_library(${name} SHARED)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src
                                     PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(${name} PRIVATE belay_flags Threads::Threads m)
  target_link_options(${name} PRIVATE -Wl,-z,relro,-z,now,-z,noexecstack,-z,nodelete -Wl,--as-needed)
  # Its own calls of what it exports reach itself, whatever else the process has opened; not every linker can say so.
  if(BELAY_HAS_BSYMBOLIC_FUNCTIONS)
    target_link_options(${name} PRIVATE -Wl,-Bsymbolic-functions)
  endif()
  if(BELAY_HAS_PACKED_RELOCATIONS AND NOT BELAY_SANITIZE) # gold, which links what is sanitized, does not know them
    target_link_options(${name} PRIVATE -Wl,-z,pack-relative-relocs)
  endif()
  if(NOT BELAY_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()
