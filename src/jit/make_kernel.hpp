// SPDX-License-Identifier: Apache-2.0
// make_kernel: from a configuration to its code, and what profilers call it.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "../core/names.hpp"
#include "kernel_cache.hpp"
#include "vector_traits.hpp"

namespace jitnorm::impl::jit {

// jitnorm_<what>_<isa>, the compute type unless that is float, the data types, and the words that hold.
template <typename Conf>
std::string kernel_name(const char *what, const Conf &conf, std::initializer_list<jitnorm_data_type_t> types,
                        std::initializer_list<std::pair<bool, const char *>> words = {}) {
    std::string name = std::string("jitnorm_") + what + (conf.vectors == isa::avx512 ? "_avx512" : "_avx2");
    if (conf.compute == jitnorm_f64) name += "_double";
    for (const auto type : types) name += "_" + std::string(name_of(type));
    for (const auto &[holds, word] : words)
        if (holds) name += std::string("_") + word;
    return name;
}

// From the cache, or generated now: Generator<isa, T> generates when it is constructed from the configuration, and says
// its name().
template <template <isa, typename> class Generator, typename Conf>
code_ptr make_kernel(const Conf &conf) {
    const auto sealed = [](const auto &generator) { return generator.seal(generator.name().c_str()); };
    return find_or_generate(conf, [&] {
        const bool doubles = conf.compute == jitnorm_f64;
        if (conf.vectors == isa::avx512)
            return doubles ? sealed(Generator<isa::avx512, double>(conf)) : sealed(Generator<isa::avx512, float>(conf));
        return doubles ? sealed(Generator<isa::avx2, double>(conf)) : sealed(Generator<isa::avx2, float>(conf));
    });
}

} // namespace jitnorm::impl::jit
