# SPDX-License-Identifier: Apache-2.0
# What Debian wants in a package and an installation by CMake does not have: a copyright file and a changelog in a folder
# of the package's own name, and compressed manual pages. CPack runs this before it makes the packages.
cmake_minimum_required(VERSION 3.25)
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH, if that is set
set(changelog "jitnorm (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * CHANGELOG.md in libjitnorm-dev says what changed.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")

function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(documents ${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${documents}
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(WRITE ${documents}/changelog.Debian "${changelog}")
  compress(${documents}/changelog.Debian)
  file(GLOB manuals ${root}/share/man/man*/*[1-9])
  foreach(manual ${manuals})
    compress(${manual})
  endforeach()
endforeach()
