// SPDX-License-Identifier: Apache-2.0
// jitnorm_primitive.hpp: primitives of any kind. Included by jitnorm.hpp; everything else is described in jitnorm.h.
#ifndef JITNORM_PRIMITIVE_HPP
#define JITNORM_PRIMITIVE_HPP

#include <unordered_map>

#include "jitnorm/jitnorm_memory.hpp"

namespace jitnorm {

struct primitive_desc_base;

struct primitive : public handle<jitnorm_primitive_t> {
    enum class kind {
        undef = jitnorm_undefined_primitive,
        sum = jitnorm_sum,
        eltwise = jitnorm_eltwise,
        binary = jitnorm_binary,
        prelu = jitnorm_prelu,
        layer_normalization = jitnorm_layer_normalization
    };

    using handle::handle;
    primitive() = default;
    primitive(const_jitnorm_primitive_desc_t described) {
        create("could not create a primitive", jitnorm_primitive_create, described);
    }
    primitive(const primitive_desc_base &described);
    // cache_blob is a result of get_cache_blob().
    primitive(const_jitnorm_primitive_desc_t described, const std::vector<uint8_t> &cache_blob) {
        create("could not create a primitive from a cache blob", jitnorm_primitive_create_from_cache_blob, described,
               cache_blob.size(), cache_blob.data());
    }
    primitive(const primitive_desc_base &described, const std::vector<uint8_t> &cache_blob);

    // The result is empty, because there is no need to keep generated code.
    std::vector<uint8_t> get_cache_blob() const {
        size_t size = 0;
        error::wrap_c_api(jitnorm_primitive_get_cache_blob(get(), &size, nullptr), "could not get a cache blob");
        return std::vector<uint8_t>(size);
    }

    const_jitnorm_primitive_desc_t get_primitive_desc() const {
        return ask(jitnorm_primitive_get_primitive_desc, "could not get a primitive descriptor");
    }

    kind get_kind() const {
        jitnorm_primitive_kind_t result;
        error::wrap_c_api(jitnorm_primitive_desc_query(get_primitive_desc(), jitnorm_query_primitive_kind, 0, &result),
                          "could not get the kind of a primitive");
        return static_cast<kind>(result);
    }

    // args has the memory of each JITNORM_ARG_*. This function itself allocates nothing.
    void execute(const stream &on, const std::unordered_map<int, memory> &args) const {
        constexpr size_t CAPACITY = 64; // more arguments than any primitive has
        if (args.size() > CAPACITY) throw error(jitnorm_invalid_arguments, "too many execution arguments");
        jitnorm_exec_arg_t list[CAPACITY];
        int count = 0;
        for (const auto &entry : args) list[count++] = {entry.first, entry.second.get(true)};
        error::wrap_c_api(jitnorm_primitive_execute(get(), on.get(), count, list), "could not execute a primitive");
    }
};

} // namespace jitnorm

#endif
