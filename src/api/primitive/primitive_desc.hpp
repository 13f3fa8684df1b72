// SPDX-License-Identifier: Apache-2.0
// primitive_desc: the object behind a primitive descriptor of the C interface: a problem and the implementation that
// solves it.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "../../base/boundary.hpp"
#include "../../dispatch/prepare.hpp"
#include "../../norm/problem.hpp"
#include "../attr/attr.hpp"

namespace jitnorm::impl::api {

struct executable;

// A problem with a solution. It is immutable, except that it keeps the executable of its primitives. All primitive
// descriptors that were created with the same arguments share it.
class described {
public:
    described(layer_norm::problem to_solve, const layer_norm::solution &chosen);

    // The same problem with another solution. The size of the user's scratchpad stays as it was queried.
    described(const described &other, const layer_norm::solution &chosen);

    // The bytes of scratchpad that the implementation needs, from the user or the library. With run-time sizes and a
    // user's scratchpad they are enough for all sizes.
    size_t scratchpad_bytes() const { return solution.scratchpad_bytes(); }
    bool user_gives_scratchpad() const { return problem.attr.scratchpad_mode == jitnorm_scratchpad_mode_user; }

    // The executable of its primitives, null before one is kept. keep() keeps the first one and returns the kept one.
    std::shared_ptr<const executable> made() const;
    std::shared_ptr<const executable> keep(std::shared_ptr<const executable> made) const;

    const layer_norm::problem problem;
    const layer_norm::solution solution;

    // The descriptor of each slot, kept because queries return pointers to them. The scratchpad's is that of the user's
    // memory; it is empty if the user has none to pass.
    const std::array<memory_desc, layer_norm::FIRST_POST_OP> tensors;

private:
    mutable std::shared_ptr<const executable> made_; // written once, guarded by process_lock
    mutable std::atomic<bool> is_made_ = false;      // then made_ may be read without the lock
};

} // namespace jitnorm::impl::api

struct jitnorm_primitive_desc {
    jitnorm_engine_t engine;
    jitnorm_primitive_attr attr; // as given, with decided layouts
    std::shared_ptr<const jitnorm::impl::api::described> what;

    jitnorm_primitive_desc(jitnorm_engine_t engine, const jitnorm_primitive_attr *attr, // null: defaults
                           std::shared_ptr<const jitnorm::impl::api::described> what);
};

namespace jitnorm::impl::api {

// ---- the tensors that a primitive reads and writes, their slots and their execution arguments

using layer_norm::arg_of;
using layer_norm::slot;
using layer_norm::slot_of;
using enum layer_norm::slot;

enum class role { absent, input, output, ignored /* may be given, but is neither read nor written */ };

struct tensor {
    role as;
    const memory_desc *md; // belongs to `described`; empty if the tensor is absent
};

// The table of tensors in jitnorm.h, as code.
tensor tensor_of(const described &what, slot s);

// ---- problems of some rows or columns of larger tensors (c_partial.cpp)

// Whether the rows of src may be those from `first` on of `all` rows, or its columns so: cuts are at certain places.
status check_row_range(const memory_desc &src, dim_t first, dim_t all);
status check_column_range(const memory_desc &src, dim_t first, dim_t all);

} // namespace jitnorm::impl::api
