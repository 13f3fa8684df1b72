// SPDX-License-Identifier: Apache-2.0
// kernel: generated code to call, with the block of arguments that it takes.
#pragma once

#include <utility>

#include "kernel_cache.hpp"

namespace jitnorm::impl::jit {

template <typename Arguments>
class kernel {
public:
    void operator()(const Arguments &args) const { run_(&args); }
    size_t code_bytes() const { return code_->size(); }

protected:
    explicit kernel(code_ptr code) : code_(std::move(code)), run_(code_->entry<void(const Arguments *)>()) {}

private:
    code_ptr code_;
    void (*run_)(const Arguments *);
};

} // namespace jitnorm::impl::jit
