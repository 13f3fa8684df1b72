// SPDX-License-Identifier: Apache-2.0
#include "kernel_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <map>

#include "../system/process_wide.hpp"

namespace jitnorm::impl::jit {

namespace {

using future_code = std::shared_future<code_ptr>;

// Kernels that are dropped are destroyed after process_lock is released (`gone` is declared before the lock): giving
// pages back to the system may take long.
class cache {
public:
    // The future of a kernel that is finished or being generated. If there is none, returns an invalid future, and the
    // caller must generate the kernel and fulfil `promise`; `claim` is the number of the new entry.
    future_code find_or_claim(const kernel_key &key, std::promise<code_ptr> &promise, uint64_t &claim) {
        kernels gone;
        const std::lock_guard lock(process_lock);
        ++clock_;
        if (const auto found = kernels_.find(key); found != kernels_.end() && found->second.will_be_made()) {
            found->second.last_use = clock_;
            return found->second.kernel;
        }
        claim = clock_;
        kernels_.insert_or_assign(key, entry{promise.get_future().share(), clock_, claim});
        gone = evict();
        return {};
    }

    // Drops the entry with this number. If it was evicted, the key may have an entry of another thread, which stays.
    void forget(const kernel_key &key, uint64_t claim) {
        kernels::node_type gone;
        const std::lock_guard lock(process_lock);
        if (const auto found = kernels_.find(key); found != kernels_.end() && found->second.claim == claim)
            gone = kernels_.extract(found);
    }

    size_t capacity() {
        const std::lock_guard lock(process_lock);
        return capacity_;
    }

    void set_capacity(size_t capacity) {
        kernels gone;
        const std::lock_guard lock(process_lock);
        capacity_ = capacity;
        gone = evict();
    }

private:
    struct entry {
        future_code kernel;
        uint64_t last_use, claim;
        unsigned born = forks.load(std::memory_order_relaxed);

        // False if the thread that generates the kernel does not exist in this process, which was forked meanwhile.
        bool will_be_made() const {
            if (born == forks.load(std::memory_order_relaxed)) return true;
            return kernel.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        }
    };

    using kernels = std::map<kernel_key, entry>;

    kernels evict() {
        kernels gone;
        while (kernels_.size() > capacity_)
            gone.insert(kernels_.extract(
                std::ranges::min_element(kernels_, {}, [](const auto &k) { return k.second.last_use; })));
        return gone;
    }

    kernels kernels_;
    uint64_t clock_ = 0;
    size_t capacity_ = 1024;
};

constinit process_wide<cache> shared;

cache &the_cache() { return shared.get(); }

} // namespace

code_ptr find_or_generate(const kernel_key &key, const std::function<code_ptr()> &generate) {
    std::promise<code_ptr> promise;
    uint64_t claim = 0;
    if (const future_code kernel = the_cache().find_or_claim(key, promise, claim); kernel.valid()) return kernel.get();
    try {
        code_ptr made = generate();
        promise.set_value(made);
        return made;
    } catch (...) {
        the_cache().forget(key, claim); // before the waiting threads wake, so that the next call tries again
        promise.set_exception(std::current_exception());
        throw;
    }
}

int kernel_cache_capacity() { return int(the_cache().capacity()); }

void set_kernel_cache_capacity(int kernels) { the_cache().set_capacity(size_t(std::max(kernels, 0))); }

} // namespace jitnorm::impl::jit
