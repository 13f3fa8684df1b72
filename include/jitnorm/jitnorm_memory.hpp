// SPDX-License-Identifier: Apache-2.0
// jitnorm_memory.hpp: memory descriptor and memory. Included by jitnorm.hpp; everything else is described in
// jitnorm_memory.h.
#ifndef JITNORM_MEMORY_HPP
#define JITNORM_MEMORY_HPP

#include <vector>

#include "jitnorm/jitnorm_engine.hpp"
#include "jitnorm/jitnorm_enums.hpp"

namespace jitnorm {

struct memory : public handle<jitnorm_memory_t> {
    using dim = jitnorm_dim_t;
    using dims = std::vector<dim>;

    enum class data_type {
        undef = jitnorm_data_type_undef,
        f16 = jitnorm_f16,
        bf16 = jitnorm_bf16,
        f32 = jitnorm_f32,
        s32 = jitnorm_s32,
        s8 = jitnorm_s8,
        u8 = jitnorm_u8,
        f64 = jitnorm_f64,
        f8_e5m2 = jitnorm_f8_e5m2,
        f8_e4m3 = jitnorm_f8_e4m3
    };

    enum class format_kind {
        undef = jitnorm_format_kind_undef,
        any = jitnorm_format_kind_any,
        blocked = jitnorm_blocked,
        host_scalar = jitnorm_format_kind_host_scalar
    };

    enum class format_tag {
        undef = jitnorm_format_tag_undef,
        any = jitnorm_format_tag_any,
        a = jitnorm_a,
        ab = jitnorm_ab,
        ba = jitnorm_ba,
        abc = jitnorm_abc,
        acb = jitnorm_acb,
        bac = jitnorm_bac,
        bca = jitnorm_bca,
        cab = jitnorm_cab,
        cba = jitnorm_cba,
        abcd = jitnorm_abcd,
        abdc = jitnorm_abdc,
        acbd = jitnorm_acbd,
        acdb = jitnorm_acdb,
        adbc = jitnorm_adbc,
        bacd = jitnorm_bacd,
        bcda = jitnorm_bcda,
        cdab = jitnorm_cdab,
        cdba = jitnorm_cdba,
        dabc = jitnorm_dabc,
        dcab = jitnorm_dcab,
        dcba = jitnorm_dcba,
        abcde = jitnorm_abcde,
        abced = jitnorm_abced,
        abdec = jitnorm_abdec,
        acbde = jitnorm_acbde,
        acdeb = jitnorm_acdeb,
        bacde = jitnorm_bacde,
        bcdea = jitnorm_bcdea,
        cdeba = jitnorm_cdeba,
        decab = jitnorm_decab,
        eabcd = jitnorm_eabcd,
        edcba = jitnorm_edcba,
        Ab4a = jitnorm_Ab4a,
        Ab8a = jitnorm_Ab8a,
        Ab16a = jitnorm_Ab16a,
        aB4b = jitnorm_aB4b,
        aB8b = jitnorm_aB8b,
        aB16b = jitnorm_aB16b,
        AB8b8a = jitnorm_AB8b8a,
        AB16b16a = jitnorm_AB16b16a,
        AB16b32a = jitnorm_AB16b32a,
        AB16b48a = jitnorm_AB16b48a,
        AB16b64a = jitnorm_AB16b64a,
        AB48a16b = jitnorm_AB48a16b,
        AB8a8b = jitnorm_AB8a8b,
        AB16a16b = jitnorm_AB16a16b,
        BA16a16b = jitnorm_BA16a16b,
        BA16a32b = jitnorm_BA16a32b,
        BA16a48b = jitnorm_BA16a48b,
        BA16a64b = jitnorm_BA16a64b,
        aBc4b = jitnorm_aBc4b,
        aBc8b = jitnorm_aBc8b,
        aBc16b = jitnorm_aBc16b,
        aBC8b8c = jitnorm_aBC8b8c,
        aBC16b16c = jitnorm_aBC16b16c,
        ABc16a16b = jitnorm_ABc16a16b,
        ABc16b16a = jitnorm_ABc16b16a,
        aBcd4b = jitnorm_aBcd4b,
        aBcd8b = jitnorm_aBcd8b,
        aBcd16b = jitnorm_aBcd16b,
        ABcd16a16b = jitnorm_ABcd16a16b,
        ABcd16b16a = jitnorm_ABcd16b16a,
        aBcde4b = jitnorm_aBcde4b,
        aBcde8b = jitnorm_aBcde8b,
        aBcde16b = jitnorm_aBcde16b,
        ABcde16a16b = jitnorm_ABcde16a16b,
        x = jitnorm_x,
        nc = jitnorm_nc,
        cn = jitnorm_cn,
        tn = jitnorm_tn,
        nt = jitnorm_nt,
        ncw = jitnorm_ncw,
        nwc = jitnorm_nwc,
        tnc = jitnorm_tnc,
        ntc = jitnorm_ntc,
        nchw = jitnorm_nchw,
        nhwc = jitnorm_nhwc,
        chwn = jitnorm_chwn,
        ldnc = jitnorm_ldnc,
        ncdhw = jitnorm_ncdhw,
        ndhwc = jitnorm_ndhwc
    };

