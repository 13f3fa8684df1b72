# SPDX-License-Identifier: Apache-2.0
# Packages for Debian: `cpack -G DEB` in the folder of a build. One for each component of the install rules.
set(CPACK_PACKAGE_VENDOR jitnorm)
set(JITNORM_MAINTAINER "jitnorm developers <maintainers@jitnorm.invalid>" CACHE STRING
  "Who answers for the packages, as NAME <ADDRESS>; the project has no address of its own")
set(CPACK_PACKAGE_CONTACT "${JITNORM_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${JITNORM_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_COMPONENTS_ALL library development)
if(TARGET benchdnn-lite)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0jitnorm1) # older than any that Debian makes of this version
set(package_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/before.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/after.cmake)

# The system's libraries with the versions that are needed: dpkg-shlibdeps asks dpkg for them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # what packages of programs over libjitnorm.so will depend on
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(library_package libjitnorm${PROJECT_VERSION_MAJOR})

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libjitnorm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${package_version})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, the static library, files for CMake and pkg-config, documents.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME jitnorm-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${library_package} (>= ${package_version})")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "benchdnn-lite checks and times, benchdnn-lite-race compares with oneDNN.")

include(CPack)
