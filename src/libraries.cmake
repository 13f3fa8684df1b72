# SPDX-License-Identifier: Apache-2.0
# libjitnorm.so and libjitnorm.a from the object libraries.
set(objects $<TARGET_OBJECTS:jitnorm_objects> $<TARGET_OBJECTS:jitnorm_compact_objects>)
add_library(jitnorm SHARED ${objects})
set_target_properties(jitnorm PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/jitnorm.map)
# nodelete: dlclose() must leave the code where it is. Threads that executed run the library's code when they end, to
# free what it keeps for them; forks run it too; and OpenMP's threads wait within its runtime as long as the process lives.
target_link_options(jitnorm PRIVATE -Wl,-z,nodelete
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/jitnorm.map -Wl,-z,noexecstack -Wl,-z,relro -Wl,-z,now)
if(NOT JITNORM_SANITIZE) # a sanitizer's symbols come from the program
  target_link_options(jitnorm PRIVATE -Wl,-z,defs)
endif()

add_library(jitnorm_static STATIC ${objects})
set_target_properties(jitnorm_static PROPERTIES OUTPUT_NAME jitnorm)

foreach(library jitnorm jitnorm_static)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  add_library(jitnorm::${library} ALIAS ${library})
  if(JITNORM_THREADING STREQUAL OMP)
    # Whoever links the installed static library gets OpenMP from jitnormConfig.cmake.
    target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:OpenMP::OpenMP_CXX>)
  endif()
endforeach()

# Programs for oneDNN and for Ascend: the headers that give jitnorm's functions the names of oneDNN and of CANN, each in a
# folder of its own so that nobody comes by these names who has not asked for them.
foreach(other onednn ascend)
  add_library(jitnorm_${other} INTERFACE)
  set_target_properties(jitnorm_${other} PROPERTIES EXPORT_NAME ${other})
  target_link_libraries(jitnorm_${other} INTERFACE jitnorm)
  target_include_directories(jitnorm_${other} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/jitnorm/${other}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/jitnorm/${other}>)
  add_library(jitnorm::${other} ALIAS jitnorm_${other})
endforeach()
