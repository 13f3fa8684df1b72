// SPDX-License-Identifier: Apache-2.0
// split_problem: a problem as a whole and in parts, through the C interface: backward by ranges of rows, forward by
// ranges of columns. The parts must have the bits of the whole; a difference is thrown. No test framework is
// needed.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "guarded_buffer.hpp"
#include "handed_arguments.hpp"
#include "problem/buffer.hpp"

namespace jitnorm::tests {

struct split_shape {
    jitnorm_dim_t rows = 0, columns = 0;
    jitnorm_data_type_t type = jitnorm_f32, affine = jitnorm_f32; // of data; of gradients of scale and shift
    unsigned flags = jitnorm_use_scale | jitnorm_use_shift;
    float epsilon = 1e-5F;
    jitnorm_dim_t stride = columns; // of rows

    owned_md data(jitnorm_dim_t part_rows, jitnorm_dim_t part_columns) const {
        return make_md({part_rows, part_columns}, type, {stride, 1});
    }
};

struct split_tensor {
    int arg;
    benchdnn_lite::layout where;
    jitnorm_dim_t step; // elements from one row, or column, to the next; 0: each part has all of it
    bool is_written;    // by the whole, and by the parts to memory of their own

    unsigned char *at(void *data, jitnorm_dim_t first) const { // the tensor from this row or column on
        return static_cast<unsigned char *>(data) + first * step * jitnorm_dim_t(benchdnn_lite::size_of(where.type));
    }
};

inline benchdnn_lite::layout row_major(jitnorm_data_type_t type, const dims &sizes, const dims &strides) {
    return {type, sizes, sizes, strides, {}, 0};
}

inline std::vector<split_tensor> tensors_by_rows(const split_shape &s) {
    const auto data = row_major(s.type, {s.rows, s.columns}, {s.stride, 1}),
               statistics = row_major(jitnorm_f32, {s.rows}, {1}), gradient = row_major(s.affine, {s.columns}, {1});
    return {{JITNORM_ARG_SRC, data, s.stride, false},
            {JITNORM_ARG_DIFF_DST, data, s.stride, false},
            {JITNORM_ARG_MEAN, statistics, 1, false},
            {JITNORM_ARG_VARIANCE, statistics, 1, false},
            {JITNORM_ARG_SCALE, row_major(jitnorm_f32, {s.columns}, {1}), 0, false},
            {JITNORM_ARG_DIFF_SRC, data, s.stride, true},
            {JITNORM_ARG_DIFF_SCALE, gradient, 0, true},
            {JITNORM_ARG_DIFF_SHIFT, gradient, 0, true}};
}

inline std::vector<split_tensor> tensors_by_columns(const split_shape &s) {
    const auto data = row_major(s.type, {s.rows, s.columns}, {s.stride, 1}),
               statistics = row_major(jitnorm_f32, {s.rows}, {1}), vector = row_major(jitnorm_f32, {s.columns}, {1});
    return {{JITNORM_ARG_SRC, data, 1, false},       {JITNORM_ARG_SCALE, vector, 1, false},
            {JITNORM_ARG_SHIFT, vector, 1, false},   {JITNORM_ARG_DST, data, 1, true},
            {JITNORM_ARG_MEAN, statistics, 0, true}, {JITNORM_ARG_VARIANCE, statistics, 0, true}};
}

// Throws unless the elements have the same bits; any NaN equals any other.
inline void must_be_same(const std::string &what, const benchdnn_lite::layout &where, const void *a, const void *b) {
    for (jitnorm_dim_t i = 0; i < where.elements(); ++i) {
        const jitnorm_dim_t at = where.offset_of(i);
        const double x = benchdnn_lite::load(where.type, a, at), y = benchdnn_lite::load(where.type, b, at);
        if (!(x == y && std::signbit(x) == std::signbit(y)) && !(std::isnan(x) && std::isnan(y)))
            throw std::runtime_error(what + " of the parts has other bits, element " + std::to_string(i));
    }
}

// The memory of a problem's tensors, and the stream of the next execution.
class split_memory {
public:
    virtual ~split_memory() = default;
    virtual void *data(int arg, bool of_parts) const = 0;
    virtual jitnorm_stream_t stream() = 0;
};

class split_problem {
public:
    split_problem(const split_shape &of, std::vector<split_tensor> tensors, split_memory &memory)
        : size(of), tensors_(std::move(tensors)), memory_(memory) {}

