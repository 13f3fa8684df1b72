// SPDX-License-Identifier: Apache-2.0
// jitnorm_primitive_desc.hpp: primitive descriptors of any kind. Included by jitnorm.hpp; everything else is described
// in jitnorm.h.
#ifndef JITNORM_PRIMITIVE_DESC_HPP
#define JITNORM_PRIMITIVE_DESC_HPP

#include "jitnorm/jitnorm_attr.hpp"

namespace jitnorm {

struct primitive_desc_base : public handle<jitnorm_primitive_desc_t> {
    using handle::handle;
    primitive_desc_base() = default;

    engine get_engine() const { return engine(query_value<jitnorm_engine_t>(query::engine), true); }
    engine scratchpad_engine() const { return engine(query_value<jitnorm_engine_t>(query::scratchpad_engine), true); }
    const char *impl_info_str() const { return query_value<const char *>(query::impl_info_str); }
    primitive::kind get_kind() const {
        return static_cast<primitive::kind>(query_value<jitnorm_primitive_kind_t>(query::primitive_kind));
    }
    // Returns 0 if there is no such number.
    int64_t query_s64(query what) const {
        int64_t result = 0;
        const jitnorm_status_t status = jitnorm_primitive_desc_query(get(), convert_to_c(what), 0, &result);
        return status == jitnorm_success ? result : 0;
    }

    primitive_attr get_primitive_attr() const {
        const_jitnorm_primitive_attr_t owned;
        error::wrap_c_api(jitnorm_primitive_desc_get_attr(get(), &owned), "could not get attributes");
        jitnorm_primitive_attr_t copy;
        error::wrap_c_api(jitnorm_primitive_attr_clone(&copy, owned), "could not clone attributes");
        return primitive_attr(copy);
    }

    // The result is empty, as that of primitive::get_cache_blob().
    std::vector<uint8_t> get_cache_blob_id() const {
        return std::vector<uint8_t>(static_cast<size_t>(query_s64(query::cache_blob_id_size_s64)));
    }

    // The descriptor is empty if the primitive has no such tensor.
    memory::desc query_md(query what, int index = 0) const {
        const_jitnorm_memory_desc_t owned = jitnorm_primitive_desc_query_md(get(), convert_to_c(what), index);
        if (owned == nullptr) throw error(jitnorm_invalid_arguments, "not a query for a memory descriptor");
        return memory::desc(copy_of(owned));
    }

    memory::desc src_desc(int index = 0) const { return query_md(query::src_md, index); }
    memory::desc dst_desc(int index = 0) const { return query_md(query::dst_md, index); }
    memory::desc weights_desc(int index = 0) const { return query_md(query::weights_md, index); }
    memory::desc diff_src_desc(int index = 0) const { return query_md(query::diff_src_md, index); }
    memory::desc diff_dst_desc(int index = 0) const { return query_md(query::diff_dst_md, index); }
    memory::desc diff_weights_desc(int index = 0) const { return query_md(query::diff_weights_md, index); }
    memory::desc workspace_desc() const { return query_md(query::workspace_md); }
    memory::desc scratchpad_desc() const { return query_md(query::scratchpad_md); }

protected:
    // Clones the descriptor, which still belongs to its owner. Null makes an empty handle. Throws invalid_arguments if
    // the descriptor is of another primitive, or of neither of the two propagation kinds.
    primitive_desc_base(const_jitnorm_primitive_desc_t cloned, primitive::kind kind, prop_kind one, prop_kind other) {
        if (cloned == nullptr) return;
        create("could not clone a primitive descriptor", jitnorm_primitive_desc_clone, cloned);
        if (get_kind() != kind) throw error(jitnorm_invalid_arguments, "the primitive descriptor is of another kind");
        const auto direction = static_cast<prop_kind>(query_value<jitnorm_prop_kind_t>(query::prop_kind));
        if (direction != one && direction != other)
            throw error(jitnorm_invalid_arguments, "the primitive descriptor is of another propagation kind");
    }

    template <typename T>
    T query_value(query what) const {
        T result;
        error::wrap_c_api(jitnorm_primitive_desc_query(get(), convert_to_c(what), 0, &result),
                          "could not query a primitive descriptor");
        return result;
    }
};

struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;
    primitive_desc() = default;

    // Returns false if there is no further implementation.
    bool next_impl() {
        const jitnorm_status_t status = jitnorm_primitive_desc_next_impl(get());
        if (status == jitnorm_last_impl_reached) return false;
        error::wrap_c_api(status, "could not move to the next implementation");
        return true;
    }
};

inline primitive::primitive(const primitive_desc_base &described) : primitive(described.get()) {}
inline primitive::primitive(const primitive_desc_base &described, const std::vector<uint8_t> &cache_blob)
    : primitive(described.get(), cache_blob) {}

} // namespace jitnorm

#endif
