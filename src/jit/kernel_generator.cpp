// SPDX-License-Identifier: Apache-2.0
#include "kernel_generator.hpp"

#include <algorithm>
#include <span>

#include "../tensor/names.hpp"

namespace jitnorm::impl::jit {

kernel_generator::kernel_generator(const vector_kind &what, size_t capacity)
    : kernel_buffer(capacity), Xbyak::CodeGenerator(capacity, buffer()), kind(what) {
    endbr64(); // a process with control-flow enforcement may call the entry; no kernel jumps through a register
}

Xbyak::RegRip kernel_generator::constant(const std::vector<uint32_t> &words) {
    auto found = std::ranges::find(constants_, words, &stored_words::words);
    if (found == constants_.end()) found = constants_.insert(constants_.end(), stored_words{words, {}});
    return rip + found->label;
}

Xbyak::Address kernel_generator::vector_of(double value) {
    const uint64_t bits = ops.bits_of(value);
    std::vector<uint32_t> words;
    while (int(words.size() * sizeof(uint32_t)) < kind.bytes())
        for (int bit = 0; bit < 8 * kind.element(); bit += 32) words.push_back(uint32_t(bits >> bit));
    return ptr[constant(words)];
}

kernel_generator::detour &kernel_generator::rarely(std::function<void()> body) {
    return detours_.emplace_back(detour{std::move(body), {}, {}});
}

std::shared_ptr<const code> kernel_generator::seal(const std::string &name) {
    for (detour &d : detours_) {
        L(d.begin);
        d.body();
        jmp(d.end, NEAR);
    }
    constants_.sort([](const auto &a, const auto &b) { return a.words.size() > b.words.size(); }); // each is aligned
    if (!constants_.empty()) align(constants_.front().words.size() * sizeof(uint32_t));
    for (stored_words &stored : constants_) {
        L(stored.label);
        for (const uint32_t bits : stored.words) dd(bits);
    }
    return std::make_shared<const code>(std::span(getCode(), getSize()), name.c_str());
}

void kernel_generator::open_frame() {
    push(rbp);
    mov(rbp, rsp); // profilers that follow frame pointers need this
    for (const reg &saved : {rbx, r12, r13, r14, r15}) push(saved);
    sub(rsp, uint32_t(frame_bytes_ + 64));
    and_(rsp, -64);
}

void kernel_generator::close_frame() {
    lea(rsp, ptr[rbp - 5 * 8]);
    for (const reg &saved : {r15, r14, r13, r12, rbx}) pop(saved);
    vzeroupper();
    pop(rbp);
    ret();
}

std::string kernel_name(const char *what, const vector_kind &kind, std::initializer_list<jitnorm_data_type_t> types,
                        std::initializer_list<std::pair<bool, const char *>> words, unsigned flags) {
    std::string name = std::string("jitnorm_") + what + (kind.is_avx512() ? "_avx512" : "_avx2");
    if (kind.is_f64()) name += "_double";
    for (const auto type : types) name.append("_").append(name_of(type));
    for (const auto &[holds, word] : words)
        if (holds) name.append("_").append(word);
    for (unsigned rest = flags; rest != 0; rest &= rest - 1)
        name.append("_").append(name_of(jitnorm_normalization_flags_t(rest & -rest)));
    return name;
}

} // namespace jitnorm::impl::jit