    static jitnorm_data_type_t convert_to_c(data_type t) { return static_cast<jitnorm_data_type_t>(t); }
    static jitnorm_format_tag_t convert_to_c(format_tag t) { return static_cast<jitnorm_format_tag_t>(t); }
    static size_t data_type_size(data_type t) { return jitnorm_data_type_size(convert_to_c(t)); }

    // A copy is a handle of the same immutable descriptor. == compares types, shapes and layouts; handles may be empty.
    // A property that a descriptor does not have (strides if the format is any) is 0, undef or an empty list.
    struct desc : public handle<jitnorm_memory_desc_t> {
        using handle::handle;

        // Makes an empty descriptor, with 0 dimensions.
        desc() : desc(dims(), data_type::undef, format_tag::undef) {}

        desc(jitnorm_memory_desc_t taken_over) : handle(taken_over) {}

        // With allow_empty, a failure makes an empty handle instead of an exception.
        desc(const dims &sizes, data_type type, format_tag tag, bool allow_empty = false) {
            create(allow_empty, "could not create a memory descriptor", jitnorm_memory_desc_create_with_tag,
                   static_cast<int>(sizes.size()), sizes.data(), convert_to_c(type), convert_to_c(tag));
        }

        // If strides is empty, the tensor is row major without gaps.
        desc(const dims &sizes, data_type type, const dims &strides, bool allow_empty = false) {
            if (!strides.empty() && strides.size() != sizes.size())
                throw error(jitnorm_invalid_arguments, "there must be as many strides as dimensions");
            create(allow_empty, "could not create a memory descriptor", jitnorm_memory_desc_create_with_strides,
                   static_cast<int>(sizes.size()), sizes.data(), convert_to_c(type),
                   strides.empty() ? nullptr : strides.data());
        }

        // Describes one value that a memory holds itself.
        static desc host_scalar(data_type type) {
            desc made = without_object();
            made.create("could not create a memory descriptor of a host scalar", jitnorm_memory_desc_create_host_scalar,
                        memory::convert_to_c(type));
            return made;
        }

        // Descriptors of the same elements, or of some of them (jitnorm_memory.h). With allow_empty, a failure makes an
        // empty handle instead of an exception.
        desc submemory_desc(const dims &sizes, const dims &offsets, bool allow_empty = false) const {
            need_numbers(sizes.size());
            need_numbers(offsets.size());
            desc made = without_object();
            made.create(allow_empty, "could not create the descriptor of a part", jitnorm_memory_desc_create_submemory,
                        get(), sizes.data(), offsets.data());
            return made;
        }
        desc reshape(const dims &sizes, bool allow_empty = false) const {
            desc made = without_object();
            made.create(allow_empty, "could not reshape a memory descriptor", jitnorm_memory_desc_reshape, get(),
                        static_cast<int>(sizes.size()), sizes.data());
            return made;
        }
        desc permute_axes(const std::vector<int> &permutation, bool allow_empty = false) const {
            need_numbers(permutation.size());
            desc made = without_object();
            made.create(allow_empty, "could not permute the axes of a memory descriptor",
                        jitnorm_memory_desc_permute_axes, get(), permutation.data());
            return made;
        }

        int get_ndims() const { return query_value<int>(query::ndims_s32); }
        // index is the number of a buffer. There is one buffer, number 0; for others the type is undef.
        data_type get_data_type(int index = 0) const {
            return static_cast<data_type>(query_value<jitnorm_data_type_t>(query::data_type, index));
        }
        format_kind get_format_kind() const {
            return static_cast<format_kind>(query_value<jitnorm_format_kind_t>(query::format_kind));
        }
        dim get_submemory_offset() const { return query_value<int64_t>(query::submemory_offset_s64); }
        dims get_dims() const { return query_dims(query::dims, get_ndims()); }
        dims get_padded_dims() const { return query_dims(query::padded_dims, get_ndims()); }
        dims get_padded_offsets() const { return query_dims(query::padded_offsets, get_ndims()); }
        dims get_strides() const { return query_dims(query::strides, get_ndims()); }
        int get_inner_nblks() const { return query_value<int>(query::inner_nblks_s32); }
        dims get_inner_blks() const { return query_dims(query::inner_blks, get_inner_nblks()); }
        dims get_inner_idxs() const { return query_dims(query::inner_idxs, get_inner_nblks()); }
        int get_num_handles() const { return query_value<int>(query::num_handles_s32); }
        size_t get_size(int index = 0) const { return jitnorm_memory_desc_get_size_v2(get(), index); }

