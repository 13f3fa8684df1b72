// SPDX-License-Identifier: Apache-2.0
// backward_unit_executor: the executor of backward for rows_interleaved. Threads take units. The sums of all row blocks
// are kept in the scratchpad and are added in the order of the blocks when all of them are there.
#pragma once

#include "../norm/executor.hpp"
#include "backward_share.hpp"
#include "gradient_sums.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
class backward_unit_executor final : public executor {
public:
    backward_unit_executor(const problem &p, const plan &how, std::shared_ptr<const backward_kernels<T>> kernels);

    jitnorm_status_t execute(const arguments &args) const override;

private:
    using share = backward_share<T, rows_interleaved>;

    void run_units(share &mine, range units) const;
    void add_blocks(std::byte *common, dim_t part) const;

    backward_parts<T> parts_;
    const backward_work &work_;
    rows_interleaved rows_;
    gradient_sums<T> gradients_;
};

} // namespace jitnorm::impl::layer_norm
