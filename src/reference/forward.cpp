// SPDX-License-Identifier: Apache-2.0
// forward: for each row computes the statistics, then for each piece of the row normalizes, scales, shifts, applies the
// attributes and stores.
#include <cmath>
#include <vector>

#include "../math/constants.hpp"
#include "../math/dynamic_scale.hpp"
#include "../math/post_ops.hpp"
#include "../norm/problem.hpp"
#include "../simd/simd.hpp"
#include "affine.hpp"
#include "reference.hpp"
#include "row_sums.hpp"

namespace jitnorm::impl::layer_norm::reference {

namespace {

// ---- post-ops, each applied to elements of a row, at most BLOCK, that are not stored yet

// The other operand of a post-op: dst as it was before, or src1.
tensor_rows operand_of(const sum_post_op &op, const problem &p) {
    memory_desc old = p[DST];
    if (op.data_type != jitnorm_data_type_undef) old.data_type = op.data_type;
    return {old, p.row_ndims()};
}
tensor_rows operand_of(const binary_post_op &op, const problem &p) { return {op.src1, p[DST], p.row_ndims()}; }
tensor_rows operand_of(const eltwise_post_op &, const problem &) { return {}; }

template <typename T>
void apply_one(const sum_post_op &op, dim_t count, T *y, const T *old) {
    const T scale = T(op.scale), zero_point = T(op.zero_point);
    with_fast_fma([&] {
        for (dim_t i = 0; i < count; ++i) y[i] = math::add_scaled(y[i], old[i], scale, zero_point);
    });
}

template <typename T>
void apply_one(const binary_post_op &op, dim_t count, T *y, const T *other) {
    math::visit_binary<T>(op.alg, [&](auto function) {
        for (dim_t i = 0; i < count; ++i) y[i] = function(y[i], other[i]);
    });
}

template <typename T>
void apply_one(const eltwise_post_op &op, dim_t count, T *y, const T *) {
    math::visit_eltwise<T>(op.alg, math::is_leaky(op.alpha), T(op.alpha), T(op.beta), [&](auto function) {
        with_fast_fma([&] {
            for (dim_t i = 0; i < count; ++i) y[i] = function(y[i]);
        });
    });
}

template <typename T> // the compute type
class forward_executor final : public executor {
public:
    explicit forward_executor(const problem &p)
        : p_(p), src_(rows_of(p, SRC)), residual_(rows_of(p, RESIDUAL)), gate_(rows_of(p, GATE)), sum_(rows_of(p, SUM)),
          bias_(vector_of(p.row_length(), p.attr.bias_type)), affine_(p_), statistics_(p[VARIANCE], p.row_ndims()),
          dst_(rows_of(p, DST)), pre_quantization_(rows_of(p, PRE_QUANTIZATION)) {
        if (p.has_dynamic_scales()) dynamic_scales_ = tensor_rows(p[DST_SCALE], p.row_ndims());
        for (const post_op &entry : p.attr.post_ops.entries)
            operands_.push_back(std::visit([&](const auto &op) { return operand_of(op, p); }, entry));
    }

