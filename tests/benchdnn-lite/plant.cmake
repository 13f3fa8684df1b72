# SPDX-License-Identifier: Apache-2.0
# cmake -D FROM=... -D TO=... -D RIGHT=... -D WRONG=... -P plant.cmake: copies a source with one text exchanged.
file(READ ${FROM} source)
string(REPLACE "${RIGHT}" "${WRONG}" planted "${source}")
if(planted STREQUAL source)
  message(FATAL_ERROR "${FROM} has no '${RIGHT}' any more: plant another wrong constant (tests/benchdnn-lite/CMakeLists.txt)")
endif()
file(WRITE ${TO} "${planted}")
