// SPDX-License-Identifier: Apache-2.0
#include "layouts.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

#include "tensor/names.hpp"

namespace jitnorm::tests {

namespace {

impl::memory_desc make_strided(const std::vector<impl::dim_t> &dims, jitnorm_data_type_t type, impl::dim_t step,
                               impl::dim_t gap) {
    std::vector<impl::dim_t> strides(dims.size());
    impl::dim_t stride = step;
    for (size_t d = dims.size(); d-- > 0;) {
        strides[d] = stride;
        stride = stride * std::max<impl::dim_t>(dims[d], 1) + (d + 1 == dims.size() ? gap : 0);
    }
    impl::memory_desc md;
    impl::make_with_strides(md, int(dims.size()), dims.data(), type, strides.data());
    return md;
}

impl::memory_desc make_permuted(const std::string &order, const std::vector<impl::dim_t> &dims,
                                jitnorm_data_type_t type) {
    std::vector<impl::dim_t> strides(dims.size());
    impl::dim_t stride = 1;
    for (size_t i = dims.size(); i-- > 0;) {
        const auto d = size_t(order[i] - 'a');
        strides[d] = stride;
        stride *= std::max<impl::dim_t>(dims[d], 1);
    }
    impl::memory_desc md;
    impl::make_with_strides(md, int(dims.size()), dims.data(), type, strides.data());
    return md;
}

impl::memory_desc make_with_numbers(const std::string &numbers, const std::vector<impl::dim_t> &dims,
                                    jitnorm_data_type_t type) {
    std::vector<impl::dim_t> strides;
    std::istringstream text(numbers);
    for (std::string number; std::getline(text, number, ',');) strides.push_back(std::stoll(number));
    impl::memory_desc md;
    if (impl::make_with_strides(md, int(dims.size()), dims.data(), type, strides.data()) != jitnorm_success ||
        strides.size() != dims.size())
        throw std::invalid_argument("no strides " + numbers);
    return md;
}

} // namespace

impl::memory_desc make_layout(const std::string &text, const std::vector<impl::dim_t> &dims, jitnorm_data_type_t type) {
    if (text.ends_with("+7")) {
        impl::memory_desc md = make_layout(text.substr(0, text.size() - 2), dims, type);
        md.offset0 = 7;
        return md;
    }
    if (text == "dense") return impl::make_dense(dims, type);
    if (text.starts_with("@")) return make_permuted(text.substr(1), dims, type);
    if (text == "gap") return make_strided(dims, type, 1, 3);
    if (std::isdigit(text.front())) return make_with_numbers(text, dims, type);
    if (text == "spread") return make_strided(dims, type, 2, 0);
    for (const impl::named_tag &named : impl::named_tags())
        if (named.name == text) {
            impl::memory_desc md;
            if (impl::make_with_tag(md, int(dims.size()), dims.data(), type, named.tag) == jitnorm_success) return md;
        }
    throw std::invalid_argument("no layout " + text);
}

} // namespace jitnorm::tests
