// SPDX-License-Identifier: Apache-2.0
// Reads and writes the value of --cold-cache.
#include "cold_cache_mode.hpp"

#include <cctype>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

using arguments = cold_cache_mode::arguments;

constexpr size_t MEGABYTE = size_t(1) << 20, GIGABYTE = size_t(1) << 30;
constexpr float MAX_GIGABYTES = 1024;

arguments parse_arguments(std::string_view text) {
    if (text == "none") return arguments::none;
    if (text == "wei" || text == "weights") return arguments::weights;
    if (text == "all") return arguments::all;
    throw input_error("'", text, "' is none of none, wei, all");
}

size_t parse_size(std::string_view text) {
    const char unit = text.empty() ? ' ' : char(std::toupper(static_cast<unsigned char>(text.back())));
    if (unit != 'M' && unit != 'G') throw input_error("size '", text, "' does not end in M or G");
    const float number = parse_float(text.substr(0, text.size() - 1));
    const size_t factor = unit == 'M' ? MEGABYTE : GIGABYTE;
    if (!(number > 0) || number * (unit == 'M' ? 1.f / 1024 : 1.f) > MAX_GIGABYTES)
        throw input_error("size '", text, "' is not between 0 and 1024G");
    return size_t(double(number) * double(factor));
}

size_t parse_tlb(std::string_view text) {
    if (text == "tlb") return GIGABYTE;
    if (!text.starts_with("tlb:")) throw input_error("extension '", text, "' is not of the form tlb[:SIZE]");
    return parse_size(text.substr(4));
}

} // namespace

cold_cache_mode parse_cold_cache(std::string_view text) {
    const std::vector<std::string> parts = split(text, '+');
    cold_cache_mode mode{parse_arguments(parts[0]), 0};
    if (parts.size() > 2) throw input_error("'", text, "' has more than one extension");
    if (parts.size() == 1) return mode;
    if (mode.cold == arguments::none) throw input_error("nothing is cold, so there is nothing to extend");
    mode.tlb_bytes = parse_tlb(parts[1]);
    return mode;
}

std::string to_text(const cold_cache_mode &mode) {
    std::string text = mode.cold == arguments::none ? "none" : mode.cold == arguments::all ? "all" : "wei";
    if (mode.tlb_bytes > 0) text += concat("+tlb:", to_text(float(mode.tlb_bytes) / float(MEGABYTE)), "M");
    return text;
}

} // namespace benchdnn_lite
