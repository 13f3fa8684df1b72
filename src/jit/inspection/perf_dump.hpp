// SPDX-License-Identifier: Apache-2.0
// perf_dump: the content of the file jit-PID.dump. From it `perf inject --jit` makes an object file for each kernel
// with its name, its instructions, which `perf annotate` shows, and its frames. The format is perf's jitdump,
// version 1.
#pragma once

#include <span>

#include "bytes.hpp"

namespace jitnorm::impl::jit {

byte_string perf_dump_header();
// The records of one kernel; `frames` is the section that frame_table makes.
byte_string perf_dump_records(std::span<const uint8_t> code, const char *name, std::span<const uint8_t> frames);

} // namespace jitnorm::impl::jit
