// SPDX-License-Identifier: Apache-2.0
// dnnl.hpp: oneDNN's C++ interface for layer normalization, for programs written for oneDNN. The namespace dnnl has
// those of jitnorm's names that oneDNN has too. docs/porting.md lists them and what is refused. Link with
// jitnorm::onednn.
#ifndef JITNORM_ONEDNN_HPP
#define JITNORM_ONEDNN_HPP

#include "dnnl.h"
#include "jitnorm/jitnorm.hpp"

// The names are declared one by one: a using-directive would make a name ambiguous that both libraries have, in
// programs that open this namespace.
namespace dnnl {

using jitnorm::accumulation_mode;
using jitnorm::algorithm;
using jitnorm::convert_to_c;
using jitnorm::cpu_isa;
using jitnorm::cpu_isa_hints;
using jitnorm::engine;
using jitnorm::error;
using jitnorm::fpmath_mode;
using jitnorm::get_cpu_isa_hints;
using jitnorm::get_default_fpmath_mode;
using jitnorm::get_effective_cpu_isa;
using jitnorm::get_primitive_cache_capacity;
using jitnorm::handle;
using jitnorm::handle_traits;
using jitnorm::layer_normalization_backward;
using jitnorm::layer_normalization_forward;
using jitnorm::memory;
using jitnorm::normalization_flags;
using jitnorm::post_ops;
using jitnorm::primitive;
using jitnorm::primitive_attr;
using jitnorm::primitive_desc;
using jitnorm::primitive_desc_base;
using jitnorm::prop_kind;
using jitnorm::quantization_mode;
using jitnorm::query;
using jitnorm::rounding_mode;
using jitnorm::scratchpad_mode;
using jitnorm::set_cpu_isa_hints;
using jitnorm::set_default_fpmath_mode;
using jitnorm::set_jit_dump;
using jitnorm::set_jit_profiling_flags;
using jitnorm::set_max_cpu_isa;
using jitnorm::set_primitive_cache_capacity;
using jitnorm::set_verbose;
using jitnorm::status;
using jitnorm::stream;

// The version of oneDNN whose interface this is. jitnorm::version() has the version of this library.
using version_t = dnnl_version_t;
inline const version_t *version() { return dnnl_version(); }

// Sets the folder of jit-PID.dump and of the files that set_jit_dump() asks for.
inline status set_jit_profiling_jitdumpdir(const std::string &folder) {
    return static_cast<status>(jitnorm_set_jit_dump_folder(folder.c_str()));
}

} // namespace dnnl

#ifndef JITNORM_READ_BY_DOXYGEN // it takes the alias for a recursive one
namespace oneapi {
namespace dnnl = ::dnnl;
} // namespace oneapi
#endif

#endif
