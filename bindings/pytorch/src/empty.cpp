// SPDX-License-Identifier: Apache-2.0
#include "empty.hpp"

#include <ATen/EmptyTensor.h>
#include <sys/mman.h>

namespace jitnorm_torch {

namespace {

constexpr uintptr_t HUGE_PAGE = uintptr_t(2) << 20;
constexpr size_t LARGE = size_t(4) << 20;

// malloc has a result of 32 MB and more from the system each time, and pages of 4 KB cost more than to normalize what
// is written to them. Only whole huge pages within the tensor: it takes no more memory than without. A system that has
// none says so, and nothing is lost.
void ask_for_huge_pages(const at::Tensor &tensor) {
    const auto first = reinterpret_cast<uintptr_t>(tensor.data_ptr()), last = first + tensor.nbytes();
    const uintptr_t begin = (first + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, end = last / HUGE_PAGE * HUGE_PAGE;
    if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

} // namespace

// Not by way of the dispatcher, which takes as long as the rest of a small call.
at::Tensor empty(at::IntArrayRef sizes, at::ScalarType type) {
    at::Tensor made(at::detail::empty_cpu(sizes, type));
    if (made.nbytes() >= LARGE) ask_for_huge_pages(made);
    return made;
}

} // namespace jitnorm_torch
