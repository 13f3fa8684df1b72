// SPDX-License-Identifier: Apache-2.0
// composite_executors: the executors of problems that are solved as several: rows in groups with their own scale, shift
// or gate, one after the other; backward with a gate, in two steps.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "../base/parallel.hpp"
#include "../norm/gate_gradients.hpp"
#include "../norm/row_groups.hpp"
#include "../reference/reference.hpp"

namespace jitnorm::impl::layer_norm {

// Executes a problem whose scale, shift or gate have row dimensions, as an execution for each group of rows
// (src/norm/row_groups.hpp).
class grouped_executor final : public executor {
public:
    // `one` is an executor for one_group(p). So many threads at the most take groups, each of them whole groups; with 1
    // all threads work on one group after the other. Each of these threads has `scratchpad_bytes` of scratchpad.
    grouped_executor(const problem &p, std::shared_ptr<const executor> one, int groups_at_once, size_t scratchpad_bytes)
        : one_(std::move(one)), one_has_sizes_(!one_group(p).has_runtime_sizes()), groups_at_once_(groups_at_once),
          scratchpad_bytes_(dim_t(scratchpad_bytes)) {
        if (!p.has_runtime_sizes()) groups_.emplace(p);
    }

    jitnorm_status_t execute(const arguments &args) const override {
        if (groups_) return share_groups(args);
        if (!args.sizes->has_elements()) return execute_without_elements(*args.sizes, args); // however many groups
        const row_groups groups(*args.sizes);
        if (one_has_sizes_) return groups.execute(*one_, {0, groups.count()}, args);
        const problem sizes = one_group(*args.sizes);
        arguments all = args;
        all.sizes = &sizes;
        all.groups = &groups;
        return one_->execute(all);
    }

private:
    jitnorm_status_t share_groups(const arguments &args) const {
        const int threads = groups_at_once_ == 1 ? 1 : std::min(groups_at_once_, max_threads());
        std::atomic<jitnorm_status_t> result = jitnorm_success;
        parallel_parts(threads, [&](int thread) {
            arguments all = args;
            all.set(SCRATCHPAD, static_cast<std::byte *>(args[SCRATCHPAD]) + thread * scratchpad_bytes_);
            const jitnorm_status_t code = groups_->execute(*one_, split(groups_->count(), threads, thread), all);
            if (code != jitnorm_success) result = code;
        });
        return result;
    }

    std::shared_ptr<const executor> one_;
    bool one_has_sizes_;               // known ones, as where only the number of groups is left to the execution
    std::optional<row_groups> groups_; // empty: the problem has run-time sizes
    int groups_at_once_;
    dim_t scratchpad_bytes_;
};

// Executes backward with a gate as its two steps (src/norm/gate_gradients.hpp). Both use the scratchpad, one after the
// other.
class gate_executor final : public executor {
public:
    gate_executor(std::shared_ptr<const executor> first, std::shared_ptr<const executor> second)
        : first_(std::move(first)), second_(std::move(second)) {}

    jitnorm_status_t execute(const arguments &args) const override {
        const jitnorm_status_t code = first_->execute(without_gate(args));
        return code == jitnorm_success ? second_->execute(gate_product(args)) : code;
    }

private:
    std::shared_ptr<const executor> first_, second_;
};

} // namespace jitnorm::impl::layer_norm
