// SPDX-License-Identifier: Apache-2.0
// kernel: generated code as a function object. Each kind of kernel has a configuration, which is fixed when the code is
// generated, and a block of arguments, which each call passes.
#pragma once

#include "kernel_cache.hpp"

namespace jitnorm::impl::jit {

// The code for a configuration. It comes from the kernel cache, or is generated now.
code_ptr code_of(const addition_conf &conf);
code_ptr code_of(const sweep_conf &conf);
code_ptr code_of(const normalize_conf &conf);
code_ptr code_of(const backward_sums_conf &conf);
code_ptr code_of(const backward_data_conf &conf);
code_ptr code_of(const backward_weights_conf &conf);
code_ptr code_of(const maximum_conf &conf);

template <typename Conf, typename Arguments, typename T> // T: the compute type, float or double
class kernel {
public:
    // Throws std::system_error when executable pages are refused.
    explicit kernel(Conf conf)
        : code_(code_of(with_compute_type(conf))), run_(code_->entry<void(const Arguments *)>()) {}
    void operator()(const Arguments &args) const { run_(&args); }
    size_t code_bytes() const { return code_->size(); }

private:
    static const Conf &with_compute_type(Conf &conf) {
        conf.compute = data_type_of<T>;
        return conf;
    }

    code_ptr code_;
    void (*run_)(const Arguments *);
};

} // namespace jitnorm::impl::jit
