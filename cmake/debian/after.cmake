# SPDX-License-Identifier: Apache-2.0
# CPack gives the library's package scripts that call ldconfig. Debian has a trigger for this since 2015, by which dpkg
# calls it once for all packages. CPack runs this after it has made the packages.
cmake_minimum_required(VERSION 3.25)
set(unpacked ${CPACK_TEMPORARY_DIRECTORY}/unpacked)
foreach(package ${CPACK_PACKAGE_FILES})
  if(NOT package MATCHES "/${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME}_[^/]*\\.deb$")
    continue()
  endif()
  file(REMOVE_RECURSE ${unpacked})
  execute_process(COMMAND dpkg-deb --raw-extract ${package} ${unpacked} COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${unpacked}/DEBIAN/postinst ${unpacked}/DEBIAN/postrm)
  file(WRITE ${unpacked}/DEBIAN/triggers "activate-noawait ldconfig\n")
  execute_process(COMMAND dpkg-deb --root-owner-group --build ${unpacked} ${package} COMMAND_ERROR_IS_FATAL ANY
    OUTPUT_QUIET)
endforeach()
