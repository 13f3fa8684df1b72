// SPDX-License-Identifier: Apache-2.0
// dnnl.hpp: oneDNN's C++ interface for layer normalization, for programs written for oneDNN. The namespace dnnl has
// jitnorm's names. docs/porting.md lists them and what is refused. Link with jitnorm::onednn.
#ifndef JITNORM_ONEDNN_HPP
#define JITNORM_ONEDNN_HPP

#include "dnnl.h"
#include "jitnorm/jitnorm.hpp"

namespace dnnl {

using namespace jitnorm;

// The version of oneDNN whose interface this is. jitnorm::version() tells the version of this library.
using version_t = dnnl_version_t;
inline const version_t *version() { return dnnl_version(); }

// Sets the folder of jit-PID.dump and of the files that set_jit_dump() asks for.
inline status set_jit_profiling_jitdumpdir(const std::string &folder) { return set_jit_dump_folder(folder.c_str()); }

} // namespace dnnl

#endif
