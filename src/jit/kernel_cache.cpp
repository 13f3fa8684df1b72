// SPDX-License-Identifier: Apache-2.0
#include "kernel_cache.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <future>
#include <map>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

#include "../base/lru_cache.hpp"
#include "../base/process.hpp"
#include "profiling/profiling.hpp"

namespace jitnorm::impl::jit {

namespace {

size_t whole_pages(size_t size) {
    const auto page = size_t(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

std::system_error refused(const char *what) { return {errno, std::generic_category(), what}; }

// ---- the cache

using future_code = std::shared_future<code_ptr>;

// A kernel that is finished or being generated.
struct kernel {
    future_code made;
    const std::promise<code_ptr> *claim; // of the call that generates it, which may have ended
    unsigned born = forks.load(std::memory_order_relaxed);

    // False if the thread that generates the kernel does not exist in this process, which was forked meanwhile.
    bool will_be_made() const {
        if (born == forks.load(std::memory_order_relaxed)) return true;
        return made.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }
};

template <typename T>
using map = std::map<kernel_key, T>;

// Kernels that are dropped are destroyed after process_lock is released (`gone` is declared before the lock): giving
// pages back to the system may take long.
using kernels = lru_cache<kernel, map>;

constinit process_wide<kernels> shared; // guarded by process_lock

// The future of a kernel that is finished or being generated. If there is none, returns an invalid future, and the
// caller must generate the kernel and fulfil `promise`.
future_code find_or_claim(const kernel_key &key, std::promise<code_ptr> &promise) {
    kernels &all = shared.get();
    kernels::entries lost, gone;
    const std::lock_guard lock(process_lock);
    if (const kernel *found = all.find(key)) {
        if (found->will_be_made()) return found->made;
        lost = all.erase(key);
    }
    gone = all.insert(key, {promise.get_future().share(), &promise});
    return {};
}

// Drops the entry that was claimed with this promise. If it was evicted, the key may have an entry of another thread,
// which stays.
void forget(const kernel_key &key, const std::promise<code_ptr> &promise) {
    kernels &all = shared.get();
    kernels::entries gone;
    const std::lock_guard lock(process_lock);
    if (const kernel *found = all.find(key); found != nullptr && found->claim == &promise) gone = all.erase(key);
}

} // namespace

code::code(std::span<const uint8_t> instructions, const char *name)
    : pages_(nullptr), size_(instructions.size()), mapped_(whole_pages(instructions.size())) {
    pages_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages_ == MAP_FAILED) throw refused("no memory for generated code");
    std::memcpy(pages_, instructions.data(), size_);
    if (mprotect(pages_, mapped_, PROT_READ | PROT_EXEC) != 0) {
        const std::system_error error = refused("generated code cannot be made executable");
        munmap(pages_, mapped_);
        throw error;
    }
    register_code({static_cast<const uint8_t *>(pages_), size_}, name);
}

code::~code() { munmap(pages_, mapped_); }

code_ptr find_or_generate(const kernel_key &key, const std::function<code_ptr()> &generate) {
    std::promise<code_ptr> promise;
    if (const future_code kernel = find_or_claim(key, promise); kernel.valid()) return kernel.get();
    try {
        code_ptr made = generate();
        promise.set_value(made);
        return made;
    } catch (...) {
        forget(key, promise); // before the waiting threads wake, so that the next call tries again
        promise.set_exception(std::current_exception());
        throw;
    }
}

int kernel_cache_capacity() { return int(shared.get().capacity()); }

void set_kernel_cache_capacity(int most) {
    kernels &all = shared.get();
    kernels::entries gone;
    const std::lock_guard lock(process_lock);
    gone = all.set_capacity(size_t(std::max(most, 0)));
}

} // namespace jitnorm::impl::jit
