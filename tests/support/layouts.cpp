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

// `order`: the dimensions from the outermost to the innermost in memory. The innermost has a stride of `step` and a gap
// after each of its rows.
impl::memory_desc make_strided(const std::vector<size_t> &order, const std::vector<impl::dim_t> &dims,
                               jitnorm_data_type_t type, impl::dim_t step, impl::dim_t gap) {
    std::vector<impl::dim_t> strides(dims.size());
    impl::dim_t stride = step;
    for (size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = stride;
        stride = stride * std::max<impl::dim_t>(dims[order[i]], 1) + (i + 1 == order.size() ? gap : 0);
    }
    impl::memory_desc md;
    impl::make_with_strides(md, int(dims.size()), dims.data(), type, strides.data());
    return md;
}

// The last dimension has the size of the first as its stride, and the first a stride of one more: no offset comes
// twice, and the elements of both dimensions alternate. The strides of the dimensions between are larger.
impl::memory_desc make_woven(const std::vector<impl::dim_t> &dims, jitnorm_data_type_t type) {
    std::vector<impl::dim_t> strides(dims.size());
    const impl::dim_t first = std::max<impl::dim_t>(dims.front(), 1), last = std::max<impl::dim_t>(dims.back(), 1);
    strides.front() = first + 1;
    strides.back() = first;
    impl::dim_t stride = (first - 1) * (first + 1) + (last - 1) * first + 1;
    for (size_t d = dims.size() - 1; d-- > 1; stride *= std::max<impl::dim_t>(dims[d], 1)) strides[d] = stride;
    impl::memory_desc md;
    if (impl::make_with_strides(md, int(dims.size()), dims.data(), type, strides.data()) != jitnorm_success)
        throw std::invalid_argument("no woven layout");
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
    if (std::isdigit(text.front())) return make_with_numbers(text, dims, type);
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), size_t(0));
    if (text == "gap") return make_strided(order, dims, type, 1, 3);
    if (text == "spread") return make_strided(order, dims, type, 2, 0);
    if (text == "woven") return make_woven(dims, type);
    if (text == "reversed") return make_strided({order.rbegin(), order.rend()}, dims, type, 1, 0);
    if (text == "rotated") std::rotate(order.begin(), order.begin() + 1, order.end());
    if (text.starts_with("@"))
        std::transform(text.begin() + 1, text.end(), order.begin(), [](char c) { return c - 'a'; });
    if (text == "rotated" || text.starts_with("@")) return make_strided(order, dims, type, 1, 0);
    for (const impl::named_tag &named : impl::named_tags())
        if (named.name == text) {
            impl::memory_desc md;
            if (impl::make_with_tag(md, int(dims.size()), dims.data(), type, named.tag) == jitnorm_success) return md;
        }
    throw std::invalid_argument("no layout " + text);
}

} // namespace jitnorm::tests
