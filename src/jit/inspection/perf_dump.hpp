// SPDX-License-Identifier: Apache-2.0
// perf_dump: the file jit-PID.dump, from which `perf inject --jit` makes an object file for each kernel: its name, its
// instructions, which `perf annotate` shows, and its frames. The format is perf's jitdump, version 1.
#pragma once

#include <span>

#include "bytes.hpp"

namespace jitnorm::impl::jit {

byte_string perf_dump_header();
// What is known of one kernel; the frames' section is that of frame_table.hpp.
byte_string perf_dump_records(std::span<const uint8_t> code, const char *name, std::span<const uint8_t> frames);

} // namespace jitnorm::impl::jit
