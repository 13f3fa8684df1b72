// SPDX-License-Identifier: Apache-2.0
// aliases: the rule of every front end on tensors that share memory. Inputs may. An output may not, neither with an
// input nor with another output, but for pairs of one type and layout that work in place: dst and src, the sum and the
// residual, diff_src and diff_dst, diff_src and the sum's gradient. What is compared is where the tensors' first
// elements are, not the ranges they span; tensors without elements may be anywhere.
#pragma once

#include <span>
#include <vector>

#include "executor.hpp"

namespace jitnorm::impl::layer_norm {

// A tensor of an execution as far as the rule goes.
struct tensor_use {
    slot place;
    bool is_output;
    unsigned in_place; // a bit for each pair of the tensor's that works in place
};

// Whether both may be at one place.
constexpr bool may_share(const tensor_use &a, const tensor_use &b) {
    return (!a.is_output && !b.is_output) || (a.in_place & b.in_place) != 0;
}

// Which pairs of a problem's tensors work in place.
class in_place_pairs {
public:
    in_place_pairs() = default; // none
    explicit in_place_pairs(const problem &p);
    unsigned of(slot s) const; // as tensor_use has it

private:
    unsigned working_ = 0; // the pairs, by number
};

// Whether dst may be src, or diff_src diff_dst.
bool can_work_in_place(const problem &p);

// Those of the problem's tensors that have elements; not what only attributes ask for.
std::vector<tensor_use> uses_of(const problem &p);

// Finds out for one execution after another.
class alias_check {
public:
    alias_check() = default;
    explicit alias_check(std::span<const tensor_use> with_elements);

    // Whether two tensors are at one place that may not share it.
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
