// SPDX-License-Identifier: Apache-2.0
// The kernel of forward: its passes over rows in each pass_order. In bands it does rows from their first load to their
// last store: a band of rows is reduced, their scalar steps are done, four rows side by side, and the band is written
// while it is in L1. Rows of several chunks are reduced chunk by chunk; forward_arguments::next_chunk does their scalar
// steps.
#include <array>
#include <bit>

#include "../../math/moments.hpp"
#include "addition_pass.hpp"
#include "normalize_pass.hpp"
#include "reduction_pass.hpp"

namespace jitnorm::impl::jit {

namespace {

class forward_generator : public rows_generator {
    using arguments = forward_arguments<float>;
    using xmm = Xbyak::Xmm;

public:
    explicit forward_generator(const forward_conf &conf)
        : rows_generator(conf.kind, room_for(conf.added, conf.reduced, conf.written), conf.order),
          centered_(conf.written && conf.written->centered) {
        if (conf.reduced) reduced_.emplace(*this, shared_, *conf.reduced);
        if (conf.written) written_.emplace(*this, shared_, *conf.written);
        if (conf.added) added_.emplace(*this, shared_, *conf.added);
        open_frame();
        switch (order_) {
        case pass_order::one_pass:
            take_all(JITNORM_ARGUMENT(rows));
            added_ ? added_->do_all() : reduced_ ? reduced_->do_all() : written_->do_all();
            break;
        case pass_order::by_bands:
            begin_bands(JITNORM_ARGUMENT(band_rows), JITNORM_ARGUMENT(rows));
            reduce_band();
            return_to_band();
            written_->do_all();
            end_bands(JITNORM_ARGUMENT(rows));
            break;
        case pass_order::one_row:
            do_one_row();
            break;
        }
        close_frame();
    }
    std::string name() const {
        switch (order_) {
        case pass_order::by_bands:
            return written_->name(centered_ ? "forward_rows" : "forward_rows_rms");
        case pass_order::one_row:
            return written_->name(centered_ ? "forward_row" : "forward_row_rms");
        default:
            return added_ ? added_->name() : reduced_ ? reduced_->name() : written_->name();
        }
    }

private:
    // ---- bands

    void reduce_band() {
        detour &chunked = rarely([this] { go_on_to_next_chunk(); });
        detour &unfinished = rarely([this] { call_for_band(JITNORM_ARGUMENT(refine)); });
        L(chunk_);
        return_to_band();
        if (added_) added_->do_all();
        if (added_ && reduced_) return_to_band();
        if (reduced_) reduced_->do_all();
        jump_if_rows_have_chunks(chunked.begin);
        find_scalars_of_band(unfinished.begin);
        L(chunked.end);
        L(unfinished.end);
    }

    // After all rows of the band: the steps are one chain, of which each waits for the one before. Four rows share a
    // chain in vectors, and the chains of the next four overlap with theirs.
    void find_scalars_of_band(const Xbyak::Label &unfinished) {
        register_set free = registers;
        const reg any = free.take(r8); // not 0: the first reduction was not enough for some row
        const vmm p = xmm_of(free.take_vector()), s = xmm_of(free.take_vector()), q = xmm_of(free.take_vector());
        const auto find = [&](int rows) {
            const auto load = [&](const vmm &to, size_t array) {
                const Xbyak::Address from = address_of(array, sizeof(float));
                rows == 1 ? vmovss(to, from) : vmovups(to, from);
            };
            if (centered_) load(p, JITNORM_ARRAY(pivot));
            if (centered_) load(s, JITNORM_ARRAY(s));
            load(q, JITNORM_ARRAY(q));
            do_scalar_steps({rows, p, s, q}, free);
            or_(any.cvt32(), flag_);
            add(index_, rows);
        };
        row_loop rows(*this, index_, shared_.left, shared_.band_end, {});
        xor_(any.cvt32(), any.cvt32());
        return_to_band();
        rows.while_left(4, [&] { find(4); });
        rows.while_left(1, [&] { find(1); });
        test(any, any);
        jnz(unfinished, NEAR);
    }

    // ---- rows of several chunks

    void jump_if_rows_have_chunks(const Xbyak::Label &to) {
        cmp(qword[JITNORM_ARGUMENT(next_chunk).getRegExp()], 0);
        jnz(to, NEAR);
    }