    // Executes on the tensors from row or column `first` on. `others`: what has the place of some of them.
    void run(const owned_pd &pd, bool is_part = false, jitnorm_dim_t first = 0,
             const std::map<int, void *> &others = {}) {
        handed_arguments arguments(pd);
        for (const auto &[arg, data] : others) arguments.add(arg, data);
        for (const split_tensor &t : tensors_)
            if (!others.contains(t.arg)) arguments.add(t.arg, t.at(data(t.arg, is_part && t.is_written), first));
        arguments.execute(make_primitive(pd), memory_.stream());
    }

    void *data(int arg, bool of_parts) const { return memory_.data(arg, of_parts); }
    const benchdnn_lite::layout &where(int arg) const {
        return std::find_if(tensors_.begin(), tensors_.end(), [&](const auto &t) { return t.arg == arg; })->where;
    }
    void parts_must_match(const std::string &what, std::initializer_list<int> args) const {
        for (const int arg : args) must_be_same(what, where(arg), data(arg, false), data(arg, true));
    }

    const split_shape size;

private:
    std::vector<split_tensor> tensors_;
    split_memory &memory_;
};

// Calls body(number, first, length) for each part.
template <typename Body>
void for_each_part(const dims &parts, Body &&body) {
    jitnorm_dim_t first = 0;
    for (size_t i = 0; i < parts.size(); first += parts[i++]) body(i, first, parts[i]);
}

// The descriptor that `create` makes of the arguments after the engine.
template <typename Create, typename... Arguments>
owned_pd described(Create &&create, const Arguments &...arguments) {
    return make_owned<owned_pd>("a part or the whole of a problem can be described", create, cpu(), arguments...);
}

// Sums that the primitives of parts write for an argument.
class sums_of_parts {
public:
    void *add(const owned_pd &pd, int arg) { return buffers_.emplace_back(bytes_of(pd, arg)).data(); }
    void add_none() { buffers_.emplace_back(); }

