// SPDX-License-Identifier: Apache-2.0
#include "aliases.hpp"

#include "problem.hpp"
#include "same_tensor.hpp"

namespace jitnorm::impl::layer_norm {

bool can_work_in_place(const problem &p) {
    return p.is_forward() ? same_tensor(p.src, p.dst) : same_tensor(p.diff_dst, p.diff_src);
}

std::vector<tensor_use> uses_of(const problem &p) {
    const bool forward = p.is_forward(), in_place = can_work_in_place(p), writes = p.statistics_are_outputs();
    const bool has_rows = p.rows() != 0, has_columns = p.row_length() != 0;
    std::vector<tensor_use> uses;
    const auto add = [&](bool is_there, slot place, bool is_output, bool works_in_place = false) {
        if (is_there) uses.push_back({place, is_output, works_in_place});
    };
    if (p.has_elements()) {
        add(true, SRC, false, forward && in_place);
        add(forward, DST, true, in_place);
        add(!forward, DIFF_DST, false, in_place);
        add(p.wants_diff_src(), DIFF_SRC, true, in_place);
    }
    add(has_rows && p.uses_mean(), MEAN, writes);
    add(has_rows && p.uses_variance(), VARIANCE, writes);
    add(has_columns && p.reads_scale(), SCALE, false);
    add(has_columns && forward && p.uses_shift(), SHIFT, false);
    add(has_columns && p.wants_diff_scale(), DIFF_SCALE, true);
    add(has_columns && p.wants_diff_shift(), DIFF_SHIFT, true);
    return uses;
}

alias_check::alias_check(std::span<const tensor_use> with_elements) {
    for (size_t i = 0; i < with_elements.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            if (!may_share(with_elements[i], with_elements[j]))
                apart_.push_back({with_elements[i].place, with_elements[j].place});
}

} // namespace jitnorm::impl::layer_norm
