// SPDX-License-Identifier: Apache-2.0
#include "perf_dump.hpp"

#include <atomic>
#include <cstring>
#include <ctime>
#include <type_traits>

#include <elf.h>
#include <unistd.h>

namespace jitnorm::impl::jit {

namespace {

struct file_header {
    uint32_t magic, version, size, machine, unused, pid;
    uint64_t time, flags;
};

constexpr uint32_t CODE_LOAD = 0; // a kind of record

struct record_header {
    uint32_t kind;
    uint32_t size; // of the whole record
    uint64_t time;
};

struct code_load { // is followed by the name, a zero and the code
    uint32_t pid, tid;
    uint64_t address_of_mapping, address, size, number;
};

// The time in nanoseconds, of the clock that `perf record -k mono` uses.
uint64_t now() {
    timespec time = {};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return uint64_t(time.tv_sec) * 1'000'000'000U + uint64_t(time.tv_nsec);
}

// Appends the bytes of a number or a structure as they lie in memory.
template <typename T>
requires std::is_trivially_copyable_v<T>
void append(byte_string &to, const T &value) {
    const auto *first = reinterpret_cast<const uint8_t *>(&value);
    to.insert(to.end(), first, first + sizeof value);
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

byte_string perf_dump_record(std::span<const uint8_t> code, const char *name) {
    const auto address = reinterpret_cast<uintptr_t>(code.data());
    const size_t name_size = std::strlen(name) + 1;
    byte_string result;
    append(result, record_header{.kind = CODE_LOAD,
                                 .size = uint32_t(sizeof(record_header) + sizeof(code_load) + name_size + code.size()),
                                 .time = now()});
    append(result, code_load{.pid = uint32_t(getpid()),
                             .tid = uint32_t(gettid()),
                             .address_of_mapping = address,
                             .address = address,
                             .size = code.size(),
                             .number = kernels.fetch_add(1, std::memory_order_relaxed)});
    result.insert(result.end(), name, name + name_size);
    result.insert(result.end(), code.begin(), code.end());
    return result;
}

} // namespace jitnorm::impl::jit
