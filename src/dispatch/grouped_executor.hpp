// SPDX-License-Identifier: Apache-2.0
// grouped_executor: executes a problem whose scale, shift or gate have row dimensions, as an execution for each group
// of rows (src/norm/row_groups.hpp).
#pragma once

#include <memory>
#include <optional>

#include "../norm/row_groups.hpp"

namespace jitnorm::impl::layer_norm {

class grouped_executor final : public executor {
public:
    // `one` is an executor for one_group(p). So many threads at the most take groups, each of them whole groups; with 1
    // all threads work on one group after the other. Each of these threads has `scratchpad_bytes` of scratchpad.
    grouped_executor(const problem &p, std::shared_ptr<const executor> one, int groups_at_once,
                     size_t scratchpad_bytes);

    jitnorm_status_t execute(const arguments &args) const override;

private:
    void execute_groups(const row_groups &groups, const arguments &args, const problem *sizes) const;

    std::shared_ptr<const executor> one_;
    std::optional<row_groups> groups_; // empty: the problem has run-time sizes
    int groups_at_once_;
    dim_t scratchpad_bytes_;
};

} // namespace jitnorm::impl::layer_norm
