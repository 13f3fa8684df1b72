// SPDX-License-Identifier: Apache-2.0
// argument_map: from the argument list of an execution to bare pointers, checking all that can be checked.
#pragma once

#include <cstdint>

#include "tensors.hpp"

namespace jitnorm::impl::api {

class argument_map {
public:
    explicit argument_map(const jitnorm_primitive_desc &pd); // keeps pointers into pd

    // invalid_arguments, with a line in the verbose log, unless the list is exactly what the primitive needs. result is
    // default-made before and of no use after an error. Allocates nothing and throws nothing.
    jitnorm_status_t resolve(int nargs, const jitnorm_exec_arg_t *args, layer_norm::arguments &result) const noexcept;

private:
    using slot_set = uint64_t; // bit s: slot s
    static_assert(SLOT_COUNT <= 64);
    static constexpr slot_set only(slot s) { return slot_set(1) << s; }

    // The tensor's pointer in the result: null until it is given.
    static void put(layer_norm::arguments &result, slot s, void *handle) noexcept;
    static void *get(const layer_norm::arguments &result, slot s) noexcept;

    const char *take(const jitnorm_exec_arg_t &argument, slot_set &given, layer_norm::arguments &result) const noexcept;
    slot find_alias(const layer_norm::arguments &result) const noexcept;

    slot_set required_ = 0;
    slot_set ignored_ = 0;
    slot_set outputs_ = 0;
    slot_set with_elements_ = 0; // a null handle would not do
    slot_set in_place_ = 0;      // the two that may share their handle, if there are such
    const memory_desc *mds_[SLOT_COUNT];
};

} // namespace jitnorm::impl::api
