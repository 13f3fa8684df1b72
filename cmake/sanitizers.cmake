# SPDX-License-Identifier: Apache-2.0
# JITNORM_SANITIZE instruments everything that is built; a finding ends the program with a failure.
set(JITNORM_SANITIZE "" CACHE STRING "Sanitizers, comma-separated: address, undefined, thread")
if(JITNORM_SANITIZE)
  add_compile_options(-fsanitize=${JITNORM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${JITNORM_SANITIZE})
endif()
