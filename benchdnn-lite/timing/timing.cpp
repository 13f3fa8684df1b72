// SPDX-License-Identifier: Apache-2.0
// Measures executions and memcpys in turn.
#include "timing.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include <unistd.h>

#include "../problem/execution.hpp"
#include "../problem/memory_size.hpp"
#include "../problem/mode.hpp"
#include "../problem/threads.hpp"
#include "../stopwatch.hpp"

namespace benchdnn_lite {

namespace {

constexpr double CACHE_UNKNOWN = 64e6; // bytes, if the system does not say how large its caches are
constexpr double CACHES = 3;           // times the largest cache; benchdnn's factor, enough for two sockets
constexpr size_t MOST_SETS = 4096, PAGE = 4096, LINE = 64;

bool is_weight(int id) { return id == JITNORM_ARG_SCALE || id == JITNORM_ARG_SHIFT; }

// How many bytes must be read or written until the caches have nothing from before.
double cache_bytes_to_evict() {
    const long size = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    return CACHES * (size > 0 ? double(size) : CACHE_UNKNOWN);
}

// The sets of tensors that the executions use in turn.
class cold_arguments {
public:
    // If `mode` makes no tensor cold, nothing is copied, and run() uses the execution's own tensors. Otherwise at least
    // one set is copied, and further ones until they are larger than the caches or would take more than `most_bytes`.
    // The execution must outlive the object.
    cold_arguments(const execution &e, const cold_cache_mode &mode, double most_bytes)
        : execution_(e), mode_(mode), pages_(mode.tlb_bytes) {
        const double cold = bytes_of_cold();
        if (cold == 0) return;
        const double wanted = std::min(cache_bytes_to_evict() + cold, most_bytes);
        const size_t count = std::clamp(size_t(wanted / cold), size_t(1), MOST_SETS);
        for (size_t i = 0; i < count; ++i) sets_.push_back(copy_set());
    }

    bool any_cold() const { return !sets_.empty(); }
    // Executes with the next set. forget_pages() is to be called before it, outside of the measured time. It does its
    // work only before the first set is used.
    void run() { sets_.empty() ? execution_.run() : execution_.run(sets_[calls_++ % sets_.size()].list); }

    void forget_pages() {
        if (sets_.empty() || calls_ % sets_.size() != 0) return;
        for (size_t at = 0; at < pages_.size(); at += PAGE) ++pages_[at];
    }

private:
    struct set {
        std::vector<buffer> copies;
        std::vector<memory> handles;
        argument_list list;
    };

    bool is_cold(const argument &a) const {
        if (mode_.cold == cold_cache_mode::arguments::none || a.use == role::scratch) return false;
        return mode_.cold == cold_cache_mode::arguments::all || is_weight(a.id);
    }

    // Tensors that share memory share it in the copy too.
    set copy_set() const {
        set s;
        std::map<const void *, buffer> copies;
        for (const argument &a : execution_.arguments()) {
            if (!is_cold(a)) {
                s.list.push_back({a.id, a.handle.get()});
                continue;
            }
            const buffer &copy = copies.try_emplace(a.data.data(), a.data.clone()).first->second;
            s.copies.push_back(copy);
            s.handles.push_back(execution_.memory_for(a.id, copy));
            s.list.push_back({a.id, s.handles.back().get()});
        }
        return s;
    }

    double bytes_of_cold() const {
        double bytes = 0;
        for (const argument &a : execution_.arguments())
            if (is_cold(a)) bytes += double(a.data.size());
        return bytes;
    }

    const execution &execution_;
    cold_cache_mode mode_;
    std::vector<set> sets_;
    size_t calls_ = 0;
    std::vector<char> pages_; // forget_pages() writes one byte of each page
};

constexpr size_t ONE_THREAD_BLOCKS = 9;
constexpr double ONE_THREAD_SHARE = 0.1; // of the time for a problem
constexpr size_t PARALLEL_COPY = 262144; // bytes; larger copies are made by all threads

// Copies bytes / 2, so that `bytes` are read and written. Successive copies use successive places of two buffers, which
// together have `footprint` bytes; a footprint larger than the caches makes the copies cold, and 0 gives one place.
class copier {
public:
    copier(double bytes, double footprint)
        : size_(std::max<size_t>(size_t(bytes / 2), 1)), step_((size_ + LINE - 1) / LINE * LINE),
          places_(std::max<size_t>(size_t(footprint / 2 / double(step_)), 1)), from_(step_ * places_),
          to_(step_ * places_) {
        std::memset(from_.data(), 1, from_.size());
        std::memset(to_.data(), 1, to_.size());
    }

    void copy() {
        const size_t offset = calls_++ % places_ * step_;
        const auto *const from = static_cast<const char *>(from_.data()) + offset;
        auto *const to = static_cast<char *>(to_.data()) + offset;
        const auto copy_lines = [&](int64_t /* part */, int64_t begin, int64_t end) {
            const size_t first = size_t(begin) * LINE;
            std::memcpy(to + first, from + first, std::min(size_, size_t(end) * LINE) - first);
        };
        share_among_threads(int64_t(step_ / LINE), size_ < PARALLEL_COPY ? 1 : thread_count(), copy_lines);
    }

private:
    size_t size_, step_, places_, calls_ = 0;
    guarded_bytes from_, to_;
};

// The median of a few blocks, or of as many as a small part of the problem's time allows.
double few_blocks_of(sampler s, const run_options &options) {
    const stopwatch start;
    do s.sample();
    while (s.count() < ONE_THREAD_BLOCKS && start.us() < ONE_THREAD_SHARE * options.time_limit_ms() * 1000);
    return s.us().median;
}

// Counts each tensor once and without padding. Some implementations read src more than once, or touch the padding, but
// the problem does not demand it. A tensor that is read and written counts as input and as output.
void count_bytes(const execution &e, timing &t) {
    for (const argument &a : e.arguments()) {
        if (a.use == role::scratch) continue;
        const double tensor = double(a.data.elements()) * double(size_of(a.data.type()));
        const bool reads_old = a.use == role::both && !e.prb().in_place; // in place the input counts itself
        if (a.use == role::input || reads_old) t.input_bytes += tensor;
        if (a.use != role::input) t.output_bytes += tensor;
    }
}

} // namespace

timing time(const execution &e, const run_options &options) {
    timing t;
    count_bytes(e, t);
    cold_arguments arguments(e, options.cold_cache, available_bytes() / 4);
    t.cold = arguments.any_cold();
    copier copies(t.bytes(), t.cold ? std::min(cache_bytes_to_evict(), available_bytes() / 4) : 0);
    const body run = [&] { arguments.run(); }, forget = [&] { arguments.forget_pages(); };
    const body copy = [&] { copies.copy(); };
    const auto size = options.fixed_times > 0 || t.cold ? sampler::block::one_call : sampler::block::of_50_us;
    sampler executions(run, size, forget), memcpys(copy, size);
    for (const stopwatch start; options.goes_on_timing(executions.count(), start.ms());) {
        executions.sample();
        memcpys.sample();
    }
    t.us = executions.us();
    t.clocks = executions.clocks();
    t.copy_us = memcpys.us();
    if (thread_count() == 1 || options.mode.fast) return t;
    const other_thread_count alone(1);
    t.us.one_thread = few_blocks_of(sampler(run, size, forget), options);
    t.copy_us.one_thread = few_blocks_of(sampler(copy, size), options);
    return t;
}

} // namespace benchdnn_lite
