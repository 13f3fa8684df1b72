# SPDX-License-Identifier: Apache-2.0
# Install rules: headers, both libraries, the CMake package, jitnorm.pc and jitnorm-onednn.pc, benchdnn-lite and its inputs.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/jitnorm)
set(generated_dir ${PROJECT_BINARY_DIR}/package)

install(DIRECTORY include/ ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS jitnorm jitnorm_ascend jitnorm_onednn EXPORT jitnorm_shared)
install(TARGETS jitnorm_static EXPORT jitnorm_static)
foreach(kind shared static)
  install(EXPORT jitnorm_${kind} NAMESPACE jitnorm:: FILE jitnorm-${kind}.cmake DESTINATION ${package_dir})
endforeach()

configure_package_config_file(cmake/jitnormConfig.cmake.in ${generated_dir}/jitnormConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${generated_dir}/jitnormConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated_dir}/jitnormConfig.cmake ${generated_dir}/jitnormConfigVersion.cmake DESTINATION ${package_dir})

# What a static link needs beside libjitnorm.a.
set(pc_libs_private "-lstdc++ -lm")
if(JITNORM_THREADING STREQUAL OMP)
  string(PREPEND pc_libs_private "${OpenMP_CXX_FLAGS} ")
endif()
file(RELATIVE_PATH prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(name jitnorm jitnorm-onednn)
  configure_file(cmake/${name}.pc.in ${generated_dir}/${name}.pc @ONLY)
  install(FILES ${generated_dir}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET benchdnn-lite)
  file(RELATIVE_PATH lib_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(benchdnn-lite PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
  install(TARGETS benchdnn-lite)
  install(DIRECTORY benchdnn-lite/inputs DESTINATION ${CMAKE_INSTALL_DATADIR}/benchdnn-lite)
  if(NOT CMAKE_CROSSCOMPILING)
    set(completions ${PROJECT_BINARY_DIR}/benchdnn-lite/completions)
    install(FILES ${completions}/benchdnn-lite DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${completions}/_benchdnn-lite DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  endif()
endif()
