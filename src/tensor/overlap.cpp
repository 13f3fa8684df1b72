// SPDX-License-Identifier: Apache-2.0
// overlap: whether two elements of a strided tensor are at one place in memory.
//
// They are if there are differences of indices, not all of them 0 and each at most strided_dim::most, with which the
// sum of difference * stride is 0. In most layouts each stride is larger than the sum of all offsets of the smaller
// ones; then there are none. Otherwise a search goes from the largest stride to the smallest. The rest of the sum must
// be within the reach of the smaller strides, and their greatest common divisor must divide it, so few differences come
// into question.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "memory_desc.hpp"

namespace jitnorm::impl {

namespace {

// A dimension of at least two indices whose stride is not 0.
struct strided_dim {
    dim_t stride;
    dim_t most; // the largest difference of two indices
    int dim;    // its number among the tensor's dimensions
};

// How many sums of differences a search tries. Two dimensions take one. Three take at most as many as the one of the
// largest stride has indices, and usually few. The answer is exact, unless it is that these are too few.
constexpr int MOST_TRIES = 1 << 16;

using wide = __int128; // has room for products and sums of numbers that are a dim_t

wide modulo(wide value, wide period) { return (value % period + period) % period; }
wide divide_down(wide value, wide by) { return (value - modulo(value, by)) / by; }

// The number whose product with `value` is 1 modulo `period`; the two have no common divisor.
wide inverse_of(wide value, wide period) {
    wide rest = period, next = value % period, of_rest = 0, of_next = 1;
    while (next != 0) {
        const wide quotient = rest / next;
        rest = std::exchange(next, rest - quotient * next);
        of_rest = std::exchange(of_next, of_rest - quotient * of_next);
    }
    return modulo(of_rest, period);
}

class search {
public:
    explicit search(std::span<const strided_dim> sorted) : dims_(sorted) {
        dim_t reach = 0, divisor = 0;
        for (size_t i = 0; i < sorted.size(); ++i) {
            const dim_t common = std::gcd(divisor, sorted[i].stride), period = i == 0 ? 1 : divisor / common;
            reach += sorted[i].stride * sorted[i].most;
            divisor = common;
            levels_[i] = {reach, divisor, period, inverse_of(sorted[i].stride / divisor, period)};
        }
    }

    // Refuses elements that differ along dimension i and none of a larger stride.
    status run() {
        for (size_t i = 1; i < dims_.size(); ++i) {
            const auto &[stride, most, dim] = dims_[i];
            const wide last = std::min<wide>(most, levels_[i - 1].reach / stride);
            for (wide difference = levels_[i].period; difference <= last; difference += levels_[i].period) {
                const wide distance = difference * stride;
                if (have_sum(i - 1, distance))
                    return invalid(explain("strides[%d] is %lld and makes elements overlap: the dimensions of smaller "
                                           "strides have elements at the distance %lld, too",
                                           dim, as_number(stride), as_number(dim_t(distance))));
                if (tries_ > MOST_TRIES)
                    return invalid(explain("strides[%d] is %lld; whether it makes elements overlap takes too long to "
                                           "check",
                                           dim, as_number(stride)));
            }
        }
        return ACCEPTED;
    }

private:
    // Of a dimension and those before it, which have smaller strides.
    struct level {
        dim_t reach;   // the largest offset
        dim_t divisor; // the greatest common divisor of the strides
        // From one difference to the next for which the divisor of the dimensions before divides the rest.
        dim_t period;
        wide inverse; // of the stride, both divided by `divisor`, modulo the period
    };

    // Whether differences along the dimensions up to `i` have this sum, a multiple of their divisor.
    bool have_sum(size_t i, wide sum) {
        if (++tries_ > MOST_TRIES) return false;
        const level &here = levels_[i];
        if (i == 0) return -here.reach <= sum && sum <= here.reach;
        const wide stride = dims_[i].stride, most = dims_[i].most, others = levels_[i - 1].reach;
        const wide least = std::max(-most, -divide_down(others - sum, stride));
        const wide last = std::min(most, divide_down(others + sum, stride));
        const wide remainder = modulo(sum / here.divisor, here.period) * here.inverse % here.period;
        for (wide d = least + modulo(remainder - least, here.period); d <= last && tries_ <= MOST_TRIES;
             d += here.period)
            if (have_sum(i - 1, sum - d * stride)) return true;
        return false;
    }

    std::span<const strided_dim> dims_;
    std::array<level, MAX_NDIMS> levels_;
    int tries_ = 0;
};

bool are_nested(std::span<const strided_dim> sorted) {
    dim_t reach = 0;
    for (const strided_dim &one : sorted) {
        if (one.stride <= reach) return false;
        reach += one.stride * one.most;
    }
    return true;
}

} // namespace

status check_overlap(const memory_desc &md) {
    std::array<strided_dim, MAX_NDIMS> all;
    size_t count = 0;
    for (int d = 0; d < md.ndims; ++d)
        if (md.strides[d] != 0 && md.dims[d] != 1) all[count++] = {md.strides[d], md.dims[d] - 1, d};
    const std::span dims(all.data(), count);
    std::ranges::sort(dims, {}, [](const strided_dim &one) { return std::pair(one.stride, one.dim); });
    return are_nested(dims) ? ACCEPTED : search(dims).run();
}

} // namespace jitnorm::impl
