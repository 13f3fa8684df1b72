// SPDX-License-Identifier: Apache-2.0
// execution: an operation with memory for all its tensors, executed through the library's C interface.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "buffer.hpp"
#include "operation.hpp"

namespace benchdnn_lite {

// both: the execution reads the old values and writes new ones, or the tensor is an output in an input's memory.
enum class role { input, output, both, scratch };

struct argument {
    int id; // JITNORM_ARG_*
    role use;
    buffer data;
    memory handle;
};

using argument_list = std::vector<jitnorm_exec_arg_t>;

class execution {
public:
    explicit execution(std::shared_ptr<const operation> what, const execution *tensors_of = nullptr);
    execution(const session &s, const problem &p); // creates the operation as well
    // On the tensors of another execution, as far as they have the same layout.
    execution(const session &s, const problem &p, const execution &other);

    const problem &prb() const { return operation_->prb(); }
    const operation &what() const { return *operation_; }
    const std::string &implementation() const { return operation_->implementation(); }

    bool has(int id) const;
    const char *name_of(int id) const; // of one of the problem's tensors, for messages: "dst"
    const buffer &data(int id) const;  // has(id) must be true
    const std::deque<argument> &arguments() const { return arguments_; }
    // A memory handle with the description of an argument for the data, which must outlive it.
    memory memory_for(int id, const buffer &data) const;

    // Executes and waits, on the execution's own tensors or on others.
    void run() const { run(list_); }
    void run(const argument_list &list) const;

private:
    const library &api() const { return operation_->owner().api; }
    void add(int id, role use);
    void append(int id, role use, buffer data);
    void add_tensors();
    void add_attribute_arguments();

    const std::shared_ptr<const operation> operation_;
    const execution *const tensors_of_; // null: all tensors are its own
    std::deque<argument> arguments_;
    argument_list list_;
};

} // namespace benchdnn_lite
