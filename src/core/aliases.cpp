// SPDX-License-Identifier: Apache-2.0
#include "aliases.hpp"

#include "problem.hpp"
#include "same_tensor.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

struct pair_of_tensors {
    slot output, input;
};
constexpr pair_of_tensors PAIRS[] = {{DST, SRC}, {SUM, RESIDUAL}, {DIFF_SRC, DIFF_DST}, {DIFF_SRC, DIFF_SUM}};

} // namespace

in_place_pairs::in_place_pairs(const problem &p) {
    const residual_addition &residual = p.attr.residual;
    const bool work[] = {p.is_forward() && same_tensor(p.src, p.dst),
                         p.writes_sum() && same_tensor(residual.added, residual.sum),
                         p.wants_diff_src() && same_tensor(p.diff_dst, p.diff_src),
                         p.reads_diff_sum() && same_tensor(residual.sum, p.diff_src)};
    for (size_t i = 0; i < std::size(PAIRS); ++i) working_ |= unsigned(work[i]) << i;
}

unsigned in_place_pairs::of(slot s) const {
    unsigned mine = 0;
    for (size_t i = 0; i < std::size(PAIRS); ++i) mine |= unsigned(PAIRS[i].output == s || PAIRS[i].input == s) << i;
    return mine & working_;
}

bool can_work_in_place(const problem &p) {
    return p.is_forward() ? same_tensor(p.src, p.dst) : same_tensor(p.diff_dst, p.diff_src);
}

std::vector<tensor_use> uses_of(const problem &p) {
    const bool forward = p.is_forward(), writes = p.statistics_are_outputs();
    const bool has_rows = p.rows() != 0, has_columns = p.row_length() != 0;
    const in_place_pairs pairs(p);
    std::vector<tensor_use> uses;
    const auto add = [&](bool is_there, slot place, bool is_output) {
        if (is_there) uses.push_back({place, is_output, pairs.of(place)});
    };
    if (p.has_elements()) {
        add(true, SRC, false);
        add(forward, DST, true);
        add(p.adds_residual(), RESIDUAL, false);
        add(p.writes_sum(), SUM, true);
        add(p.writes_unquantized(), UNQUANTIZED, true);
        add(!forward, DIFF_DST, false);
        add(p.reads_diff_sum(), DIFF_SUM, false);
        add(p.wants_diff_src(), DIFF_SRC, true);
    }
    add(has_rows && p.uses_mean(), MEAN, writes);
    add(has_rows && p.uses_variance(), VARIANCE, writes);
    add(has_columns && p.reads_scale(), SCALE, false);
    add(has_columns && forward && p.uses_shift(), SHIFT, false);
    add(has_columns && p.reads_bias(), BIAS, false);
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
