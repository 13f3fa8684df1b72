# SPDX-License-Identifier: Apache-2.0
# libjitnorm.so and libjitnorm.a from jitnorm_objects.
add_library(jitnorm SHARED $<TARGET_OBJECTS:jitnorm_objects>)
set_target_properties(jitnorm PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
add_library(jitnorm_static STATIC $<TARGET_OBJECTS:jitnorm_objects>)
set_target_properties(jitnorm_static PROPERTIES OUTPUT_NAME jitnorm)
foreach(library jitnorm jitnorm_static)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  if(JITNORM_THREADING STREQUAL OMP)
    target_link_libraries(${library} PRIVATE OpenMP::OpenMP_CXX)
  endif()
endforeach()
