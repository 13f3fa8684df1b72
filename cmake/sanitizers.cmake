# SPDX-License-Identifier: Apache-2.0
# JITNORM_SANITIZE instruments everything that is built; a finding ends the program with a failure. GCC and clang.
set(JITNORM_SANITIZE "" CACHE STRING "Sanitizers, comma-separated: address, undefined, thread")
if(JITNORM_SANITIZE)
  # GCC 12 takes a program's own operator new and delete for a mismatch when it inlines but one of them, as it does here.
  add_compile_options(-fsanitize=${JITNORM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    -Wno-mismatched-new-delete)
  add_link_options(-fsanitize=${JITNORM_SANITIZE})
endif()
if(JITNORM_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_library(leaks_of_libomp OBJECT cmake/leaks_of_libomp.c)
  link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:leaks_of_libomp>)
endif()

# optimize_where_time_is_spent(TARGET [FOLDER...]): instrumented code takes several times as long to optimize as to
# compile, so the presets for sanitizers do not, but for the target's sources in these folders (or all), which the tests
# keep busy. Precompiled headers are not optimized, so these sources do without them.
function(optimize_where_time_is_spent target)
  if(NOT JITNORM_SANITIZE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  if(ARGN)
    string(REPLACE ";" "|" folders "${ARGN}")
    list(FILTER sources INCLUDE REGEX "(^|/)(${folders})/[^/]+$")
  endif()
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# JITNORM_FUZZ makes libFuzzer's programs of the fuzz targets (tests/fuzz); the library tells the fuzzer where it has been.
option(JITNORM_FUZZ "Build the fuzz targets for libFuzzer (clang)" OFF)
if(JITNORM_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "JITNORM_FUZZ needs clang: libFuzzer is a part of it")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
