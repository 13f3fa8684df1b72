// SPDX-License-Identifier: Apache-2.0
#include "perf_dump.hpp"

#include <atomic>
#include <cstring>
#include <ctime>

#include <elf.h>
#include <unistd.h>

#include "frame_table.hpp"

namespace jitnorm::impl::jit {

namespace {

struct file_header {
    uint32_t magic, version, size, machine, unused, pid;
    uint64_t time, flags;
};

enum class record_kind : uint32_t { code_load = 0, unwinding_info = 4 };

struct record_header {
    record_kind kind;
    uint32_t size; // of the whole record
    uint64_t time;
};

struct code_load { // is followed by the name, a zero and the code
    uint32_t pid, tid;
    uint64_t address_of_mapping, address, size, number;
};

struct unwinding_info { // belongs to the next code_load; is followed by the section and the header
    uint64_t size, header_size, size_in_memory;
};

// The time in nanoseconds, of the clock that `perf record -k mono` uses.
uint64_t now() {
    timespec time = {};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return uint64_t(time.tv_sec) * 1'000'000'000U + uint64_t(time.tv_nsec);
}

void append_record(byte_string &to, record_kind kind, const byte_string &content) {
    append(to, record_header{kind, uint32_t(sizeof(record_header) + content.size()), now()});
    append_all(to, content);
}

constinit std::atomic<uint64_t> kernels = 0;

} // namespace

byte_string perf_dump_header() {
    byte_string result;
    append(result, file_header{.magic = 0x4A695444, // "JiTD"
                               .version = 1,
                               .size = sizeof(file_header),
                               .machine = EM_X86_64,
                               .unused = 0,
                               .pid = uint32_t(getpid()),
                               .time = now(),
                               .flags = 0});
    return result;
}

byte_string perf_dump_records(std::span<const uint8_t> code, const char *name, std::span<const uint8_t> frames) {
    const byte_string header = frame_table::header(code.size(), frames.size());
    byte_string result, unwinding, load;
    append(unwinding, unwinding_info{frames.size() + header.size(), header.size(), 0});
    append_all(unwinding, frames);
    append_all(unwinding, header);
    append_record(result, record_kind::unwinding_info, unwinding);

    const auto address = reinterpret_cast<uintptr_t>(code.data());
    append(load, code_load{.pid = uint32_t(getpid()),
                           .tid = uint32_t(gettid()),
                           .address_of_mapping = address,
                           .address = address,
                           .size = code.size(),
                           .number = kernels.fetch_add(1, std::memory_order_relaxed)});
    append_all(load, {reinterpret_cast<const uint8_t *>(name), std::strlen(name) + 1});
    append_all(load, code);
    append_record(result, record_kind::code_load, load);
    return result;
}

} // namespace jitnorm::impl::jit
