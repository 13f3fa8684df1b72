// SPDX-License-Identifier: Apache-2.0
// perf_dump: the content of the file jit-PID.dump. From it `perf inject --jit` makes an object file for each kernel
// with its name and its instructions, which `perf annotate` shows. The format is perf's jitdump, version 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jitnorm::impl::jit {

using byte_string = std::vector<uint8_t>;

byte_string perf_dump_header();
byte_string perf_dump_record(std::span<const uint8_t> code, const char *name); // of one kernel

} // namespace jitnorm::impl::jit
