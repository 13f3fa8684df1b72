// SPDX-License-Identifier: Apache-2.0
#include "backward_work.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// The pitch is no multiple of 4096 bytes, so that the sums of scale and shift do not compete for the same sets of L1.
dim_t pitch_for(dim_t columns) {
    constexpr dim_t IN_LINE = 64 / dim_t(sizeof(float));
    return ((columns + IN_LINE - 1) / IN_LINE | 1) * IN_LINE;
}

} // namespace

backward_work::backward_work(const problem &p)
    : rows_(p.rows()), columns_(p.row_length()), cut_(row_blocks_of(p)),
      gradients_(int(p.writes(DIFF_SCALE)) + int(p.writes(DIFF_SHIFT))), element_(p.compute_size()),
      pitch_(pitch_for(columns_)) {}

dim_t backward_work::own_bytes(const plan &how) const {
    const bool may_go_by_chunks = how.may_go_by_chunks(MAX_SHARES);
    const dim_t by_rows = how.only_chunks ? 0 : width() * element_;
    const dim_t by_chunks = may_go_by_chunks ? gradients_ * CHUNK_WIDTH * (element_ + 2 * dim_t(sizeof(double))) : 0;
    return in_whole_lines(std::max(by_rows, by_chunks));
}

dim_t backward_work::common_bytes(const plan &how) const {
    const dim_t kept = how.rows == row_access::interleaved ? cut_.blocks() * width() * element_ : 0;
    const dim_t by_rows = how.only_chunks ? 0 : cut_.parts() * width() * dim_t(sizeof(double)) + kept;
    const dim_t by_chunks = how.may_go_by_chunks(MAX_SHARES) ? 2 * rows_ * chunks() * element_ : 0;
    return std::max(by_rows, by_chunks);
}

} // namespace jitnorm::impl::layer_norm
