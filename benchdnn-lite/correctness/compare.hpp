// SPDX-License-Identifier: Apache-2.0
// compare: checks the elements of one tensor against what the oracle expects.
#pragma once

#include <string>
#include <vector>

#include "../problem/buffer.hpp"
#include "oracle.hpp"

namespace benchdnn_lite {

// Whether the result lies within the tolerance plus half an ulp for one rounding to the type. Integers and f8 saturate,
// and NaN becomes 0 in integers. Otherwise NaN and infinities must be met exactly, except that an infinity may stand
// for a value that may round to it.
bool is_acceptable(data_type type, const expectation &e, double got);

// Whether the result is the expected value, rounded once.
bool is_exact(data_type type, const expectation &e, double got);

// How the elements of a tensor are checked.
struct acceptance {
    bool (*accepts)(data_type type, const expectation &e, double got) = is_acceptable;
    std::string rule; // shown in reports in place of the allowed error
};

// Checks the elements of one tensor: counts the wrong ones, and knows the worst and where they lie.
class comparison {
public:
    comparison(std::string tensor, const layout &shape, acceptance how = {})
        : tensor_(std::move(tensor)), shape_(shape), how_(std::move(how)) {}

    void add(dim_t number, const expectation &e, double got);
    void add_equal(size_t count) { total_ += count; }
    void add_fault(std::string what) { faults_.push_back(std::move(what)); } // not about one element
    void merge(const comparison &other);                                     // of other elements of the same tensor

    size_t errors() const { return errors_ + faults_.size(); }
    size_t total() const { return total_; }
    const std::string &tensor() const { return tensor_; }
    // The largest ratio of error to allowed error among accepted elements.
    double worst_of_allowed() const { return double(worst_accepted_); }
    std::vector<std::string> report() const; // for the worst element, and for each fault

private:
    struct range {
        dim_t least = -1, most = -1;
        void widen(dim_t value);
    };
    struct wrong_element {
        real excess = -1; // error over allowed error
        dim_t number = 0;
        expectation expected{};
        double got = 0;
    };
    std::string worst_line() const;
    std::string place() const;

    std::string tensor_;
    layout shape_;
    acceptance how_;
    size_t errors_ = 0, total_ = 0;
    wrong_element worst_;
    real worst_accepted_ = 0;
    range rows_, columns_; // of the wrong elements
    std::vector<std::string> faults_;
};

} // namespace benchdnn_lite
