// SPDX-License-Identifier: Apache-2.0
// compare: judges the elements of one tensor against what the oracle expects.
#pragma once

#include <string>
#include <vector>

#include "buffer.hpp"
#include "oracle.hpp"

namespace benchdnn_lite {

// How far `got` may lie from the expected value: the tolerance and one rounding to the type.
real allowed_error(data_type type, const expectation &e);

// Integers saturate, NaN becomes 0 there; else NaN and infinities must be met exactly, or where rounding leads to them.
bool is_acceptable(data_type type, const expectation &e, double got);

// Of one tensor: how many elements are wrong, and which is worst.
class comparison {
public:
    comparison(std::string tensor, const layout &shape) : tensor_(std::move(tensor)), shape_(shape) {}

    void add(dim_t number, const expectation &e, double got);
    void add_fault(std::string what) { faults_.push_back(std::move(what)); } // not about one element

    size_t errors() const { return errors_ + faults_.size(); }
    size_t total() const { return total_; }
    std::vector<std::string> report() const; // one line for the worst element, one for each fault

private:
    std::string tensor_;
    layout shape_;
    size_t errors_ = 0, total_ = 0;
    real worst_excess_ = 0; // error over allowed error
    dim_t worst_ = 0;
    expectation worst_expectation_{};
    double worst_got_ = 0;
    std::vector<std::string> faults_;
};

} // namespace benchdnn_lite
