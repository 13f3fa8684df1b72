// SPDX-License-Identifier: Apache-2.0
// problem: one layer normalization to run, as the command line describes it; line() writes it back in the same syntax.
#pragma once

#include <string>
#include <vector>

#include "attributes.hpp"
#include "data_type.hpp"

namespace benchdnn_lite {

enum class direction { FWD_D, FWD_I, BWD_D, BWD_DW };

direction parse_direction(std::string_view text);
std::string_view name_of(direction dir);

// G use global statistics, C scale, H shift, M root mean square
unsigned parse_flags(std::string_view text);
std::string flags_text(unsigned flags);

struct type_pair {
    data_type src = jitnorm_f32, dst = jitnorm_f32;
    bool operator==(const type_pair &) const = default;
};

struct tag_pair {
    std::string src = "abx", dst = "any";
    bool operator==(const tag_pair &) const = default;
};

type_pair parse_type_pair(std::string_view text); // T or SRC:DST
tag_pair parse_tag_pair(std::string_view text);   // TAG (dst any) or SRC:DST

struct shape {
    std::vector<dim_t> dims;
    std::string name; // of _n"name"; may be empty
};

// 128x768, 2x4x16_n"name"; throws input_error for fewer than 2 or more than 12 dimensions, or too many elements.
shape parse_shape(std::string_view text);

constexpr float DEFAULT_EPSILON = 1.f / 16;

struct problem {
    shape size;
    direction dir = direction::FWD_D;
    type_pair types; // backward: dst is the type of diff_dst, src the type of src and diff_src
    tag_pair tags;
    std::string stat_tag = "any";
    data_type scale_shift_type = jitnorm_f32;
    unsigned flags = 0;
    attributes attr;
    float epsilon = DEFAULT_EPSILON;
    bool in_place = false;

    bool is_forward() const { return dir == direction::FWD_D || dir == direction::FWD_I; }
    bool has(jitnorm_normalization_flags_t flag) const { return (flags & unsigned(flag)) != 0; }
    bool uses_scale() const { return has(jitnorm_use_scale); }
    bool uses_shift() const { return has(jitnorm_use_shift); }
    bool is_rms() const { return has(jitnorm_rms_norm); }
    bool statistics_are_global() const { return has(jitnorm_use_global_stats); }
    bool statistics_are_inputs() const { return !is_forward() || statistics_are_global(); }
    bool statistics_are_outputs() const { return dir == direction::FWD_D && !statistics_are_global(); }

    size_t ndims() const { return size.dims.size(); }
    dim_t row_length() const { return size.dims.back(); }
    dim_t rows() const;
    dim_t elements() const { return rows() * row_length(); }
    std::vector<dim_t> statistics_dims() const { return {size.dims.begin(), size.dims.end() - 1}; }

    // Knobs that differ from their defaults, then the shape: what reproduces this problem.
    std::string line() const;
};

} // namespace benchdnn_lite
