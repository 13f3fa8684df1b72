// SPDX-License-Identifier: Apache-2.0
// handed_arguments: the argument list of one execution, and its memories. No test framework is needed.
#pragma once

#include <vector>

#include "jitnorm_handle.hpp"

namespace jitnorm::tests {

inline const_jitnorm_memory_desc_t md_of(const_jitnorm_primitive_desc_t pd, int arg) {
    return jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, arg);
}
inline bool has(const_jitnorm_primitive_desc_t pd, int arg) { return ndims_of(md_of(pd, arg)) != 0; }
inline size_t bytes_of(const_jitnorm_primitive_desc_t pd, int arg) {
    return jitnorm_memory_desc_get_size(md_of(pd, arg));
}

class handed_arguments {
public:
    explicit handed_arguments(const_jitnorm_primitive_desc_t pd) : pd_(pd) {}

    // Nothing if the primitive has no such argument.
    void add(int arg, void *data) {
        if (!has(pd_, arg)) return;
        memories_.push_back(make_memory(md_of(pd_, arg), data));
        args_.push_back({arg, memories_.back()});
    }

    void execute(const_jitnorm_primitive_t primitive, jitnorm_stream_t stream) const {
        must(jitnorm_primitive_execute(primitive, stream, int(args_.size()), args_.data()), "an execution");
    }

private:
    const_jitnorm_primitive_desc_t pd_;
    std::vector<owned_memory> memories_;
    std::vector<jitnorm_exec_arg_t> args_;
};

} // namespace jitnorm::tests