    jitnorm_status_t execute(const arguments &args) const override {
        parallel_ranges(p_.rows(), bytes(p_[SRC]) + bytes(p_[DST]), [&](range rows) {
            for (dim_t row = rows.begin; row < rows.end; ++row) run_row(args, row);
        });
        for (const tensor_kind &t : TENSORS)
            if (p_.writes(t.place) && (t.dims == extent::rows || t.dims == extent::statistics))
                zero_padding(p_[t.place], args[t.place]);
        return jitnorm_success;
    }

private:
    // Reads the elements begin .. begin+count-1 of a row, at most BLOCK, as they are normalized: of src, or of its sum
    // with the residual (docs/arithmetic.md, "Residual addition"). `writes_sum`: also writes the sum, if that is an
    // output. A call: inlined into each of its callers, it was a third of the reference.
    [[gnu::noinline]] void read(const arguments &args, dim_t row, dim_t begin, dim_t count, T *x,
                                bool writes_sum = false) const {
        src_.read(args[SRC], row, begin, count, x);
        if (!p_.reads(RESIDUAL)) return;
        T other[BLOCK];
        if (p_.reads(GATE)) {
            gate_.read(args[GATE], row, begin, count, other);
            for (dim_t i = 0; i < count; ++i) x[i] *= other[i];
        }
        residual_.read(args[RESIDUAL], row, begin, count, other);
        if (p_.attr.multiplies_silu)
            math::visit_binary<T>(jitnorm_binary_mul_silu, [&](auto product) {
                with_fast_fma([&] {
                    for (dim_t i = 0; i < count; ++i) x[i] = product(x[i], other[i]);
                });
            });
        else
            for (dim_t i = 0; i < count; ++i) x[i] += other[i];
        if (p_.reads(BIAS)) {
            bias_.read(args[BIAS], 0, begin, count, other);
            for (dim_t i = 0; i < count; ++i) x[i] += other[i];
        }
        if (writes_sum && p_.writes(SUM)) sum_.write(args[SUM], row, begin, count, x);
        if (p_.attr.normalizes_rounded_sum) round_to(p_.row_type(), count, x);
    }

    // Works in place, too: the statistics are computed first, and each piece of a row is read before it is overwritten.
    void run_row(const arguments &args, dim_t row) const {
        if (p_.writes(ROW_SUMS)) {
            write_chunks(args, row);
            return write_sum(args, row);
        }
        if (p_.statistics_are_inputs()) return write_row(args, row, given_normalizer<T>(p_, statistics_, args, row));
        const row_statistics<T> statistics =
            p_.reads(ROW_SUMS)
                ? finish_given(load<moments<T>>(args[ROW_SUMS], row), p_.is_rms(), 1.0 / double(p_.all_columns))
                : compute_statistics<T>(p_.row_length(), p_.is_rms(), reader_of(args, row));
        const normalizer<T> normalize = make_normalizer(statistics, p_.epsilon);
        write_row(args, row, normalize);
        const bool inverse = p_.form == statistics_form::inverse_deviation;
        const auto mean = float(statistics.hi), variance = float(inverse ? normalize.rstd : statistics.variance);
        if (p_.writes(MEAN)) statistics_.write(args[MEAN], row, 0, 1, &mean);
        if (p_.writes(VARIANCE)) statistics_.write(args[VARIANCE], row, 0, 1, &variance);
    }

    void write_row(const arguments &args, dim_t row, const normalizer<T> &normalize) const {
        if (!p_.writes(DST))
            write_sum(args, row);
        else if (p_.has_dynamic_scales())
            store_with_dynamic_scales(args, row, normalize);
        else
            for_each_piece(args, row, normalize, {0, p_.row_length()}, true,
                           [&](dim_t begin, dim_t count, const T *y) { dst_.write(args[DST], row, begin, count, y); });
    }

    // Calls use(first column, number of columns, values) for pieces of at most BLOCK columns. `is_last` says that these
    // columns are not read again: then the sum with the residual is written, if it is an output, since it may overwrite
    // the residual in place.
    template <typename Use>
    void for_each_piece(const arguments &args, dim_t row, const normalizer<T> &normalize, range columns, bool is_last,
                        Use &&use) const {
        for (dim_t begin = columns.begin; begin < columns.end; begin += BLOCK) {
            T y[BLOCK];
            const dim_t count = std::min(BLOCK, columns.end - begin);
            read(args, row, begin, count, y, is_last);
            normalize_piece(args, row, normalize, begin, count, y);
            use(begin, count, y);
        }
    }
    // A call, as read().
    [[gnu::noinline]] void normalize_piece(const arguments &args, dim_t row, const normalizer<T> &normalize,
                                           dim_t begin, dim_t count, T *y) const {
        with_fast_fma([&] {
            for (dim_t i = 0; i < count; ++i) y[i] = std::fma(y[i] - normalize.hi, normalize.rstd, normalize.bias);
            affine_.round_normalized_values(count, y);
            affine_.apply(args, begin, count, y);
        });
        affine_.round_scaled_values(count, y);
        apply_attributes(args, row, begin, count, y);
    }

