// SPDX-License-Identifier: Apache-2.0
// The same questions to oneDNN's own header, versions 2 and 3: that ownership.hpp asks for what oneDNN does.
#include "dnnl.hpp"
#define C_NAME(name) dnnl_##name
#define dnnl_const_primitive_desc_t const_dnnl_primitive_desc_t

namespace {

dnnl::memory::desc rows() { return {{3, 8}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab}; }
constexpr auto FLAGS = dnnl::normalization_flags::none;

dnnl::layer_normalization_forward::primitive_desc make_forward(const dnnl::engine &on, dnnl::prop_kind kind) {
#if DNNL_VERSION_MAJOR >= 3
    return {on, kind, rows(), rows(), 1e-5f, FLAGS};
#else
    return {{kind, rows(), 1e-5f, FLAGS}, on};
#endif
}

dnnl::layer_normalization_backward::primitive_desc
make_backward(const dnnl::engine &on, dnnl::prop_kind kind,
              const dnnl::layer_normalization_forward::primitive_desc &hint) {
#if DNNL_VERSION_MAJOR >= 3
    return {on, kind, rows(), rows(), rows(), 1e-5f, FLAGS, hint};
#else
    return {{kind, rows(), rows(), 1e-5f, FLAGS}, on, hint};
#endif
}

} // namespace

#include "ownership.hpp"
