// SPDX-License-Identifier: Apache-2.0
// dnnl.hpp: oneDNN's C++ interface as far as layer normalization goes, for programs written for oneDNN: namespace dnnl
// has jitnorm's names. docs/porting.md has the list of them, and what is refused. Link with jitnorm::onednn.
#ifndef JITNORM_ONEDNN_HPP
#define JITNORM_ONEDNN_HPP

#include "dnnl.h"
#include "jitnorm/jitnorm.hpp"

namespace dnnl {

using namespace jitnorm;

// The version of oneDNN whose interface this is; jitnorm::version() tells the library's own.
using version_t = dnnl_version_t;
inline const version_t *version() { return dnnl_version(); }

// The folder of jit-PID.dump, and of what set_jit_dump() asks for.
inline status set_jit_profiling_jitdumpdir(const std::string &folder) { return set_jit_dump_folder(folder.c_str()); }

} // namespace dnnl

#endif
