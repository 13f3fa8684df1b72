// SPDX-License-Identifier: Apache-2.0
#include "backward_unit_executor.hpp"

#include <cstring>

namespace jitnorm::impl::layer_norm {

template <typename T>
backward_unit_executor<T>::backward_unit_executor(const problem &p, const plan &how,
                                                  std::shared_ptr<const backward_kernels<T>> kernels)
    : parts_(p, how, kernels), work_(parts_.work), rows_(row_tensors_of(parts_.p), how), gradients_(p, work_, kernels) {
}

template <typename T>
jitnorm_status_t backward_unit_executor<T>::execute(const arguments &args) const {
    const walk how = parts_.how.on(max_threads(), false);
    std::byte *const common = parts_.how.scratchpad.common(args[SCRATCHPAD]);
    parallel_parts(how.threads, [&](int number) {
        share mine(parts_, rows_, args, how, number);
        run_units(mine, split(rows_.units(), how.threads, number));
        mine.finish();
    });
    parallel_parts(how.threads, [&](int number) {
        const range parts = split(work_.cut().parts(), how.threads, number);
        for (dim_t part = parts.begin; part < parts.end; ++part) add_blocks(common, part);
    });
    gradients_.finish_parts(args, common, 1);
    return jitnorm_success;
}

template <typename T>
void backward_unit_executor<T>::run_units(share &mine, range units) const {
    const dim_t block_rows = work_.cut().block_rows();
    mine.for_each_batch(units, [&](backward_batch<T> &b, dim_t first) {
        T *const sums = work_.template kept_block_sums<T>(mine.common(), first / block_rows);
        if (first % block_rows == 0) std::memset(sums, 0, size_t(work_.width()) * sizeof(T));
        mine.run(b, {0, b.rows}, gradients_.begin(sums, work_.pitch()));
    });
}

template <typename T>
void backward_unit_executor<T>::add_blocks(std::byte *common, dim_t part) const {
    double *const sums = work_.part_sums(common, part);
    const range blocks = work_.cut().part(part);
    for (dim_t block = blocks.begin; block < blocks.end; ++block)
        gradients_.add_block(block == blocks.begin ? nullptr : sums, work_.template kept_block_sums<T>(common, block),
                             sums, work_.width());
}

template class backward_unit_executor<float>;
template class backward_unit_executor<double>;

} // namespace jitnorm::impl::layer_norm
