// SPDX-License-Identifier: Apache-2.0
// aliases: the rule of every front end on tensors that share memory. Inputs may share memory with each other. An output
// may share memory with no other tensor, with one exception: these pairs work in place if their types and layouts are
// equal: dst and src, the sum and the residual, diff_src and diff_dst, diff_src and the sum's gradient. The check
// compares the tensors' data handles, not the ranges of memory that the tensors span. A tensor without elements may
// have any handle.
#pragma once

#include <span>
#include <vector>

#include "executor.hpp"

namespace jitnorm::impl::layer_norm {

// What the rule has to know of one tensor of an execution.
struct tensor_use {
    slot place;
    bool is_output;
    unsigned in_place; // one bit for each pair that the tensor belongs to and that works in place
};

// Whether two different tensors may have the same data handle.
constexpr bool may_share(const tensor_use &a, const tensor_use &b) {
    return (!a.is_output && !b.is_output) || (a.in_place & b.in_place) != 0;
}

// Which pairs of a problem's tensors work in place.
class in_place_pairs {
public:
    in_place_pairs() = default; // no pair works in place
    explicit in_place_pairs(const problem &p);
    unsigned of(slot s) const; // the value for tensor_use::in_place

private:
    unsigned working_ = 0; // one bit for each pair that works in place
};

// Whether dst may have the data handle of src (forward), or diff_src that of diff_dst (backward).
bool can_work_in_place(const problem &p);

// The problem's tensors that have elements. Not among them are scales of attributes (given or found), tensors of
// post-ops and the scratchpad.
std::vector<tensor_use> uses_of(const problem &p);

// The rule for a fixed set of tensors. It is made once and then checks the arguments of each execution.
class alias_check {
public:
    alias_check() = default;
    explicit alias_check(std::span<const tensor_use> with_elements);

    // Whether two tensors that may not share memory have the same data handle.
    bool fails(const arguments &args) const {
        bool equal = false;
        for (const pair p : apart_) equal |= args[p.one] == args[p.other];
        return equal;
    }

private:
    struct pair {
        slot one, other;
    };
    std::vector<pair> apart_;
};

constexpr const char *FORBIDDEN_ALIAS = "an output is at the place of another tensor";

} // namespace jitnorm::impl::layer_norm
