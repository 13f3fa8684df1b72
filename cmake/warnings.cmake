# SPDX-License-Identifier: Apache-2.0
# jitnorm_warnings: the warnings that all our own code is clean of.
add_library(jitnorm_warnings INTERFACE)
target_compile_options(jitnorm_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion)
option(JITNORM_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
if(JITNORM_WARNINGS_AS_ERRORS)
  target_compile_options(jitnorm_warnings INTERFACE -Werror)
endif()
