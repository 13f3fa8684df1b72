// SPDX-License-Identifier: Apache-2.0
// backward: computes the gradients of scale and shift column by column, then diff_src row by row. The order matters:
// diff_src may overwrite diff_dst in place.
#include "reference.hpp"

#include <cmath>

#include "../math/row_blocks.hpp"
#include "affine.hpp"
#include "row_sums.hpp"

namespace jitnorm::impl::layer_norm::reference {

namespace {

constexpr dim_t COLUMNS = 128; // columns whose gradients are added up at a time, so that the sums fit on the stack

template <typename T>
T xhat_of(T x, const normalizer<T> &row) {
    return (x - row.hi) * row.rstd;
}

// The sums of some columns: in T for a row block, in double for a part and for all parts.
template <typename Sum>
struct gradient_sums {
    Sum scale[COLUMNS] = {}, shift[COLUMNS] = {};

    template <typename Other>
    void add(const gradient_sums<Other> &other) {
        for (dim_t c = 0; c < COLUMNS; ++c) {
            scale[c] += Sum(other.scale[c]);
            shift[c] += Sum(other.shift[c]);
        }
    }
};

template <typename T>
class backward_executor final : public executor {
public:
    explicit backward_executor(const problem &p)
        : p_(p), src_(rows_of(p, SRC)), diff_dst_(rows_of(p, DIFF_DST)), diff_src_(rows_of(p, DIFF_SRC)),
          diff_sum_(rows_of(p, DIFF_SUM)), affine_(p_),
          gradient_(dense_rows(p.is_partial() ? row_blocks_of(p).parts() : 1, p.row_length(), p.diff_scale_shift_type)),
          statistics_(p[VARIANCE], p.row_ndims()) {}

    jitnorm_status_t execute(const arguments &args) const override {
        const size_t size = bytes(p_[SRC]) + bytes(p_[DIFF_DST]);
        if (p_.writes(DIFF_SCALE) || p_.writes(DIFF_SHIFT))
            parallel_ranges(p_.row_length(), size, [&](range columns) { reduce_columns(args, columns); });
        if (!p_.writes(DIFF_SRC)) return jitnorm_success;
        parallel_ranges(p_.rows(), size + bytes(p_[DIFF_SRC]), [&](range rows) {
            for (dim_t row = rows.begin; row < rows.end; ++row) run_row(args, row);
        });
        zero_padding(p_[DIFF_SRC], args[DIFF_SRC]);
        return jitnorm_success;
    }

private:
    // ---- diff_scale and diff_shift

    // A partial problem writes the sums of each part, another one those of all parts.
    void reduce_columns(const arguments &args, range columns) const {
        const row_blocks cut = row_blocks_of(p_);
        for (dim_t begin = columns.begin; begin < columns.end; begin += COLUMNS) {
            const dim_t count = std::min(COLUMNS, columns.end - begin);
            gradient_sums<double> total;
            for (dim_t part = 0; part < cut.parts(); ++part) {
                gradient_sums<double> of_part;
                const range blocks = cut.part(part);
                for (dim_t block = blocks.begin; block < blocks.end; ++block)
                    of_part.add(sum_of_block(args, cut.block(block), begin, count));
                p_.is_partial() ? write_gradients(args, part, begin, count, of_part) : total.add(of_part);
            }
            if (!p_.is_partial()) write_gradients(args, 0, begin, count, total);
        }
    }

    gradient_sums<T> sum_of_block(const arguments &args, range rows, dim_t begin, dim_t count) const {
        gradient_sums<T> sum;
        for (dim_t row = rows.begin; row < rows.end; ++row) {
            T x[COLUMNS], dy[COLUMNS];
            src_.read(args[SRC], row, begin, count, x);
            diff_dst_.read(args[DIFF_DST], row, begin, count, dy);
            const normalizer<T> constants = given_normalizer<T>(p_, statistics_, args, row);
            for (dim_t c = 0; c < count; ++c) x[c] = xhat_of(x[c], constants);
            affine_.round_normalized_values(count, x);
            for (dim_t c = 0; c < count; ++c) {
                sum.scale[c] = std::fma(dy[c], x[c], sum.scale[c]);
                sum.shift[c] += dy[c];
            }
        }
        return sum;
    }

