// SPDX-License-Identifier: Apache-2.0
#include "layouts.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "tensor/names.hpp"

namespace jitnorm::tests {

namespace {

using sizes = std::vector<impl::dim_t>;

impl::memory_desc with_strides(const std::string &text, const sizes &dims, jitnorm_data_type_t type,
                               const sizes &strides) {
    impl::memory_desc md;
    if (strides.size() != dims.size() ||
        impl::make_with_strides(md, int(dims.size()), dims.data(), type, strides.data()) != jitnorm_success)
        throw std::invalid_argument("no layout " + text);
    return md;
}

// `order`: the dimensions from the outermost to the innermost in memory. The innermost has a stride of `step` and a gap
// after each of its rows.
sizes strides_in(const std::vector<size_t> &order, const sizes &dims, impl::dim_t step = 1, impl::dim_t gap = 0) {
    sizes strides(dims.size());
    impl::dim_t stride = step;
    for (size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = stride;
        stride = stride * std::max<impl::dim_t>(dims[order[i]], 1) + (i + 1 == order.size() ? gap : 0);
    }
    return strides;
}

// The last dimension has the size of the first as its stride, and the first a stride of one more: no offset comes
// twice, and the elements of both dimensions alternate. The strides of the dimensions between are larger.
sizes woven_strides(const sizes &dims) {
    sizes strides(dims.size());
    const impl::dim_t first = std::max<impl::dim_t>(dims.front(), 1), last = std::max<impl::dim_t>(dims.back(), 1);
    strides.front() = first + 1;
    strides.back() = first;
    impl::dim_t stride = (first - 1) * (first + 1) + (last - 1) * first + 1;
    for (size_t d = dims.size() - 1; d-- > 1; stride *= std::max<impl::dim_t>(dims[d], 1)) strides[d] = stride;
    return strides;
}

sizes numbers_in(const std::string &text) {
    sizes numbers;
    std::istringstream rest(text);
    for (std::string number; std::getline(rest, number, ',');) numbers.push_back(std::stoll(number));
    return numbers;
}

} // namespace

impl::memory_desc make_layout(const std::string &text, const std::vector<impl::dim_t> &dims, jitnorm_data_type_t type) {
    if (text.ends_with("+7")) {
        impl::memory_desc md = make_layout(text.substr(0, text.size() - 2), dims, type);
        md.offset0 = 7;
        return md;
    }
    const auto strided = [&](const sizes &strides) { return with_strides(text, dims, type, strides); };
    if (text == "dense") return impl::make_dense(dims, type);
    if (std::isdigit(text.front())) return strided(numbers_in(text));
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), size_t(0));
    if (text == "gap") return strided(strides_in(order, dims, 1, 3));
    if (text == "spread") return strided(strides_in(order, dims, 2));
    if (text == "woven") return strided(woven_strides(dims));
    if (text == "reversed") return strided(strides_in({order.rbegin(), order.rend()}, dims));
    if (text == "rotated") {
        std::rotate(order.begin(), order.begin() + 1, order.end());
        return strided(strides_in(order, dims));
    }
    if (text.starts_with("@")) {
        std::transform(text.begin() + 1, text.end(), order.begin(), [](char c) { return c - 'a'; });
        return strided(strides_in(order, dims));
    }
    for (const impl::named_tag &named : impl::named_tags())
        if (named.name == text) {
            impl::memory_desc md;
            if (impl::make_with_tag(md, int(dims.size()), dims.data(), type, named.tag) == jitnorm_success) return md;
        }
    throw std::invalid_argument("no layout " + text);
}

} // namespace jitnorm::tests
