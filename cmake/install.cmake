# SPDX-License-Identifier: Apache-2.0
# Install rules. debian/*.install says which package has which file.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/jitnorm)
set(generated_dir ${PROJECT_BINARY_DIR}/package)

install(DIRECTORY include/ ${PROJECT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS jitnorm jitnorm_ascend jitnorm_onednn EXPORT jitnorm_shared)
install(TARGETS jitnorm_static EXPORT jitnorm_static)
# below(VARIABLE PREFIX FOLDER): a folder of the installation, which is below the prefix unless it is absolute.
function(below variable prefix folder)
  set(path "${prefix}")
  cmake_path(APPEND path "${folder}")
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()
below(lib_at_install "\${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_LIBDIR}")
below(doc_at_install "\${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_DOCDIR}")
below(pc_libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
below(pc_includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")

# CMake strips programs and shared libraries; most of libjitnorm.a is debug information.
set(archive "\$ENV{DESTDIR}${lib_at_install}/$<TARGET_FILE_NAME:jitnorm_static>")
install(CODE "if(CMAKE_INSTALL_DO_STRIP)
  execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug \"${archive}\" COMMAND_ERROR_IS_FATAL ANY)
endif()")
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
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name jitnorm jitnorm-onednn)
  configure_file(cmake/${name}.pc.in ${generated_dir}/${name}.pc @ONLY)
  install(FILES ${generated_dir}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# As they lie here, so that the links between them hold; those to headers by a link to the folder of headers.
install(FILES LICENSE debian/copyright README.md CHANGELOG.md CONTRIBUTING.md HACKING.md SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES bindings/pytorch/README.md bindings/pytorch/families.md bindings/pytorch/times.svg
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/bindings/pytorch)
install(FILES bindings/onnxruntime/README.md bindings/onnxruntime/times.svg
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/bindings/onnxruntime)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN CMakeLists.txt EXCLUDE PATTERN reference EXCLUDE)
file(RELATIVE_PATH include_from_docs ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
install(CODE "file(CREATE_LINK \"${include_from_docs}\"
  \"\$ENV{DESTDIR}${doc_at_install}/include\" SYMBOLIC)")

file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(program benchdnn-lite benchdnn-lite-race)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES
      INSTALL_RPATH "$ORIGIN/${lib_from_bin}" INSTALL_RPATH_USE_LINK_PATH ON) # a oneDNN outside the system's folders
    install(TARGETS ${program})
    if(HELP2MAN AND NOT CMAKE_CROSSCOMPILING)
      install(FILES ${PROJECT_BINARY_DIR}/benchdnn-lite/man/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    endif()
  endif()
endforeach()
if(TARGET benchdnn-lite)
  install(DIRECTORY benchdnn-lite/inputs DESTINATION ${CMAKE_INSTALL_DATADIR}/benchdnn-lite)
endif()
