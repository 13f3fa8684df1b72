# SPDX-License-Identifier: Apache-2.0
# unite_folders(TARGET [FOLDER...]): with CMAKE_UNITY_BUILD the files of each folder of sources are compiled as one, which
# saves reading headers many times; but not the files of the folders named here, nor those with options of their own.
function(unite_folders target)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET path PARENT_PATH folder)
    if(NOT folder IN_LIST ARGN)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU) # which takes the united files for headers
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