    std::vector<const double *> pointers() const {
        std::vector<const double *> all;
        for (const guarded_buffer &each : buffers_) {
            must(each.slack_untouched() ? 0 : 1, "nothing is written around the sums");
            all.push_back(each.as<const double>());
        }
        return all;
    }
    // Of a part's sums, which have `all` columns.
    std::vector<double> columns(size_t part, jitnorm_dim_t first, jitnorm_dim_t count, jitnorm_dim_t all) const {
        const auto *const begin = buffers_[part].as<const double>();
        std::vector<double> own;
        for (const double *row = begin; row != begin + buffers_[part].bytes() / sizeof(double); row += all)
            own.insert(own.end(), row + first, row + first + count);
        return own;
    }

private:
    std::vector<guarded_buffer> buffers_;
};

// ---- rows

// The sums of `count` columns, added up one part after the other.
inline std::vector<double> added_up(const split_shape &s, const dims &parts, const sums_of_parts &sums,
                                    jitnorm_dim_t column, jitnorm_dim_t count) {
    std::vector<double> running(size_t(2 * count));
    for_each_part(parts, [&](size_t i, jitnorm_dim_t first, jitnorm_dim_t rows) {
        const std::vector<double> own = sums.columns(i, column, count, s.columns);
        must(count == s.columns ? jitnorm_layer_normalization_add_partial_gradients(running.data(), s.rows, s.columns,
                                                                                    first, rows, own.data())
                                : jitnorm_layer_normalization_add_partial_gradients_of_columns(
                                      running.data(), s.rows, s.columns, first, rows, count, own.data()),
             "sums can be added up");
    });
    running.resize(size_t(count));
    return running;
}

// Merged, and added up for some columns at a time.
inline void sums_must_match(const split_problem &all, const dims &parts, const sums_of_parts &sums, int arg) {
    const split_shape &s = all.size;
    must(jitnorm_layer_normalization_merge_gradients(all.data(arg, true), s.affine, s.rows, s.columns,
                                                     int(parts.size()), parts.data(), sums.pointers().data()),
         "sums can be merged");
    all.parts_must_match("the merged gradient", {arg});
    const jitnorm_data_type_t first_to = s.affine == jitnorm_f64 ? jitnorm_f64 : jitnorm_f32; // then to the type
    for (const jitnorm_dim_t width : {s.columns, s.columns / 3 + 1}) {
        std::vector<double> gradient(size_t(s.columns)); // as large as the largest type
        for (jitnorm_dim_t column = 0; column < s.columns; column += width) {
            const jitnorm_dim_t count = std::min(width, s.columns - column);
            const std::vector<double> running = added_up(s, parts, sums, column, count);
            for (jitnorm_dim_t i = 0; i < count; ++i)
                benchdnn_lite::store(s.affine, gradient.data(), column + i,
                                     benchdnn_lite::round_to(first_to, running[size_t(i)]));
        }
        must_be_same("the running gradient", all.where(arg), all.data(arg, false), gradient.data());
    }
}

inline void rows_must_match(const split_shape &s, const dims &parts, split_memory &memory) {
    split_problem all(s, tensors_by_rows(s), memory);
    const owned_md whole = s.data(s.rows, s.columns);
    all.run(described(jitnorm_layer_normalization_backward_primitive_desc_create_v2, jitnorm_backward, whole.get(),
                      whole.get(), whole.get(), nullptr, s.affine, jitnorm_f32, s.epsilon, s.flags, nullptr, nullptr));
    sums_of_parts scales, shifts;
    for_each_part(parts, [&](size_t, jitnorm_dim_t first, jitnorm_dim_t rows) {
        const owned_md part = s.data(rows, s.columns);
        const owned_pd pd =
            described(jitnorm_layer_normalization_partial_backward_primitive_desc_create, part.get(), part.get(),
                      part.get(), nullptr, jitnorm_f32, s.epsilon, s.flags, first, s.rows, nullptr);
        all.run(pd, true, first,
                {{JITNORM_ARG_DIFF_SCALE, scales.add(pd, JITNORM_ARG_DIFF_SCALE)},
                 {JITNORM_ARG_DIFF_SHIFT, shifts.add(pd, JITNORM_ARG_DIFF_SHIFT)}});
    });
    all.parts_must_match("diff_src", {JITNORM_ARG_DIFF_SRC});
    if ((s.flags & jitnorm_use_scale) != 0) sums_must_match(all, parts, scales, JITNORM_ARG_DIFF_SCALE);
    if ((s.flags & jitnorm_use_shift) != 0) sums_must_match(all, parts, shifts, JITNORM_ARG_DIFF_SHIFT);
}

// ---- columns

// Forward that writes `dst`, or only statistics if `dst` has no dimensions.
inline owned_pd whole_forward(const split_shape &s, const owned_md &dst, unsigned flags) {
    return described(jitnorm_layer_normalization_forward_primitive_desc_create_v2, jitnorm_forward_training,
                     s.data(s.rows, s.columns).get(), dst.get(), nullptr, jitnorm_f32, s.epsilon, flags, nullptr);
}

// The moments of all columns.
inline std::vector<double> merged_moments(split_problem &all, const dims &parts) {
    const split_shape &s = all.size;
    sums_of_parts moments;
    for_each_part(parts, [&](size_t, jitnorm_dim_t first, jitnorm_dim_t columns) {
        if (columns == 0) return moments.add_none();
        const owned_pd pd =
            described(jitnorm_layer_normalization_partial_statistics_primitive_desc_create,
                      s.data(s.rows, columns).get(), s.flags & jitnorm_rms_norm, first, s.columns, nullptr);
        all.run(pd, true, first, {{JITNORM_ARG_ROW_SUMS, moments.add(pd, JITNORM_ARG_ROW_SUMS)}});
    });
    std::vector<double> merged(size_t(4 * s.rows));
    must(jitnorm_layer_normalization_merge_row_sums(merged.data(), s.type, s.rows, s.columns, int(parts.size()),
                                                    parts.data(), moments.pointers().data()),
         "moments can be merged");
    return merged;
}

inline void columns_must_match(const split_shape &s, const dims &parts, split_memory &memory) {
    split_problem all(s, tensors_by_columns(s), memory);
    all.run(whole_forward(s, s.data(s.rows, s.columns), s.flags));
    std::vector<double> moments = merged_moments(all, parts);
    for_each_part(parts, [&](size_t, jitnorm_dim_t first, jitnorm_dim_t columns) {
        if (columns == 0) return;
        const owned_md part = s.data(s.rows, columns);
        all.run(described(jitnorm_layer_normalization_partial_forward_primitive_desc_create, jitnorm_forward_training,
                          part.get(), part.get(), nullptr, jitnorm_f32, s.epsilon, s.flags, first, s.columns, nullptr),
                true, first, {{JITNORM_ARG_ROW_SUMS, moments.data()}});
    });
    all.parts_must_match("dst", {JITNORM_ARG_DST});
    all.parts_must_match("a statistic", {JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE});
}

// Without dst, beside which they are the whole.
inline void only_statistics_must_match(const split_shape &s, split_memory &memory) {
    split_problem all(s, tensors_by_columns(s), memory);
    all.run(whole_forward(s, s.data(s.rows, s.columns), s.flags));
    const owned_pd alone =
        whole_forward(s, make_md({}, jitnorm_f32), s.flags & ~unsigned(jitnorm_use_scale | jitnorm_use_shift));
    must(has(alone, JITNORM_ARG_DST) ? 1 : 0, "statistics alone have no dst");
    all.run(alone, true);
    all.parts_must_match("a statistic alone", {JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE});
}

} // namespace jitnorm::tests
