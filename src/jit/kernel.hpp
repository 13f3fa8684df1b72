// SPDX-License-Identifier: Apache-2.0
// kernel: generated code to call. Each kind has a configuration, what is fixed when it is generated, and a block of
// arguments.
#pragma once

#include "kernel_cache.hpp"

namespace jitnorm::impl::jit {

// The code of a configuration, from the cache or generated now.
code_ptr code_of(const addition_conf &conf);
code_ptr code_of(const sweep_conf &conf);
code_ptr code_of(const normalize_conf &conf);
code_ptr code_of(const backward_sums_conf &conf);
code_ptr code_of(const backward_data_conf &conf);
code_ptr code_of(const backward_weights_conf &conf);
code_ptr code_of(const maximum_conf &conf);

template <typename Conf, typename Arguments, typename T> // the compute type, float or double
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
