// SPDX-License-Identifier: Apache-2.0
// The kernel for rows of forward, from their first load to their last store: a band of rows is reduced, their scalar
// steps are done, four rows side by side, and the band is written while it is in L1. Or the same of a single row, whose
// scalars stay in registers; or rows of one batch are written beside rows of another one that are reduced.
#include <algorithm>

#include "addition_pass.hpp"
#include "normalize_pass.hpp"
#include "reduction_pass.hpp"
#include "scalar_steps.hpp"

namespace jitnorm::impl::jit {

namespace {

static_assert(sums_of_rows::ROWS == BAND_UNIT);

class forward_rows_generator : public rows_generator {
    using arguments = forward_arguments<float>;
    static constexpr size_t WRITTEN = offsetof(forward_loop_arguments<float>, written);

public:
    explicit forward_rows_generator(const forward_rows_conf &conf)
        : rows_generator(conf.written.kind, 2 * room_for(conf.written), conf.order), conf_(conf) {
        if (conf.added) added_.emplace(*this, place(0), *conf.added);
        open_frame();
        switch (order_) {
        case pass_order::by_bands:
            begin_bands(JITNORM_ARGUMENT(band_rows), JITNORM_ARGUMENT(rows));
            reduce_band();
            return_to_band();
            written_.do_all();
            end_bands(JITNORM_ARGUMENT(rows));
            break;
        case pass_order::one_row:
            do_one_row();
            break;
        case pass_order::one_loop:
            pieces_.walk({JITNORM_ARGUMENT(rows), [this] { reduce_piece(); }},
                         {argument(WRITTEN + offsetof(arguments, rows)), [this] { written_.write_piece(); }});
            break;
        }
        close_frame();
    }
    std::string name() const {
        static constexpr const char *NAMES[][2] = {{"forward_rows_rms", "forward_rows"},
                                                   {"forward_row_rms", "forward_row"},
                                                   {"forward_loop_rms", "forward_loop"}};
        return written_.name(NAMES[size_t(order_)][conf_.reduced.centered]);
    }

private:
    // ---- bands

    void reduce_band() {
        if (added_) added_->do_all();
        if (added_ && !conf_.added->reduces) return_to_band();
        if (!added_ || !conf_.added->reduces) reduced_.do_all();
        find_scalars_of_band();
    }

    // After all rows of the band: the steps of four rows wait for each other, but not for those of other rows.
    void find_scalars_of_band() {
        detour &unfinished = rarely([this] { refine(); });
        register_set free = registers;
        const reg any = free.take(r8); // a flag for each row for which the first reduction was not enough
        const vmm p = xmm_of(free.take_vector()), s = xmm_of(free.take_vector()), q = xmm_of(free.take_vector());
        const std::vector<int> rest = free.free_vectors();
        const auto find = [&](int rows) {
            const auto load = [&](const vmm &to, size_t array) {
                const Xbyak::Address from = address_of(array, sizeof(float));
                rows == 1 ? vmovss(to, from) : vmovups(to, from);
            };
            if (conf_.reduced.centered) load(p, offsetof(arguments, pivot));
            if (conf_.reduced.centered) load(s, offsetof(arguments, s));
            load(q, offsetof(arguments, q));
            find_scalars({rows, p, s, q, rest});
            or_(any.cvt32(), loops_.position.cvt32());
            add(index_, rows);
        };
        row_loop rows(*this, index_, loops_.left, qword[rsp + BAND_END], {});
        xor_(any.cvt32(), any.cvt32());
        return_to_band();
        rows.while_left(4, [&] { find(4); });
        rows.while_left(1, [&] { find(1); });
        test(any, any);
        jnz(unfinished.begin, NEAR);
        L(unfinished.end);
    }

    // ---- one row, whose scalars stay in registers

    void do_one_row() {
        detour &unfinished = rarely([this] {
            mov(qword[rsp + BAND_BEGIN], 0);
            mov(qword[rsp + BAND_END], 1);
            refine();
            for (size_t i = 0; i < results_.size(); ++i) vmovss(xmm_of(results_[i]), address_of(RESULTS[i], 4));
        });
        xor_(index_.cvt32(), index_.cvt32());
        reduced_rows sums = added_ ? added_->add_one() : reduced_rows();
        if (!added_ || !conf_.added->reduces) sums = reduced_.sum_one();
        std::erase_if(sums.free, [&](int i) { return std::ranges::count(results_, vector(i)) != 0; });
        const scalar_steps steps = find_scalars(sums);
        jnz(unfinished.begin, NEAR);
        vmovaps(xmm_of(results_[0]), steps.hi());
        vmovaps(xmm_of(results_[1]), steps.rstd());
        vmovaps(xmm_of(results_[2]), steps.bias());
        L(unfinished.end);
        written_.write_one();
    }

    // ---- rows that are written beside others that are reduced

    // The sums with a residual are reduced as soon as they are there, in the caches.
    void reduce_piece() {
        if (added_) added_->add_piece();
        if (!added_ || !conf_.added->reduces) reduced_.sum_piece(!added_);
    }

    // ---- the scalar steps

    // Leaves the flag of unfinished rows in the register of positions and in the processor's zero flag.
    scalar_steps find_scalars(const reduced_rows &rows) {
        const scalar_steps steps(*this, conf_.reduced.centered, rows, JITNORM_ARGUMENT(inverse_count),
                                 JITNORM_ARGUMENT(epsilon), loops_.position, loops_.left);
        steps.emit();
        const auto store = [&](size_t array, const vmm &v) {
            const Xbyak::Address to = address_of(array, sizeof(float));
            rows.rows == 1 ? vmovss(to, xmm_of(v)) : vmovups(to, xmm_of(v));
        };
        store(RESULTS[0], steps.hi());
        store(RESULTS[1], steps.rstd());
        store(RESULTS[2], steps.bias());
        const Xbyak::Address variance = address_of(offsetof(arguments, variance), sizeof(double));
        rows.rows == 1 ? vmovsd(variance, xmm_of(steps.variance())) : vmovupd(variance, steps.variance());
        return steps;
    }

    // The elements of rows from the index on in an array of the arguments. Changes no flag.
    Xbyak::Address address_of(size_t array, int size) {
        mov(loops_.left, argument(array));
        return ptr[loops_.left + index_ * size];
    }

    // Calls the function of the caller for the rows of the band. Here only rdi, and registers that functions keep, hold
    // values that are read later.
    void refine() {
        push(rdi);
        sub(rsp, 8);
        mov(rsi, qword[rsp + 16 + BAND_BEGIN]);
        mov(rdx, qword[rsp + 16 + BAND_END]);
        sub(rdx, rsi);
        mov(rax, JITNORM_ARGUMENT(refine));
        vzeroupper();
        call(rax);
        add(rsp, 8);
        pop(rdi);
    }

    static constexpr size_t RESULTS[] = {offsetof(arguments, hi), offsetof(arguments, rstd), offsetof(arguments, bias)};

    const forward_rows_conf conf_;
    reduction_pass reduced_{*this, place(0), conf_.reduced};
    normalize_pass written_{*this, place(order_ == pass_order::one_loop ? WRITTEN : 0), conf_.written};
    std::optional<addition_pass> added_;
    const std::array<vmm, 3> results_ = written_.scalars_of_one();
};

} // namespace

code_ptr code_of(const forward_rows_conf &conf) { return make_kernel<forward_rows_generator>(conf); }

} // namespace jitnorm::impl::jit
