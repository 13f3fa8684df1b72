# SPDX-License-Identifier: Apache-2.0
# JITNORM_HARDENING: what compiler, linker and libraries offer against memory errors that are not there, for the library
# and the programs. GCC and clang.
#
# Stack protector, checked functions of the C library (in optimized builds, which alone can have them, and not under
# sanitizers, which check more), landing marks for indirect calls, all relocations resolved and read-only after start.
# What costs time is left to builds that look for errors: the checks in libstdc++.
option(JITNORM_HARDENING "Compile and link with the hardening flags" ${PROJECT_IS_TOP_LEVEL})
if(NOT JITNORM_HARDENING)
  return()
endif()
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
foreach(flag -fstack-protector-strong -fcf-protection=full)
  string(MAKE_C_IDENTIFIER HAS${flag} has)
  check_cxx_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()

if(JITNORM_SANITIZE)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
else()
  add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
  # An older C library warns that it has no level 3.
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_cxx_source_compiles("#include <cstring>\nint main() {}" HAS_FORTIFY_SOURCE_3)
  unset(CMAKE_REQUIRED_FLAGS)
  set(optimized $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  add_compile_options("$<${optimized}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=$<IF:$<BOOL:${HAS_FORTIFY_SOURCE_3}>,3,2>>")
endif()
