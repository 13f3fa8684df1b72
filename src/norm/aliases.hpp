// SPDX-License-Identifier: Apache-2.0
// aliases: the rule of every front end on tensors that share memory. Inputs may share memory with each other. An output
// may share memory with no other tensor, with one exception: the pairs of IN_PLACE work in place if their types and
// layouts are equal. The check compares the tensors' data handles, not the ranges of memory that the tensors span. A
// tensor without elements may have any handle.
//
// A call may solve several problems, one after the other. The rule then holds for the tensors of all problems: an
// output must not share memory with an input that a later problem reads, either.
#pragma once

#include <span>
#include <vector>

#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

inline constexpr struct {
    slot output, input;
} IN_PLACE[] = {{DST, SRC},           {SUM, RESIDUAL},        {DIFF_SRC, DIFF_DST},
                {DIFF_SRC, DIFF_SUM}, {DIFF_GATED, DIFF_DST}, {DIFF_GATED, DIFF_SUM}};

// How one problem of a call uses one tensor that has elements.
struct tensor_use {
    int tensor; // the tensor's number in the call
    slot place; // its slot in the problem
    bool is_output;
    const memory_desc *md; // null if the tensor cannot work in place
    int step = 0;          // the problem's number in the call
};

// Whether the uses allow the two tensors to have one data handle.
bool may_share(const tensor_use &a, const tensor_use &b) noexcept;

// Whether the problem has both tensors and writes the output in place of the input.
bool works_in_place(const problem &p, slot output, slot input);

// The rule for a fixed set of tensors. It is made once and then checks the addresses of each execution.
class alias_check {
public:
    struct pair {
        int output, other; // tensors that must not have one address; `other` may be an output, too
    };

    alias_check() = default;
    // There may be several uses of one tensor: all are inputs, or all are outputs.
    explicit alias_check(std::span<const tensor_use> uses);
    // For the tensors of one problem, which have the numbers of their slots, and for its scratchpad, if there is one.
    // With run-time sizes only an execution knows which tensors have elements and which work in place; the check then
    // fails for all pairs that might be forbidden.
    alias_check(const problem &p, bool has_scratchpad);

    // Whether two tensors that may not share memory have the same data handle. The tensors' numbers must be slots, all
    // of which have been set.
    bool finds_alias(const arguments &args) const {
        bool equal = false;
        for (const pair p : apart_) equal |= args.given(slot(p.output)) == args.given(slot(p.other));
        return equal;
    }

    // The first pair that may not share memory and does; null if there is none. at(t) is the address of tensor t.
    template <typename Addresses>
    const pair *find(Addresses &&at) const {
        for (const pair &p : apart_)
            if (at(p.output) == at(p.other)) return &p;
        return nullptr;
    }

private:
    std::vector<pair> apart_;
};

// The reason for refusing an execution, from the names of both tensors of a pair.
const char *explain_alias(const char *output, const char *other) noexcept;

} // namespace jitnorm::impl::layer_norm
