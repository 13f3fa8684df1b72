// SPDX-License-Identifier: Apache-2.0
#include "argument_text.hpp"

#include <algorithm>
#include <cstdio>

#include "../../norm/tensors.hpp"
#include "../../tensor/names.hpp"

namespace jitnorm::impl::api {

namespace {

// The name of an argument that is no scale and no post-op's; null if there is none.
const char *find_name(int arg) {
    if (arg == JITNORM_ARG_WORKSPACE) return "WORKSPACE"; // layer normalization has none
    const auto found = std::ranges::find(layer_norm::TENSORS, arg, &layer_norm::tensor_kind::arg);
    return found == layer_norm::TENSORS.end() ? nullptr : found->arg_name;
}

// A number that the pattern leaves to run time fits any number.
bool have_other_dims(const memory_desc &given, const memory_desc &wanted) {
    if (given.ndims != wanted.ndims) return true;
    for (int d = 0; d < given.ndims; ++d)
        if (given.dims[d] != wanted.dims[d] && wanted.dims[d] != RUNTIME_DIM) return true;
    return false;
}

} // namespace

short_text argument_name(int arg) noexcept {
    short_text result;
    const int index = arg / JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1;
    const int low = arg < JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE ? arg & ~JITNORM_ARG_ATTR_SCALES
                                                                 : arg % JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE;
    const char *name = find_name(low);
    if (arg < 0 || name == nullptr)
        std::snprintf(result.text, sizeof result.text, "%d", arg);
    else if (index >= 0)
        std::snprintf(result.text, sizeof result.text, "ATTR_MULTIPLE_POST_OP(%d)|%s", index, name);
    else
        std::snprintf(result.text, sizeof result.text, "%s%s", low != arg ? "ATTR_SCALES|" : "", name);
    return result;
}

status explain_difference(int arg, const memory_desc &given, const memory_desc &wanted) noexcept {
    const short_text name = argument_name(arg);
    const auto wrong = [](const char *reason) { return invalid(reason); };
    if (have_other_dims(given, wanted))
        return wrong(explain("argument %s has the dimensions %s, the primitive's are %s", name.text,
                             dims_text(given).text, dims_text(wanted).text));
    if (given.data_type != wanted.data_type)
        return wrong(explain("argument %s has the data type %s, the primitive's is %s", name.text,
                             name_of(given.data_type).data(), name_of(wanted.data_type).data()));
    return wrong(explain("argument %s has another layout than the primitive's (compare the memory's descriptor with "
                         "jitnorm_primitive_desc_query_md)",
                         name.text));
}

} // namespace jitnorm::impl::api