    void write_gradients(const arguments &args, dim_t row, dim_t begin, dim_t count,
                         const gradient_sums<double> &sums) const {
        if (p_.writes(DIFF_SCALE)) gradient_.write(args[DIFF_SCALE], row, begin, count, sums.scale);
        if (p_.writes(DIFF_SHIFT)) gradient_.write(args[DIFF_SHIFT], row, begin, count, sums.shift);
    }

    // ---- diff_src

    // Reads x and g = diff_dst * scale of some elements of a row, at most BLOCK.
    void read_terms(const arguments &args, dim_t row, dim_t begin, dim_t count, T *x, T *g) const {
        src_.read(args[SRC], row, begin, count, x);
        diff_dst_.read(args[DIFF_DST], row, begin, count, g);
        affine_.apply(args, begin, count, g);
    }

    void run_row(const arguments &args, dim_t row) const {
        const dim_t length = p_.row_length();
        const normalizer<T> constants = given_normalizer<T>(p_, statistics_, args, row);
        const auto [s1, s2] = sums_of(args, row, constants);
        const row_slopes<T> slopes = slopes_of(s1, s2, 1.0 / double(length), constants.rstd);
        for (dim_t begin = 0; begin < length; begin += BLOCK) {
            T x[BLOCK], g[BLOCK];
            const dim_t count = std::min(BLOCK, length - begin);
            read_terms(args, row, begin, count, x, g);
            combine(constants, slopes, count, x, g);
            if (p_.reads(DIFF_SUM)) { // from other users of the sum with the residual, which is src here
                diff_sum_.read(args[DIFF_SUM], row, begin, count, x);
                for (dim_t i = 0; i < count; ++i) g[i] += x[i];
            }
            diff_src_.write(args[DIFF_SRC], row, begin, count, g);
        }
    }

    // The sums of g and of g * xhat. They are zero with global statistics, which do not depend on src.
    std::pair<double, double> sums_of(const arguments &args, dim_t row, const normalizer<T> &constants) const {
        double s1 = 0, s2 = 0;
        const dim_t length = p_.has(jitnorm_use_global_stats) ? 0 : p_.row_length();
        for (dim_t begin = 0; begin < length; begin += CHUNK) {
            T g[BLOCK], xhat[BLOCK];
            const auto read = [&](dim_t first, dim_t count) {
                read_terms(args, row, first, count, xhat, g);
                for (dim_t i = 0; i < count; ++i) xhat[i] = xhat_of(xhat[i], constants);
            };
            const auto add = [&](dim_t i, T &sum, T &products) {
                sum += g[i];
                products = std::fma(g[i], xhat[i], products);
            };
            const auto [of_g, of_products] =
                sum_in_lanes<T, BACKWARD_LANES<T>>({begin, std::min(begin + CHUNK, length)}, read, add);
            s1 += double(of_g);
            s2 += double(of_products);
        }
        return {s1, s2};
    }

    // Replaces g by diff_src = rstd * (g - m1 - (x - mean) * k), in the order of operations of docs/arithmetic.md.
    void combine(const normalizer<T> &row, const row_slopes<T> &slopes, dim_t count, const T *x, T *g) const {
        if (p_.has(jitnorm_use_global_stats))
            for (dim_t i = 0; i < count; ++i) g[i] = row.rstd * g[i];
        else if (p_.is_rms())
            for (dim_t i = 0; i < count; ++i) g[i] = row.rstd * std::fma(-x[i], slopes.k, g[i]);
        else
            for (dim_t i = 0; i < count; ++i) g[i] = row.rstd * std::fma(row.hi - x[i], slopes.k, g[i] - slopes.m1);
    }

    problem p_;
    tensor_rows src_, diff_dst_, diff_src_, diff_sum_;
    affine<T> affine_;
    tensor_rows gradient_; // has one row, or one for each part
    tensor_rows statistics_;
};

} // namespace

std::shared_ptr<const executor> create_backward(const problem &p) {
    if (p.computes_in_double()) return std::make_shared<backward_executor<double>>(p);
    return std::make_shared<backward_executor<float>>(p);
}

} // namespace jitnorm::impl::layer_norm::reference
