// SPDX-License-Identifier: Apache-2.0
#include "tensor_regions.hpp"

#include <cmath>
#include <cstring>

#include "jitnorm/jitnorm_memory.h"
#include "problem/data_type.hpp"
#include "run_one.hpp"

namespace jitnorm::fuzz {

namespace {

struct float_format {
    int mantissa, exponent; // bits, from the lowest one
};

// Nothing for integers.
std::optional<float_format> format_of(jitnorm_data_type_t type) {
    switch (type) {
#define DATA_TYPE(name, number, size, precision, ...)                                                                  \
    case jitnorm_##name:                                                                                               \
        return precision == 0 ? std::nullopt : std::optional(float_format{precision - 1, 8 * size - precision});
#include "../../tables/data_types.inc"
    default:
        return std::nullopt;
    }
}

size_t size_of(jitnorm_data_type_t type) { return std::max<size_t>(jitnorm_data_type_size(type), 1); }

uint64_t low_bits(uint64_t value, int count) { return value & ((uint64_t(1) << count) - 1); }

uint64_t next(uint64_t &state) { // splitmix64 (Steele, Lea, Flood 2014)
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// A random number of about the magnitude that `kind` says, as bits.
uint64_t element(const float_format &f, contents kind, uint64_t &state) {
    const uint64_t bits = next(state);
    const uint64_t top = low_bits(~uint64_t(0), f.exponent), one = top / 2;
    uint64_t exponent = one - 2 + bits % 4;
    if (kind == contents::huge) exponent = top - 1 - bits % 4;
    if (kind == contents::tiny) exponent = bits % 4;
    if (kind == contents::any_bits || (kind == contents::few_any_bits && bits % 61 == 0)) exponent = (bits >> 8) & top;
    const uint64_t mantissa = low_bits(next(state), f.mantissa), sign = bits >> 63;
    return (sign << f.exponent | exponent) << f.mantissa | mantissa;
}

// The index of the first element, gaps and padding included, in which the two differ; -1 if none. A NaN equals any
// other.
ptrdiff_t first_difference(jitnorm_data_type_t type, const std::vector<unsigned char> &a,
                           const std::vector<unsigned char> &b) {
    if (a == b) return -1;
    const size_t size = size_of(type);
    const auto is_nan = [&](const std::vector<unsigned char> &of, size_t i) {
        return format_of(type) && std::isnan(benchdnn_lite::load(type, of.data(), int64_t(i)));
    };
    for (size_t i = 0; (i + 1) * size <= a.size(); ++i) {
        const bool same = std::memcmp(&a[i * size], &b[i * size], size) == 0;
        if (!same && !(is_nan(a, i) && is_nan(b, i))) return ptrdiff_t(i);
    }
    return -1;
}

size_t choose_off(byte_stream &choices) { return choices.one_in(4) ? 1 + choices.below(63) : 0; }

} // namespace

contents choose_contents(byte_stream &choices) {
    return choices.one_in(3) ? contents(choices.below(6)) : contents::ordinary;
}

tensor_memory::tensor_memory(byte_stream &choices, size_t bytes)
    : bytes_(bytes), off_(choose_off(choices)),
      buffer_(bytes + off_, choices.coin() ? tests::guard_side::before : tests::guard_side::after),
      data_(buffer_.as<unsigned char>() + (choices.coin() ? off_ : 0)) {}

void tensor_memory::fill(jitnorm_data_type_t type, contents kind, uint64_t seed, bool is_positive) {
    const auto format = format_of(type);
    const size_t size = size_of(type);
    uint64_t state = seed, bits = 0;
    for (size_t at = 0; at + size <= bytes_; at += size) {
        const bool again = kind == contents::constant && at > 0;
        if (!again) bits = format ? element(*format, kind, state) : next(state);
        if (format && is_positive) bits = low_bits(bits, format->mantissa + format->exponent);
        std::memcpy(data_ + at, &bits, size);
    }
}

bool tensor_memory::surroundings_untouched() const {
    const auto *begin = buffer_.as<unsigned char>();
    const auto is_canary = [](unsigned char byte) { return byte == tests::guarded_buffer::CANARY; };
    return buffer_.slack_untouched() && std::all_of(begin, static_cast<const unsigned char *>(data_), is_canary) &&
           std::all_of(static_cast<const unsigned char *>(data_) + bytes_, begin + buffer_.bytes(), is_canary);
}

size_t tensor_regions::add(size_t bytes, jitnorm_data_type_t type, bool is_read, bool is_written) {
    region own;
    own.bytes = bytes;
    own.type = type;
    own.is_written = is_written;
    tensors_.push_back({bytes, type, is_read, is_written, regions_.size(), 0, false});
    regions_.push_back(std::move(own));
    return tensors_.size() - 1;
}

void tensor_regions::share(size_t one, size_t other, size_t offset, bool in_place) {
    const size_t target = tensors_[one].region, left = tensors_[other].region;
    if (target == left) return;
    region &to = regions_[target], &from = regions_[left];
    for (tensor &t : tensors_) {
        if (t.region != left) continue;
        t.region = target;
        t.offset += offset;
        to.bytes = std::max(to.bytes, t.offset + t.bytes);
    }
    if (from.is_written) to.type = from.type;
    to.is_written |= from.is_written;
    is_comparable_ = is_comparable_ && (in_place || !to.is_written);
    from = {};
}

void tensor_regions::share_hostile(byte_stream &choices) {
    if (tensors_.empty() || !choices.hostile()) return;
    const size_t one = choices.below(tensors_.size()), other = choices.below(tensors_.size());
    share(one, other, choices.coin() ? 0 : choices.below(64), false);
}

void tensor_regions::allocate(byte_stream &choices) {
    const contents kind = choose_contents(choices);
    for (region &r : regions_) r.memory.emplace(choices, r.bytes);
    for (const tensor &t : tensors_)
        if (t.is_read)
            regions_[t.region].memory->fill(t.type, choices.one_in(4) ? choose_contents(choices) : kind,
                                            uint64_t(choices.byte()), t.is_positive);
    for (region &r : regions_) {
        if (r.is_written)
            r.memory->remember();
        else
            r.memory->make_read_only();
    }
}

unsigned char *tensor_regions::data(size_t number) const {
    return regions_[tensors_[number].region].memory->data() + tensors_[number].offset;
}

void tensor_regions::restore() {
    for (region &r : regions_)
        if (r.is_written) r.memory->restore();
}

run_result tensor_regions::result(int status) const {
    run_result result{status, {}};
    for (const region &r : regions_) {
        require(r.memory->surroundings_untouched(), "nothing is written around a tensor");
        if (!r.is_written) continue;
        if (status != 0) require(r.memory->is_as_remembered(), "an error leaves outputs untouched");
        result.written.push_back(r.memory->content());
    }
    return result;
}

void tensor_regions::require_equal(const run_result &a, const run_result &b, const std::string &whose) const {
    require(a.status == b.status, "all implementations answer the same status",
            whose + ": " + std::to_string(a.status) + " and " + std::to_string(b.status));
    if (!is_comparable_) return;
    size_t written = 0;
    for (size_t i = 0; i < regions_.size(); ++i) {
        if (!regions_[i].is_written) continue;
        const ptrdiff_t at = first_difference(regions_[i].type, a.written[written], b.written[written]);
        require(at < 0, "all implementations give the same bits",
                whose + ", tensor " + std::to_string(i) + ", element " + std::to_string(at));
        ++written;
    }
}

} // namespace jitnorm::fuzz
