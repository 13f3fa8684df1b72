// SPDX-License-Identifier: Apache-2.0
// primitive_desc: what is behind a primitive descriptor of the C interface: a problem and the implementation that will
// solve it.
#pragma once

#include <memory>

#include "../../base/engine.hpp"
#include "../../dispatch/prepare.hpp"
#include "../../norm/problem.hpp"
#include "../attr/attr.hpp"

namespace jitnorm::impl::api {

class executable;

// A problem with a solution. It is immutable, except that it keeps the executable of its primitives. All primitive
// descriptors that were created with the same arguments share it.
class described {
public:
    described(layer_norm::problem to_solve, const layer_norm::solution &chosen);

    // The same problem with another solution. The user's scratchpad keeps the size that the user was told.
    described(const described &other, const layer_norm::solution &chosen);

    // The bytes of scratchpad that the implementation needs, from the user or the library. With run-time sizes and a
    // user's scratchpad they are enough for all sizes.
    size_t scratchpad_bytes() const { return solution.plan.scratchpad.bytes(); }
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
    mutable std::shared_ptr<const executable> made_; // guarded by process_lock
};

} // namespace jitnorm::impl::api

struct jitnorm_primitive_desc {
    jitnorm_engine_t engine;
    jitnorm_primitive_attr attr; // as given, with decided layouts
    std::shared_ptr<const jitnorm::impl::api::described> what;

    jitnorm_primitive_desc(jitnorm_engine_t engine, const jitnorm_primitive_attr *attr, // null: defaults
                           std::shared_ptr<const jitnorm::impl::api::described> what);

    // Moves to the next implementation. If there is none, changes nothing and returns false.
    bool move_to_next_implementation();
};
