// SPDX-License-Identifier: Apache-2.0
#include "backward_work.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

constexpr dim_t CACHE_LINE = 64;

constexpr dim_t whole_lines(dim_t bytes) { return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE; }

// Not a multiple of 4096 bytes, so that the sums of scale and shift do not compete for the same places of L1.
dim_t pitch_for(dim_t columns) {
    constexpr dim_t IN_LINE = CACHE_LINE / dim_t(sizeof(float));
    return ((columns + IN_LINE - 1) / IN_LINE | 1) * IN_LINE;
}

dim_t size_in(const memory_desc &md) { return dim_t(size_of(md.data_type)); }

} // namespace

backward_work::backward_work(const problem &p, dim_t buffer_bytes, bool keeps_blocks, bool prefers_chunks)
    : rows_(p.rows()), columns_(p.row_length()), cut_(rows_, columns_),
      gradients_(int(p.wants_diff_scale()) + int(p.wants_diff_shift())),
      bytes_(rows_ * columns_ *
             (size_in(p.src) + size_in(p.diff_dst) + (p.wants_diff_src() ? size_in(p.diff_src) : 0))),
      row_bytes_read_(columns_ * (size_in(p.src) + size_in(p.diff_dst))),
      element_(p.computes_in_double() ? dim_t(sizeof(double)) : dim_t(sizeof(float))), pitch_(pitch_for(columns_)),
      keeps_blocks_(keeps_blocks), prefers_chunks_(prefers_chunks), buffer_bytes_(whole_lines(buffer_bytes)),
      share_bytes_(buffer_bytes_ + own_bytes()), shares_(most_shares()) {}

int backward_work::row_threads(int available) const {
    return tuning::backward_threads(bytes_, gradients_ > 0 ? cut_.parts() : rows_,
                                    std::min(available, tuning::MAX_PARTS));
}

int backward_work::chunk_threads(int available) const {
    return tuning::backward_threads(bytes_, chunks(), std::min(available, tuning::MAX_PARTS));
}

bool backward_work::always_goes_by_chunks() const {
    return columns_ > CHUNK && (prefers_chunks_ || columns_ > tuning::LONG_ROW);
}

// Chunks are read twice: at twice the threads they win.
bool backward_work::goes_by_chunks(int available) const {
    if (columns_ <= CHUNK) return false;
    return always_goes_by_chunks() || chunk_threads(available) >= 2 * row_threads(available);
}

bool backward_work::may_go_by_chunks() const { return goes_by_chunks(tuning::MAX_PARTS); }

int backward_work::most_shares() const {
    const int by_rows = always_goes_by_chunks() ? 1 : row_threads(tuning::MAX_PARTS);
    return std::max(by_rows, may_go_by_chunks() ? chunk_threads(tuning::MAX_PARTS) : 1);
}

// What a thread has of its own behind its buffer.
dim_t backward_work::own_bytes() const {
    const dim_t by_rows = always_goes_by_chunks() ? 0 : width() * element_;
    const dim_t by_chunks = may_go_by_chunks() ? gradients_ * CHUNK_WIDTH * (element_ + 2 * dim_t(sizeof(double))) : 0;
    return whole_lines(std::max(by_rows, by_chunks));
}

// What all threads share.
dim_t backward_work::common_bytes() const {
    const dim_t kept = keeps_blocks_ ? cut_.blocks() * width() * element_ : 0;
    const dim_t by_rows = always_goes_by_chunks() ? 0 : cut_.parts() * width() * dim_t(sizeof(double)) + kept;
    const dim_t by_chunks = may_go_by_chunks() ? 2 * rows_ * chunks() * element_ : 0;
    return std::max(by_rows, by_chunks);
}

size_t backward_work::scratchpad_bytes() const { return size_t(shares_ * share_bytes_ + common_bytes()); }

std::byte *backward_work::buffer(void *scratchpad, int share) const {
    return static_cast<std::byte *>(scratchpad) + share * share_bytes_;
}
std::byte *backward_work::own(void *scratchpad, int share) const { return buffer(scratchpad, share) + buffer_bytes_; }
std::byte *backward_work::common(void *scratchpad) const { return buffer(scratchpad, shares_); }

double *backward_work::part_sums(void *scratchpad, dim_t part) const {
    return reinterpret_cast<double *>(common(scratchpad)) + part * width();
}
double *backward_work::chunk_part_sums(void *scratchpad, int share) const {
    return reinterpret_cast<double *>(own(scratchpad, share) + gradients_ * CHUNK_WIDTH * element_);
}
double *backward_work::chunk_total(void *scratchpad, int share) const {
    return chunk_part_sums(scratchpad, share) + gradients_ * CHUNK_WIDTH;
}

} // namespace jitnorm::impl::layer_norm
