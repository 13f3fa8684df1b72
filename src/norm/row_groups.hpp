// SPDX-License-Identifier: Apache-2.0
// row_groups: scale, shift and gate with row dimensions, each of which is 1 or src's. Rows for which they are equal are
// a group. A group is a problem of its own, in which they are vectors, and the results of the whole problem are those
// of its groups (docs/arithmetic.md, "Rows with their own scale and shift"). So src/dispatch executes one after the
// other, or several at once. Only where each row is a group, kernels step through scale, shift and their gradients
// from row to row as they do through src.
#pragma once

#include <algorithm>
#include <array>

#include "implementation.hpp"
#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

// The tensors that may have row dimensions.
constexpr slot GROUPED[] = {SCALE, SHIFT, GATE};

// Whether one of them changes along a row dimension of src. Backward's gate is a scale of a problem of its own.
inline bool changes_along(const problem &p, int d) {
    return std::ranges::any_of(GROUPED, [&](slot s) {
        return p[s].ndims != 0 && p[s].dims[d] != 1 && (s != GATE || !p.has_gate_gradients());
    });
}

// Whether each row has its own scale and shift, those that there are, and in backward its own gradients of them.
bool groups_are_rows(const problem &p);

// The same for a problem that kernels execute: src/dispatch executes others with groups by one_group().
inline bool has_own_rows(const problem &p) { return p[SCALE].ndims != 0 || p[SHIFT].ndims != 0; }

// The problem of one group. Its tensors have the strides of the whole problem's.
problem one_group(const problem &p);

// The groups of a problem whose sizes are known. They are numbered in row-major order.
class row_groups {
public:
    explicit row_groups(const problem &p);

    dim_t count() const { return count_; }
    // Executes one group of the range after the other, until one fails, by an executor for one_group() whose sizes are
    // known. `all` are the arguments of the whole problem, and a scratchpad for one group.
    jitnorm_status_t execute(const executor &one, range groups, const arguments &all) const;

private:
    struct tensor {
        slot place;
        dim_t begin;                       // bytes from the data handle to that of the first group's tensor
        std::array<dim_t, MAX_NDIMS> step; // bytes from group to group, along each dimension of groups
    };

    static tensor find(const problem &p, slot s);
    // Sets the pointers of one_group()'s tensors for a group from the pointers of the whole problem.
    void locate(dim_t group, const arguments &all, arguments &one) const;

    dim_t count_ = 1;
    size_t ndims_ = 0; // dimensions of groups
    std::array<dim_t, MAX_NDIMS> sizes_;
    size_t tensors_ = 0;
    std::array<tensor, SLOT_COUNT> tensor_;
};

// Executes a problem with run-time sizes by an executor for the sizes of these arguments: as a whole, or each group.
inline jitnorm_status_t execute_each_group(const executor &made, const arguments &args) {
    return args.groups == nullptr ? made.execute(args) : args.groups->execute(made, {0, args.groups->count()}, args);
}

} // namespace jitnorm::impl::layer_norm
