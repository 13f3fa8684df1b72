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
    for (size_t i = 0; i < std::size(PAIRS); ++i) {
        const auto [output, input] = PAIRS[i];
        working_ |= unsigned(p.writes(output) && p.reads(input) && same_tensor(p[output], p[input])) << i;
    }
}

unsigned in_place_pairs::of(slot s) const {
    unsigned mine = 0;
    for (size_t i = 0; i < std::size(PAIRS); ++i) mine |= unsigned(PAIRS[i].output == s || PAIRS[i].input == s) << i;
    return mine & working_;
}

bool can_work_in_place(const problem &p) {
    return p.is_forward() ? same_tensor(p[SRC], p[DST]) : same_tensor(p[DIFF_DST], p[DIFF_SRC]);
}

std::vector<tensor_use> uses_of(const problem &p) {
    const in_place_pairs pairs(p);
    std::vector<tensor_use> uses;
    for (const tensor_kind &t : TENSORS) {
        if (t.dims == extent::scale || t.dims == extent::bytes || !p.uses(t.place)) continue;
        if (bytes(p.layout(t.place)) != 0) uses.push_back({t.place, p.writes(t.place), pairs.of(t.place)});
    }
    return uses;
}

alias_check::alias_check(std::span<const tensor_use> with_elements) {
    for (size_t i = 0; i < with_elements.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            if (!may_share(with_elements[i], with_elements[j]))
                apart_.push_back({with_elements[i].place, with_elements[j].place});
}

} // namespace jitnorm::impl::layer_norm
