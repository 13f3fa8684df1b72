// SPDX-License-Identifier: Apache-2.0
#include "empty.hpp"

#include <ATen/EmptyTensor.h>
#include <sys/mman.h>

namespace jitnorm_torch {

namespace {

constexpr uintptr_t HUGE_PAGE = uintptr_t(2) << 20;
constexpr size_t LARGE = size_t(4) << 20;

// malloc gets a block of 32 MB or more anew from the system each time. To map its pages of 4 KB one by one costs more
// time than to normalize the rows that are written to them. Only huge pages that are wholly within the tensor are asked
// for, so that it takes no more memory. If the system has no huge pages, madvise fails and changes nothing.
void ask_for_huge_pages(const at::Tensor &tensor) {
    const auto first = reinterpret_cast<uintptr_t>(tensor.data_ptr()), last = first + tensor.nbytes();
    const uintptr_t begin = (first + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, end = last / HUGE_PAGE * HUGE_PAGE;
    if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

} // namespace

// Does not call the dispatcher, which would take as long as the rest of a small call.
at::Tensor empty(at::IntArrayRef sizes, at::ScalarType type) {
    at::Tensor made(at::detail::empty_cpu(sizes, type));
    if (made.nbytes() >= LARGE) ask_for_huge_pages(made);
    return made;
}

} // namespace jitnorm_torch