    void go_on_to_next_chunk() {
        call_for_band(JITNORM_ARGUMENT(next_chunk));
        test(al, al);
        jnz(chunk_, NEAR);
    }

    // ---- one row, whose scalars stay in registers

    void do_one_row() {
        const std::array<vmm, 3> results = written_->scalars_of_one();
        const auto load_results = [this, results] {
            for (size_t i = 0; i < results.size(); ++i) vmovss(xmm_of(results[i]), address_of(RESULTS[i], 4));
        };
        detour &chunked = rarely([this, load_results] {
            go_on_to_next_chunk();
            load_results();
        });
        detour &unfinished = rarely([this, load_results] {
            call_for_band(JITNORM_ARGUMENT(refine));
            load_results();
        });
        L(chunk_);
        xor_(index_.cvt32(), index_.cvt32());
        reduced_rows sums = added_ ? added_->add_only_row() : reduced_rows();
        if (reduced_) sums = reduced_->sum_only_row();
        jump_if_rows_have_chunks(chunked.begin);
        register_set free = registers; // no pass keeps one
        free.exclude(std::array{sums.p, sums.s, sums.q});
        free.exclude(results);
        const scalars found = do_scalar_steps(sums, free);
        jnz(unfinished.begin, NEAR);
        vmovaps(xmm_of(results[0]), found.hi);
        vmovaps(xmm_of(results[1]), found.rstd);
        vmovaps(xmm_of(results[2]), found.bias);
        L(chunked.end);
        L(unfinished.end);
        written_->write_only_row();
    }

    // ---- the scalar steps between the reduction and the writing (moments.hpp), of one row or of four side by side

    struct scalars { // registers
        int rows;
        xmm hi, rstd, bias;     // floats
        vmm mean, lo, variance; // doubles, at first the floats p, s and q
        vmm work, inverse;      // doubles

        vmm wide(const vmm &v) const { return part_of(v, rows * int(sizeof(double))); }
    };

    // Finds the scalars and stores them: floats (zeros for hi and bias of rms_norm), and variances as doubles. Changes
    // the registers of `of` and the first four of `free`, which must be below 16, since comparisons are encoded by VEX.
    // Sets flag_ to zero if the first reduction is enough for all rows, and for one row the processor's zero flag then
    // (jnz: it is not).
    scalars do_scalar_steps(const reduced_rows &of, register_set free) {
        const auto wide = [&](const vmm &v) { return part_of(v, of.rows * int(sizeof(double))); };
        const auto take = [&] { return xmm_of(free.take_vector()); };
        const xmm hi = take(), rstd = take(), work = take(), inverse = take(), bias = centered_ ? xmm_of(of.p) : hi;
        const scalars to{of.rows, hi, rstd, bias, wide(of.p), wide(of.s), wide(of.q), wide(work), wide(inverse)};
        check_range(to);
        vcvtps2pd(to.variance, xmm_of(to.variance));
        in_double_.broadcast(to.inverse, JITNORM_ARGUMENT(inverse_count));
        if (centered_) find_mean_and_m2(to);
        find_variance_and_rstd(to);
        find_bias(to);
        if (of.rows == 1) and_(flag_, 1); // the other lanes have no meaning
        store(to);
        return to;
    }

    // A NaN is out of range.
    void check_range(const scalars &to) {
        constexpr uint8_t NOT_GREATER_EQUAL = 0x19, NOT_LESS_EQUAL = 0x16;
        const xmm q = xmm_of(to.variance), small = to.hi, large = to.rstd;
        vcmpps(small, q, vector_of(layer_norm::SMALLEST_SQUARES), NOT_GREATER_EQUAL);
        vcmpps(large, q, vector_of(layer_norm::LARGEST_SQUARES), NOT_LESS_EQUAL);
        vorps(small, small, large);
        vmovmskps(flag_, small);
    }