        bool is_zero() const { return get_ndims() == 0; }
        bool operator==(const desc &other) const { return jitnorm_memory_desc_equal(get(true), other.get(true)) != 0; }
        bool operator!=(const desc &other) const { return !(*this == other); }

    private:
        void need_numbers(size_t count) const {
            if (count != static_cast<size_t>(get_ndims()))
                throw error(jitnorm_invalid_arguments, "there must be as many numbers as dimensions");
        }

        static desc without_object() { return desc(jitnorm_memory_desc_t()); } // an empty handle

        template <typename T>
        T query_value(query what, int index = 0) const {
            T result = T();
            const jitnorm_status_t status =
                jitnorm_memory_desc_query_v2(get(), jitnorm::convert_to_c(what), index, &result);
            return status == jitnorm_success ? result : T();
        }

        dims query_dims(query what, int count) const {
            const dim *values = query_value<const dim *>(what);
            return values == nullptr ? dims() : dims(values, values + count);
        }
    };

    using handle::handle;
    memory() = default;

    // data has the meaning of handle in jitnorm_memory_create.
    memory(const desc &md, const engine &on, void *data) {
        create("could not create a memory", jitnorm_memory_create, md.get(), on.get(), data);
    }
    memory(const desc &md, const engine &on) : memory(md, on, JITNORM_MEMORY_ALLOCATE) {}
    // handles has one handle for each buffer. There is one buffer.
    memory(const desc &md, const engine &on, std::vector<void *> handles) {
        create("could not create a memory", jitnorm_memory_create_v2, md.get(), on.get(),
               static_cast<int>(handles.size()), handles.data());
    }

    // Makes a memory that holds a copy of the value. md must be a desc::host_scalar of a type of the same size.
    template <typename T, typename = typename std::enable_if<std::is_trivially_copyable<T>::value>::type>
    memory(const desc &md, const T value) {
        need_size_of<T>(md);
        T copy = value;
        create("could not create a host scalar", jitnorm_memory_create_host_scalar, md.get(), &copy);
    }
    template <typename T>
    T get_host_scalar_value() const {
        need_size_of<T>(get_desc());
        T value;
        error::wrap_c_api(jitnorm_memory_get_host_scalar_value(get(), &value), "could not get a host scalar's value");
        return value;
    }
    template <typename T>
    void set_host_scalar_value(T value) const {
        need_size_of<T>(get_desc());
        error::wrap_c_api(jitnorm_memory_set_host_scalar_value(get(), &value), "could not set a host scalar's value");
    }

    desc get_desc() const {
        return desc(copy_of(ask(jitnorm_memory_get_memory_desc, "could not get the descriptor of a memory")));
    }

    // Empty for a host scalar.
    engine get_engine() const {
        return engine(ask(jitnorm_memory_get_engine, "could not get the engine of a memory"), true);
    }

    // index is the number of a buffer. There is one buffer, number 0.
    void *get_data_handle(int index = 0) const {
        void *result;
        error::wrap_c_api(jitnorm_memory_get_data_handle_v2(get(), &result, index),
                          "could not get the data handle of a memory");
        return result;
    }

    void set_data_handle(void *data, int index = 0) const {
        error::wrap_c_api(jitnorm_memory_set_data_handle_v2(get(), data, index),
                          "could not set the data handle of a memory");
    }

    template <typename T = void>
    T *map_data(int index = 0) const {
        void *result;
        error::wrap_c_api(jitnorm_memory_map_data_v2(get(), &result, index), "could not map a memory");
        return static_cast<T *>(result);
    }

    void unmap_data(void *mapped, int index = 0) const {
        error::wrap_c_api(jitnorm_memory_unmap_data_v2(get(), mapped, index), "could not unmap a memory");
    }

private:
    template <typename T>
    static void need_size_of(const desc &md) {
        if (md.get_size() != sizeof(T))
            throw error(jitnorm_invalid_arguments, "the value is of another size than the descriptor's type");
    }
};

} // namespace jitnorm

#endif
