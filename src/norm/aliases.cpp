// SPDX-License-Identifier: Apache-2.0
#include "aliases.hpp"

#include <algorithm>

#include "../base/status.hpp"
#include "../tensor/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

tensor_use use_of(const problem &p, slot s) { return {int(s), s, p.writes(s), p.descriptor(s)}; }

// The tensors of a problem that have elements, or may have some.
std::vector<tensor_use> uses_of(const problem &p, bool has_scratchpad) {
    const int slots = FIRST_POST_OP + int(p.attr.post_ops.entries.size());
    const bool is_open = p.has_runtime_sizes();
    std::vector<tensor_use> uses;
    for (int i = 0; i < slots; ++i) {
        const slot s = slot(i);
        if (s == SCRATCHPAD || !p.uses(s)) continue;
        if (!is_open && (s == ROW_SUMS ? p.rows() : nelems(p.layout(s))) == 0) continue;
        uses.push_back({i, s, p.writes(s), is_open ? nullptr : p.descriptor(s)});
    }
    if (has_scratchpad) uses.push_back({SCRATCHPAD, SCRATCHPAD, true, nullptr});
    return uses;
}

} // namespace

// The output may be written by a later problem than the one that reads the input, but not by an earlier one.
bool may_share(const tensor_use &a, const tensor_use &b) noexcept {
    if (a.is_output == b.is_output) return !a.is_output;
    const tensor_use &output = a.is_output ? a : b, &input = a.is_output ? b : a;
    const bool is_pair = std::ranges::any_of(
        IN_PLACE, [&](auto &pair) { return pair.output == output.place && pair.input == input.place; });
    return input.step <= output.step && is_pair && output.md != nullptr && input.md != nullptr &&
           same_tensor(*output.md, *input.md);
}

bool works_in_place(const problem &p, slot output, slot input) {
    return p.writes(output) && p.reads(input) && may_share(use_of(p, output), use_of(p, input));
}

alias_check::alias_check(std::span<const tensor_use> uses) {
    for (size_t i = 0; i < uses.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
            const tensor_use &a = uses[i], &b = uses[j];
            if (a.tensor == b.tensor || may_share(a, b)) continue;
            apart_.push_back(a.is_output ? pair{a.tensor, b.tensor} : pair{b.tensor, a.tensor});
        }
}

alias_check::alias_check(const problem &p, bool has_scratchpad) : alias_check(uses_of(p, has_scratchpad)) {}

const char *explain_alias(const char *output, const char *other) noexcept {
    return explain("%s is an output and has the memory of %s", output, other);
}

} // namespace jitnorm::impl::layer_norm
