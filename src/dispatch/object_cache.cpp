// SPDX-License-Identifier: Apache-2.0
#include "object_cache.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <vector>

#include "../base/lru_cache.hpp"
#include "../base/process.hpp"
#include "../base/verbose.hpp"
#include "../jit/isa.hpp"
#include "prepare.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

void add_entry(cache_key &to, const sum_post_op &op) {
    to.add(op.scale);
    to.add(uint64_t(uint32_t(op.zero_point)) << 32 | uint64_t(op.data_type));
}
void add_entry(cache_key &to, const eltwise_post_op &op) {
    to.add(uint64_t(op.alg));
    to.add(op.alpha);
    to.add(op.beta);
}
void add_entry(cache_key &to, const binary_post_op &op) {
    to.add(uint64_t(op.alg));
    to.add(op.src1);
}

} // namespace

// ---- changes of settings, as they have begun and ended since the process began

namespace {

constinit std::atomic<unsigned> changes_begun = 0, changes_ended = 0;

} // namespace

settings_change::settings_change() { ++changes_begun; }
settings_change::~settings_change() { ++changes_ended; }

// ---- keys

// The address of the forced implementation's name stands for the name, since it never changes while the process lives.
cache_key::cache_key(maker who) : changes_(changes_ended) {
    add(uint64_t(who) << 32 | uint64_t(jit::effective_isa()));
    add(uint64_t(reinterpret_cast<uintptr_t>(forced_implementation().data())));
}

// Adds the dimensions and blocks in use only, since the rest of the descriptor means nothing.
void cache_key::add(const memory_desc &md) {
    const auto dims = size_t(md.ndims), blocks = size_t(md.inner_nblks);
    add(uint64_t(md.ndims) | uint64_t(md.inner_nblks) << 8 | uint64_t(md.data_type) << 16 |
        uint64_t(md.format_kind) << 32);
    add(uint64_t(md.offset0));
    add(std::span(md.dims, dims));
    add(std::span(md.padded_dims, dims));
    add(std::span(md.strides, dims));
    add(std::span(md.inner_blks, blocks));
    add(std::span(md.inner_idxs, blocks));
}

void cache_key::add(const problem &p) {
    add(uint64_t(p.prop_kind) << 32 | uint64_t(p.flags));
    add(p.epsilon);
    add(uint64_t(uint32_t(p.scale_shift_type)) << 32 | uint32_t(p.diff_scale_shift_type));
    add(uint64_t(uint32_t(p.normalized_axes)) << 32 | uint64_t(p.form) << 16 | uint64_t(p.scale_is_ones));
    add(uint64_t(p.omitted));
    add(uint64_t(p.first_row));
    add(uint64_t(p.all_rows));
    add(uint64_t(p.all_columns));
    uint64_t described = 0, bit = 1;
    for (const memory_desc &md : p.descriptors()) {
        if (md.ndims != 0) described |= bit, add(md);
        bit <<= 1;
    }
    add(described);
    const attributes &attr = p.attr;
    add(uint64_t(attr.scratchpad_mode) | uint64_t(attr.src_scale) << 32 | uint64_t(attr.dst_scale) << 33 |
        uint64_t(attr.normalizes_rounded_sum) << 34 | uint64_t(attr.multiplies_silu) << 35 |
        uint64_t(attr.post_ops.entries.size()) << 40);
    add(uint64_t(attr.bias_type));
    for (const post_op &entry : attr.post_ops.entries) {
        add(uint64_t(entry.index()));
        std::visit([&](const auto &op) { add_entry(*this, op); }, entry);
    }
}

bool cache_key::has_settings_of_now() const { return changes_begun == changes_; }

// A sum of products: the processor can compute the products at the same time.
uint64_t cache_key::hash() const {
    constexpr uint64_t ODD = 0x9E3779B97F4A7C15, STEP = 0xD1B54A32D192ED02;
    uint64_t sum = 0, factor = ODD;
    for (const uint64_t word : words()) {
        sum += word * factor;
        factor += STEP;
    }
    return sum ^ sum >> 32;
}

namespace {

// The words of a cache key with their hash, which is computed before the lock is taken.
template <typename Words>
struct hashed {
    uint64_t hash;
    Words words;
};
using kept_key = hashed<std::vector<uint64_t>>;
using sought_key = hashed<std::span<const uint64_t>>;

// Functions of std::unordered_map that take either type of key, so that a look-up need not copy words.
struct hash_of {
    using is_transparent = void;
    size_t operator()(const auto &key) const noexcept { return size_t(key.hash); }
};
struct are_equal {
    using is_transparent = void;
    bool operator()(const auto &a, const auto &b) const { return std::ranges::equal(a.words, b.words); }
};
template <typename T>
using map = std::unordered_map<kept_key, T, hash_of, are_equal>;

using objects = lru_cache<std::shared_ptr<const void>, map>;

constinit process_wide<objects> shared; // guarded by process_lock

} // namespace

std::shared_ptr<const void> find_object(const cache_key &key) {
    if (!key.is_whole() || verbose_level() >= 2) return nullptr;
    objects &all = shared.get();
    const sought_key sought = {key.hash(), key.words()};
    const std::lock_guard lock(process_lock);
    const auto *found = all.find(sought);
    return found != nullptr ? *found : nullptr;
}

std::shared_ptr<const void> cache_object(const cache_key &key, std::shared_ptr<const void> made) {
    if (!key.is_whole() || !key.has_settings_of_now()) return made;
    objects &all = shared.get();
    const auto words = key.words();
    kept_key kept = {key.hash(), {words.begin(), words.end()}};
    objects::entries gone;
    const std::lock_guard lock(process_lock);
    if (const auto *other = all.find(kept)) return *other;
    gone = all.insert(std::move(kept), made);
    return made;
}

void set_object_cache_capacity(size_t capacity) {
    objects &all = shared.get();
    objects::entries gone;
    const std::lock_guard lock(process_lock);
    gone = all.set_capacity(capacity);
}

bool caches_objects() { return shared.get().capacity() != 0; }

} // namespace jitnorm::impl::layer_norm
