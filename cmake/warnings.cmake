# SPDX-License-Identifier: Apache-2.0
# jitnorm_warnings: the warnings that all our own code is clean of. Clang's -Wconversion would add -Wsign-conversion,
# which GCC's does not: off, so that both compilers ask for the same. Within another project, whose compiler may be one
# that nobody has tried here, there are none.
add_library(jitnorm_warnings INTERFACE)
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
target_compile_options(jitnorm_warnings INTERFACE -Wall -Wextra -Wconversion
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)
if(NOT CMAKE_UNITY_BUILD) # where names would shadow those of other files
  target_compile_options(jitnorm_warnings INTERFACE -Wshadow)
endif()
option(JITNORM_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
if(JITNORM_WARNINGS_AS_ERRORS)
  target_compile_options(jitnorm_warnings INTERFACE -Werror)
endif()
