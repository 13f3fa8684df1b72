// SPDX-License-Identifier: Apache-2.0
#include "grouped_executor.hpp"

#include <algorithm>

#include "../base/parallel.hpp"
#include "../reference/no_elements.hpp"

namespace jitnorm::impl::layer_norm {

grouped_executor::grouped_executor(const problem &p, std::shared_ptr<const executor> one, int groups_at_once,
                                   size_t scratchpad_bytes)
    : one_(std::move(one)), groups_at_once_(groups_at_once), scratchpad_bytes_(dim_t(scratchpad_bytes)) {
    if (!p.has_runtime_sizes()) groups_.emplace(p);
}

jitnorm_status_t grouped_executor::execute(const arguments &args) const {
    if (groups_) {
        execute_groups(*groups_, args, nullptr);
    } else if (!args.sizes->has_elements()) { // however many groups there are
        return execute_without_elements(*args.sizes, args);
    } else {
        const problem sizes = one_group(*args.sizes);
        execute_groups(row_groups(*args.sizes), args, &sizes);
    }
    return jitnorm_success;
}

// An execution that has been accepted does not fail.
void grouped_executor::execute_groups(const row_groups &groups, const arguments &args, const problem *sizes) const {
    const int threads = groups_at_once_ == 1 ? 1 : std::min(groups_at_once_, max_threads());
    parallel_parts(threads, [&](int share) {
        arguments one;
        one.sizes = sizes;
        one.planned = args.planned;
        one.set(SCRATCHPAD, static_cast<std::byte *>(args[SCRATCHPAD]) + share * scratchpad_bytes_);
        const range mine = split(groups.count(), threads, share);
        for (dim_t group = mine.begin; group < mine.end; ++group) {
            groups.locate(group, args, one);
            one_->execute(one);
        }
    });
}

} // namespace jitnorm::impl::layer_norm
