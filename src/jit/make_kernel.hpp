// SPDX-License-Identifier: Apache-2.0
// make_kernel: makes the code for a configuration, and the name that profilers show.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "../core/names.hpp"
#include "kernel_cache.hpp"
#include "vector_traits.hpp"

namespace jitnorm::impl::jit {

// "jitnorm_<what>_<isa>", then "_double" if that is the compute type, the names of the data types, and the words whose
// condition is true.
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

// The code for a configuration, from the cache or generated now. The constructor of Generator<isa, T> generates the
// code for its configuration; name() is the kernel's name.
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
