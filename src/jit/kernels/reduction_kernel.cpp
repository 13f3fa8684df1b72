// SPDX-License-Identifier: Apache-2.0
#include "forward_passes.hpp"

namespace jitnorm::impl::jit {

reduction_pass::reduction_pass(kernel_generator &g, const pass_place &where, const reduction_conf &conf)
    : row_pass(g, where), conf_(conf) {}

std::string reduction_pass::name(const char *what) const {
    return kernel_name(
        what, g_.kind, {conf_.src},
        {{!conf_.centered, "rms"}, {conf_.repeated, "repeated"}, {conf_.ahead == prefetch_to::l2, "to_l2"}});
}

int reduction_pass::frame_bytes() const {
    return block_lanes_ + (where_.in_turns ? block_lanes_ : sums_of_eights::BYTES);
}

void reduction_pass::sum_all() {
    prepare();
    rows_.begin();
    if (has_eights()) sum_eights([](const reduced_rows &) {});
    rows_.step(1, [&] { sum_row(); });
}

void reduction_pass::sum_piece(const paired_rows &rows, bool prefetches) {
    prepare();
    rows_.point_to_row();
    if (finds_pivots()) rows.at_first([&] { find_pivot(); });
    if (conf_.centered) broadcast_pivot();
    const reg &ahead = stride_; // pieces have no eights
    if (prefetches) point_ahead(ahead, src_, JITNORM_ARGUMENT(prefetch));
    blocks_.sum_piece(
        rows, sums_, int(q_.size()),
        [&](places vectors) {
            if (prefetches) loop_.prefetch(ahead, vectors, conf_.src);
            add(vectors);
        },
        [&] { store_sums(); });
}

void reduction_pass::sum_band(function_ref<void(const reduced_rows &)> finish) {
    prepare();
    rows_.point_to_row();
    sum_eights(finish);
    rows_.step(1, [&] { finish(sum_single()); });
}

reduced_rows reduction_pass::sum_one() {
    prepare();
    rows_.begin();
    return sum_single();
}

reduced_rows reduction_pass::sum_single() {
    if (finds_pivots()) {
        find_pivot();
        g_.ops.broadcast(pivot_, xmm_of(d_[0]));
    }
    sum_vectors();
    store_sums();
    std::vector<int> free = registers_between_rows().free_vectors();
    std::erase_if(free, [&](int i) { return i == pivot_.getIdx() || i == s_[0].getIdx() || i == q_[0].getIdx(); });
    return {1, 0, pivot_, s_[0], q_[0], free};
}

register_set reduction_pass::registers_between_rows() const {
    register_set free = registers_;
    for (const std::vector<vmm> &some : {s_, q_, d_, {pivot_}}) free.give_back(some);
    return free;
}

// At most one of the last three needs the register.
void reduction_pass::prepare() {
    g_.mov(count_, JITNORM_ARGUMENT(count));
    tail_.prepare(count_, left_, where_.loops.position);
    if (conf_.repeated) g_.ops.broadcast(factor_, JITNORM_ARGUMENT(factor));
    if (finds_pivots()) pivots_.begin(left_);
    const vmm kept = registers_.take_vector();
    if (unpacks()) io_.use_unpack_order(kept);
    if (conf_.src == jitnorm_bf16) io_.permute_bf16(kept);
    if (uses_products()) products_.keep(kept);
}

// By products S takes all differences if additions share their pipes with conversions. It takes every other one if
// nothing is converted: then additions and products have equal work.
bool reduction_pass::uses_products() const {
    return conf_.centered && (widens_like_adding(conf_.src) || conf_.src == conf_.compute);
}

bool reduction_pass::subtracts_by_products(size_t slot) const {
    return uses_products() && (widens_like_adding(conf_.src) || slot % 2 != 0);
}

// Sums up as many eights as there are, but none of rows with fewer than four elements, whose pivots are found in
// another way.
void reduction_pass::sum_eights(function_ref<void(const reduced_rows &)> finish) {
    Xbyak::Label end;
    g_.cmp(count_, 4);
    g_.jb(end, NEAR);
    g_.mov(stride_, JITNORM_ARGUMENT(row_stride));
    rows_.while_left(sums_of_eights::ROWS, [&] {
        Xbyak::Label summed;
        if (conf_.centered) find_pivots_of_eight();
        eights_.begin();
        if (conf_.short_rows) sum_short_rows(summed);
        sum_rows_of_eight();
        g_.L(summed);
        eights_.add_up(registers_between_rows(), finish);
    });
    g_.L(end);
}

void reduction_pass::find_pivots_of_eight() {
    g_.mov(rest_, src_);
    pivots_.find_eight(four_, ymm_of(d_[0]), rest_, stride_, other_);
    g_.vmovups(g_.ptr[rows_.numbers(JITNORM_ARGUMENT(pivot))], four_[0]);
}

void reduction_pass::sum_rows_of_eight() {
    Xbyak::Label row;
    g_.L(row);
    if (conf_.centered) broadcast_pivot();
    sum_vectors();
    const Xbyak::Ymm q = total_.to_ymm(q_), s = conf_.centered ? total_.to_ymm(s_) : q;
    eights_.keep(s, q);
    rows_.move_on();
    g_.test(index_, sums_of_eights::ROWS - 1);
    g_.jnz(row, NEAR);
}

// The same for rows of a few vectors: there is code without a loop for each number of vectors. The sums of differences
// have the other sign until they are whole.
void reduction_pass::sum_short_rows(Xbyak::Label &done) {
    if (conf_.centered) g_.mov(rest_, JITNORM_ARGUMENT(pivot));
    loop_.begin(count_);
    loop_.walk_straight(SHORT_ROW_VECTORS, done, [&](places vectors) {
        Xbyak::Label row;
        g_.L(row);
        if (conf_.centered) g_.ops.broadcast(pivot_, g_.ptr[rows_.numbers(rest_)]);
        for (const place &p : vectors) add_straight(p);
        const auto used = [&](lanes sums) { return sums.first(std::min(vectors.size(), sums.size())); };
        const Xbyak::Ymm q = straight_total_.to_ymm(used(q_)),
                         s = conf_.centered ? straight_total_.to_ymm(used(s_)) : q;
        if (conf_.centered) {
            g_.ops.clear(ymm_of(d_[0]));
            g_.ops.sub(s, ymm_of(d_[0]), s);
        }
        eights_.keep(s, q);
        rows_.move_on();
        g_.test(index_, sums_of_eights::ROWS - 1);
        g_.jnz(row, NEAR);
    });
}

// The first vectors of a row initialize the lanes.
void reduction_pass::add_straight(const place &p) {
    const size_t lane = size_t(p.slot) % q_.size();
    const bool first = size_t(p.slot) < q_.size();
    const vmm &d = first ? s_[lane] : d_[size_t(p.slot) % 2];
    difference_.emit(d, pivot_, src_, p);
    if (conf_.centered && p.tail) tail_.zero_absent(d);
    if (first) return g_.ops.mul(q_[lane], d, d);
    if (conf_.centered) g_.ops.add(s_[lane], s_[lane], d);
    g_.ops.fma231(q_[lane], d, d);
}

// Sums up one of the rows that eights leave over.
void reduction_pass::sum_row() {
    if (finds_pivots()) find_pivot();
    if (conf_.centered) broadcast_pivot();
    sum_vectors();
    store_sums();
}

void reduction_pass::sum_vectors() {
    blocks_.sum(sums_, int(q_.size()), [&](places vectors) {
        loop_.prefetch(src_ + AHEAD_TO_L2, vectors, conf_.src, conf_.ahead);
        add(vectors);
    });
}

void reduction_pass::find_pivot() {
    const Xbyak::Xmm pivot = xmm_of(d_[0]);
    pivots_.find(pivot, d_[1], src_);
    g_.ops.store_lowest(g_.ptr[rows_.numbers(JITNORM_ARGUMENT(pivot))], pivot);
}

void reduction_pass::broadcast_pivot() { rows_.broadcast(JITNORM_ARGUMENT(pivot), std::span(&pivot_, 1)); }

void reduction_pass::store_sums() {
    if (conf_.centered) store_sum(JITNORM_ARGUMENT(s), s_);
    store_sum(JITNORM_ARGUMENT(q), q_);
}

void reduction_pass::store_sum(const Xbyak::Address &array, lanes sum) {
    g_.ops.store_lowest(g_.ptr[rows_.numbers(array)], total_.to_lowest(sum));
}

void reduction_pass::add(places vectors) {
    difference_.emit_all(d_, pivot_, src_, vectors);
    for (const place &p : vectors) {
        if (conf_.centered && p.tail) tail_.zero_absent(d_[size_t(p.slot)]);
        unpacks() && !io_.in_unpack_order(vectors) ? accumulate_spread(size_t(p.slot)) : accumulate(size_t(p.slot));
    }
}

void reduction_pass::accumulate_spread(size_t slot) {
    const size_t first = slot - slot % 2, second = first + 1;
    spread_to_unpack_order(g_, ymm_of(d_[first]), ymm_of(d_[second]), slot == second);
    accumulate(first);
    accumulate(second);
}

void reduction_pass::accumulate(size_t slot) {
    const vmm &d = d_[slot];
    if (conf_.repeated) g_.ops.mul(d, d, factor_);
    if (subtracts_by_products(slot))
        products_.subtract(s_[slot], d);
    else if (conf_.centered)
        g_.ops.sub(s_[slot], s_[slot], d);
    g_.ops.fma231(q_[slot], d, d);
}

code_ptr code_of(const reduction_conf &conf) {
    return make_kernel<single_pass_generator<reduction_pass, &reduction_pass::sum_all>>(conf);
}

} // namespace jitnorm::impl::jit
