// SPDX-License-Identifier: Apache-2.0
// execution: a problem made ready to run through the library's C interface, with its tensors.
#pragma once

#include <deque>
#include <string>

#include "api.hpp"
#include "buffer.hpp"
#include "problem.hpp"

namespace benchdnn_lite {

struct session {
    session();
    engine cpu;
    stream queue;
};

enum class role { input, output, both, scratch };

struct argument {
    int id; // JITNORM_ARG_*
    role use;
    buffer data;
    memory handle;
};

class execution {
public:
    // Throws api_error: unimplemented when the library does not take the problem.
    execution(const session &s, const problem &p);

    const problem &prb() const { return problem_; }
    std::string implementation() const;

    bool has(int id) const;
    const buffer &data(int id) const; // of an argument that the problem has
    const std::deque<argument> &arguments() const { return arguments_; }

    void run() const;

private:
    memory_desc describe(const std::string &tag, data_type type, const std::vector<dim_t> &dims) const;
    primitive_attr make_attr();
    void append_post_op(jitnorm_post_ops_t list, const post_op &op);
    void create_descriptor(const primitive_attr &attr);
    void add(int id, role use);
    void add_with_desc(int id, role use, const_jitnorm_memory_desc_t desc);
    void add_in_place(int id, int input);
    void add_forward_arguments();
    void add_backward_arguments();
    void add_attribute_arguments();

    const session &session_;
    const problem problem_;
    std::deque<memory_desc> source_descs_; // of binary post-ops, in their order
    primitive_desc descriptor_;
    primitive primitive_;
    std::deque<argument> arguments_;
    std::vector<jitnorm_exec_arg_t> list_;
};

} // namespace benchdnn_lite
