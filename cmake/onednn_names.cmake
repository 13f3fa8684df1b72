# SPDX-License-Identifier: Apache-2.0
# Writes dnnl_names.h: oneDNN's name of each function, type, value and macro of the C headers that oneDNN has, too. Left
# out is what only this library has: the flags and algorithms that tables/ says, and this list.
set(own_names
  "jitnorm_(get_last_error|print_errors_as_onednn|version|version_t|set_implementation|set_jit_dump_folder|format_tag_last)"
  "jitnorm_(residual_.*|partial|free_thread_scratchpad|thread_pool_t|stream_create_with_thread_pool.*)"
  "jitnorm_primitive_attr_(get|set)_(residual|residual_gate|scale_shift_descs|pre_quantization_dst|epsilon)"
  "jitnorm_quantization_mode_dynamic_amax"
  "JITNORM_(API|ARG_ROW_SUMS|INT|RUNTIME_SEQ|RUNTIME_OMP|H|.*_H)")
foreach(table IN ITEMS normalization_flags= binary=binary_ eltwise=eltwise_) # a table and how its names begin
  string(REGEX MATCH "(.*)=(.*)" table ${table})
  file(STRINGS tables/${CMAKE_MATCH_1}.inc own REGEX "^(OWN|AFFINE)_[A-Z]+\\(")
  list(TRANSFORM own REPLACE "^[A-Z_]+\\(([a-z_]+).*" "jitnorm_${CMAKE_MATCH_2}\\1")
  list(APPEND own_names ${own})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tables/${CMAKE_MATCH_1}.inc)
endforeach()

set(headers jitnorm.h jitnorm_attr.h jitnorm_debug.h jitnorm_graph.h jitnorm_graph_types.h jitnorm_memory.h)
file(GLOB types RELATIVE ${PROJECT_SOURCE_DIR}/include/jitnorm CONFIGURE_DEPENDS include/jitnorm/types/*.h)
set(names)
foreach(header ${headers} ${types})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/jitnorm/${header})
  file(READ include/jitnorm/${header} text)
  # Comments, files and the tags of opaque types have no names for programs.
  string(REGEX REPLACE "/[*]([^*]|[*]+[^*/])*[*]+/|#include[^\n]*|struct [a-z_]+" "" text "${text}")
  string(REGEX MATCHALL "(const_)?jitnorm_[a-z0-9_A-Z]+|JITNORM_[A-Z0-9_]+" found "${text}")
  list(APPEND names ${found})
endforeach()
list(REMOVE_DUPLICATES names)
foreach(own ${own_names})
  list(FILTER names EXCLUDE REGEX "^(${own})$")
endforeach()
list(SORT names)
list(TRANSFORM names REPLACE "^(.+)$" "#define \\1 \\1")
list(TRANSFORM names REPLACE "^#define (|const_)jitnorm_" "#define \\1dnnl_")
list(TRANSFORM names REPLACE "^#define JITNORM_" "#define DNNL_")
list(JOIN names "\n" names)
file(CONFIGURE OUTPUT include/jitnorm/onednn/oneapi/dnnl/dnnl_names.h @ONLY CONTENT
"/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_names.h: oneDNN's names of what the C headers of jitnorm have. docs/porting.md says what each name stands for and
 * what is refused. */
#ifndef JITNORM_ONEDNN_NAMES_H
#define JITNORM_ONEDNN_NAMES_H

@names@

#endif
")
