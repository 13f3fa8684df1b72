// SPDX-License-Identifier: Apache-2.0
// settings: the state that knobs change. Driver knobs hold lists; a problem descriptor runs their cross product.
#pragma once

#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace benchdnn_lite {

// What to do with a problem; --reset leaves it alone.
struct run_options {
    bool check = true;
    bool time = false;
    bool list = false;       // only print the problem's line
    double max_ms = 3000;    // of timing, per problem
    int64_t fixed_times = 0; // executions to time; 0: as many as max_ms allows
    uint64_t seed = 1;
};

struct settings {
    std::vector<direction> dirs{direction::FWD_D};
    std::vector<row_types> types{row_types{}};
    std::vector<row_tags> tags{row_tags{}};
    std::vector<std::string> stat_tags{"any"};
    std::vector<weight_types> scale_shift_types{weight_types{}};
    std::vector<unsigned> flags{0};
    std::vector<float> epsilons{DEFAULT_EPSILON};
    std::vector<tensor_scales> scales{tensor_scales{}};
    std::vector<std::vector<post_op>> post_ops{{}};
    std::vector<bool> user_scratchpad{false};
    std::vector<bool> in_place{false};
};

struct job {
    problem prb;
    run_options options;
};

// Appends the cross product for one shape, the last list of settings varying fastest. Throws input_error if a tag does
// not fit the shape or the machine could not hold the tensors.
void append_problems(const settings &s, const shape &size, const run_options &options, std::vector<job> &jobs);

} // namespace benchdnn_lite
