// SPDX-License-Identifier: Apache-2.0
// The kernel of backward: its passes over rows in each pass_order. In bands it does rows from their first load to their
// last store: a band of rows is reduced, their slopes are found, two rows side by side, and the band is written.
#include "backward_data_pass.hpp"
#include "backward_sums_pass.hpp"

namespace jitnorm::impl::jit {

namespace {

class backward_generator : public rows_generator {
    using arguments = backward_arguments<float>;

public:
    explicit backward_generator(const backward_conf &conf)
        : rows_generator(conf.kind, room_for(conf.reduced, conf.written), conf.order),
          centered_(conf.written && conf.written->centered) {
        if (conf.reduced) reduced_.emplace(*this, shared_, *conf.reduced);
        if (conf.written) written_.emplace(*this, shared_, *conf.written);
        open_frame();
        switch (order_) {
        case pass_order::one_pass:
            take_all(JITNORM_ARGUMENT(rows));
            reduced_ ? reduced_->do_all() : written_->do_all();
            break;
        case pass_order::by_bands:
            begin_bands(JITNORM_ARGUMENT(band_rows), JITNORM_ARGUMENT(rows));
            reduced_->do_all();
            if (conf.reduced->sums) find_slopes();
            return_to_band();
            written_->do_all();
            end_bands(JITNORM_ARGUMENT(rows));
            break;
        case pass_order::one_row: // of forward only
            break;
        }
        close_frame();
    }
    std::string name() const {
        if (order_ == pass_order::one_pass) return reduced_ ? reduced_->name() : written_->name();
        return written_->name("backward_rows");
    }

private:
    // The steps of slopes_of() for the rows of the band, two side by side. More would be loaded from several stores at
    // once, which such a load waits for.
    void find_slopes() {
        return_to_band();
        in_double_.clear(zero_);
        in_double_.broadcast(inverse_, JITNORM_ARGUMENT(inverse_count));
        rows_.while_left(2, [this] { find_slopes(2); });
        rows_.while_left(1, [this] { find_slopes(1); });
    }

    // The sums are added to zero first, as the sums over the chunks of a row are.
    void find_slopes(int rows) {
        const auto mean = [&](size_t sum) {
            load_wide(mean_, sum, rows);
            vaddpd(mean_, mean_, zero_);
            vmulpd(mean_, mean_, inverse_);
        };
        if (centered_) {
            mean(JITNORM_ARRAY(s1));
            store_narrow(JITNORM_ARRAY(m1), rows);
        }
        mean(JITNORM_ARRAY(s2));
        load_wide(rstd_, JITNORM_ARRAY(rstd), rows);
        vmulpd(mean_, mean_, rstd_);
        store_narrow(JITNORM_ARRAY(k), rows);
        add(index_, rows);
    }

    void load_wide(const Xbyak::Xmm &to, size_t array, int rows) {
        const Xbyak::Address from = ptr[rows_.of_row(array)];
        if (kind.is_f64()) return rows == 1 ? vmovsd(to, from) : vmovupd(to, from);
        rows == 1 ? vmovss(to, from) : vmovsd(to, from);
        vcvtps2pd(to, to);
    }
    void store_narrow(size_t array, int rows) {
        if (!kind.is_f64()) vcvtpd2ps(mean_, mean_);
        store_numbers(*this, ptr[rows_.of_row(array)], mean_, rows);
    }

    const bool centered_; // whether rows have a mean
    const vector_ops in_double_{*this, true};
    const Xbyak::Xmm mean_{0}, rstd_{1}, zero_{2}, inverse_{3};
    row_loop rows_{*this, index_, shared_.left, shared_.band_end, {}};
    std::optional<backward_sums_pass> reduced_;
    std::optional<backward_data_pass> written_;
};

} // namespace

code_ptr code_of(const backward_conf &conf) { return make_kernel<backward_generator>(conf); }

} // namespace jitnorm::impl::jit
