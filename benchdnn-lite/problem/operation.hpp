// SPDX-License-Identifier: Apache-2.0
// operation: a problem's primitive descriptor and primitive, without tensors.
#pragma once

#include <functional>
#include <string>

#include "api.hpp"
#include "problem.hpp"

namespace benchdnn_lite {

// The engine and the stream of one library, which operations and executions use.
struct session {
    explicit session(const library &from = {});
    library api;
    engine cpu;
    stream queue;
};

// Milliseconds that it took to create the descriptor and the primitive.
struct creation_times {
    double descriptor = 0, primitive = 0;
};

class operation {
public:
    // The session must outlive the operation. `skipped` is called with the name of each implementation that the
    // problem's filter leaves out. Throws api_error if the library refuses, unsupported if the library cannot be asked,
    // and filtered_out if the filter accepts no implementation.
    using listener = std::function<void(const std::string &implementation)>;
    operation(const session &s, const problem &p, const listener &skipped = {});

    const problem &prb() const { return problem_; }
    const session &owner() const { return *session_; }
    const std::string &implementation() const { return implementation_; }
    const creation_times &times() const { return times_; }

    const_jitnorm_primitive_t handle() const { return primitive_.get(); }
    const_jitnorm_memory_desc_t desc_of(int id) const; // id: an argument JITNORM_ARG_*

private:
    const library &api() const { return session_->api; }
    memory_desc describe(const std::string &tag, data_type type, const std::vector<dim_t> &dims) const;
    memory_desc describe(const residual_tensor &tensor) const;
    primitive_attr make_attr() const;
    void set_residual(const primitive_attr &attr) const;
    void set_modulation(const primitive_attr &attr) const;
    void set_modes(jitnorm_primitive_attr_t attr) const;
    void find_scales(const primitive_attr &attr, const dynamic_scales &scales) const;
    void append_post_op(jitnorm_post_ops_t list, const post_op &op) const;
    void create_descriptor(const primitive_attr &attr);
    void choose_implementation(const listener &skipped);

    const session *session_;
    problem problem_;
    primitive_desc descriptor_;
    primitive primitive_;
    std::string implementation_;
    creation_times times_;
};

} // namespace benchdnn_lite