    // Makes m2 = q - s * s / n, since pivots are not the means, and mean = p + s / n, which is hi + lo.
    void find_mean_and_m2(const scalars &to) {
        constexpr uint8_t GREATER = 0x1E;
        const Xbyak::Reg32 is_poor = shared_.left.cvt32(); // not 0: some pivot is too far from its mean
        const vmm &m2 = to.variance, &sum = to.lo, &shift = to.work;
        const vmm excess = to.wide(to.rstd), limit = to.wide(to.hi);
        vcvtps2pd(sum, xmm_of(sum));
        vcvtps2pd(to.mean, xmm_of(to.mean));
        in_double_.mul(shift, sum, to.inverse);
        in_double_.mul(excess, sum, shift);
        in_double_.sub(m2, m2, excess);
        broadcast(limit, layer_norm::PIVOT_LIMIT);
        in_double_.mul(limit, limit, m2);
        vcmppd(limit, excess, limit, GREATER);
        vmovmskpd(is_poor, limit);
        or_(flag_, is_poor);
        in_double_.add(to.mean, to.mean, shift);
        vcvtpd2ps(to.hi, to.mean);
        vcvtps2pd(to.lo, to.hi);
        in_double_.sub(to.lo, to.mean, to.lo);
    }

    // variance = m2 / n, rstd = 1 / sqrt(variance + epsilon)
    void find_variance_and_rstd(const scalars &to) {
        const vmm &root = to.work, deviation = to.wide(to.rstd);
        in_double_.mul(to.variance, to.variance, to.inverse);
        in_double_.broadcast(root, JITNORM_ARGUMENT(epsilon));
        in_double_.add(root, root, to.variance);
        in_double_.sqrt(root, root);
        broadcast(deviation, 1);
        in_double_.div(deviation, deviation, root);
        vcvtpd2ps(to.rstd, deviation);
    }

    // bias = -(lo * rstd). The rstd of a row whose squares are in range is finite, so an lo of zero makes a bias of
    // zero, as bias_of() does; refine() finds the bias of the others.
    void find_bias(const scalars &to) {
        if (!centered_) return vxorps(to.hi, to.hi, to.hi);
        const xmm shift = xmm_of(to.lo);
        vcvtps2pd(to.work, to.rstd);
        in_double_.mul(to.lo, to.lo, to.work);
        vcvtpd2ps(shift, to.lo);
        vxorps(to.bias, to.bias, to.bias);
        vsubps(to.bias, to.bias, shift);
    }

    void store(const scalars &found) {
        const auto store = [&](size_t array, const xmm &v) {
            const Xbyak::Address to = address_of(array, sizeof(float));
            found.rows == 1 ? vmovss(to, v) : vmovups(to, v);
        };
        store(RESULTS[0], found.hi);
        store(RESULTS[1], found.rstd);
        store(RESULTS[2], found.bias);
        const Xbyak::Address variance = address_of(JITNORM_ARRAY(variance), sizeof(double));
        found.rows == 1 ? vmovsd(variance, xmm_of(found.variance)) : vmovupd(variance, found.variance);
    }

    void broadcast(const vmm &to, double value) {
        in_double_.broadcast(to, qword[constant(std::bit_cast<uint64_t>(value), int(sizeof(double)))]);
    }

    // The elements of rows from the index on.
    Xbyak::Address address_of(size_t array, int size) const { return ptr[element_of(array, index_, size)]; }

    // Calls this function of the caller for the rows of the band. Of the registers that it may change only rdi holds a
    // value that is read later.
    void call_for_band(const Xbyak::Address &function) {
        if (order_ == pass_order::one_row) {
            xor_(esi, esi);
            mov(edx, 1);
        } else {
            mov(rsi, shared_.band_begin);
            mov(rdx, shared_.band_end);
            sub(rdx, rsi);
        }
        mov(rax, function);
        push(rdi);
        sub(rsp, 8);
        vzeroupper();
        call(rax);
        add(rsp, 8);
        pop(rdi);
    }

    static constexpr size_t RESULTS[] = {JITNORM_ARRAY(hi), JITNORM_ARRAY(rstd), JITNORM_ARRAY(bias)};

    const bool centered_; // of the rows that are written: whether they have a mean
    const vector_ops in_double_{*this, true};
    Xbyak::Label chunk_;                                 // the reduction of a band or a row, or of its next chunk
    const Xbyak::Reg32 flag_ = shared_.position.cvt32(); // of rows for which the first reduction is not enough
    std::optional<addition_pass> added_;
    std::optional<reduction_pass> reduced_; // where there is an addition, not if that reduces the rows
    std::optional<normalize_pass> written_;
};

} // namespace

code_ptr code_of(const forward_conf &conf) { return make_kernel<forward_generator>(conf); }

} // namespace jitnorm::impl::jit
