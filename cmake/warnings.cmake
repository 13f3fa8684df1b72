# SPDX-License-Identifier: Apache-2.0
# jitnorm_warnings: the warnings that all our own code is clean of. Clang's -Wconversion would add -Wsign-conversion,
# which GCC's does not: off, so that both compilers ask for the same.
add_library(jitnorm_warnings INTERFACE)
target_compile_options(jitnorm_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)
option(JITNORM_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
if(JITNORM_WARNINGS_AS_ERRORS)
  target_compile_options(jitnorm_warnings INTERFACE -Werror)
endif()