    // Computes the values of each group twice: first to find their scale, then to store them.
    void store_with_dynamic_scales(const arguments &args, dim_t row, const normalizer<T> &normalize) const {
        const float limit = largest_number(p_[DST].data_type);
        const dim_t width = columns_per_scale(p_);
        for (dim_t group = 0; group < scales_per_row(p_); ++group) {
            const range columns = {group * width, (group + 1) * width};
            float largest = 0;
            for_each_piece(args, row, normalize, columns, false, [&](dim_t, dim_t count, const T *y) {
                for (dim_t i = 0; i < count; ++i) largest = larger_magnitude(largest, float(y[i]));
            });
            const dynamic_scale found = find_scale(largest, limit);
            dynamic_scales_.write(args[DST_SCALE], row, group, 1, &found.scale);
            for_each_piece(args, row, normalize, columns, true, [&](dim_t begin, dim_t count, const T *y) {
                float scaled[BLOCK];
                for (dim_t i = 0; i < count; ++i) scaled[i] = float(y[i]) * found.factor;
                dst_.write(args[DST], row, begin, count, scaled);
            });
        }
    }

    auto reader_of(const arguments &args, dim_t row) const {
        return [this, &args, row](dim_t begin, dim_t count, T *out) { read(args, row, begin, count, out); };
    }
    void write_chunks(const arguments &args, dim_t row) const {
        const dim_t C = p_.row_length(), chunks = divide_up(C, CHUNK);
        for (dim_t chunk = 0; chunk < chunks; ++chunk) {
            const range columns = {chunk * CHUNK, std::min((chunk + 1) * CHUNK, C)};
            store(chunk_moments<T>(columns, p_.is_rms(), reader_of(args, row)), args[ROW_SUMS], row * chunks + chunk);
        }
    }
    // For a problem without dst.
    void write_sum(const arguments &args, dim_t row) const {
        if (!p_.writes(SUM)) return;
        T x[BLOCK];
        for (dim_t begin = 0; begin < p_.row_length(); begin += BLOCK)
            read(args, row, begin, std::min(BLOCK, p_.row_length() - begin), x, true);
    }

    // A call: inlined into each of its callers, with all post-ops, it was two thirds of forward.
    [[gnu::noinline]] void apply_attributes(const arguments &args, dim_t row, dim_t begin, dim_t count, T *y) const {
        if (p_.attr.src_scale) multiply(y, count, T(load<float>(args[SRC_SCALE])));
        if (p_.writes(PRE_QUANTIZATION)) pre_quantization_.write(args[PRE_QUANTIZATION], row, begin, count, y);
        for (size_t i = 0; i < operands_.size(); ++i) {
            const post_op &entry = p_.attr.post_ops.entries[i];
            T other[BLOCK];
            if (!std::holds_alternative<eltwise_post_op>(entry)) {
                const slot place = std::holds_alternative<sum_post_op>(entry) ? DST : post_op_slot(i);
                operands_[i].read(args[place], row, begin, count, other);
            }
            std::visit([&](const auto &op) { apply_one(op, count, y, other); }, entry);
        }
        if (p_.attr.dst_scale) multiply(y, count, T(1) / T(load<float>(args[DST_SCALE])));
    }

    static void multiply(T *y, dim_t count, T factor) {
        for (dim_t i = 0; i < count; ++i) y[i] *= factor;
    }

    problem p_;
    tensor_rows src_, residual_, gate_, sum_, bias_;
    affine<T> affine_;
    tensor_rows statistics_, dst_, pre_quantization_, dynamic_scales_;
    std::vector<tensor_rows> operands_; // of each post-op
};

} // namespace

std::shared_ptr<const executor> create_forward(const problem &p) {
    if (p.computes_in_double()) return std::make_shared<forward_executor<double>>(p);
    return std::make_shared<forward_executor<float>>(p);
}

} // namespace jitnorm::impl::layer_norm::reference
