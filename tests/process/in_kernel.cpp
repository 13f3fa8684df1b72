// SPDX-License-Identifier: Apache-2.0
// A load within a kernel ends in a page that may not be read; from there the chain of frame pointers leads through the
// library, past jitnorm_primitive_execute, to main.
#include <csignal>
#include <cstdint>

#include <dlfcn.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "work.hpp"

namespace {

using namespace jitnorm::tests;

void *whose(uintptr_t address, Dl_info &info) {
    return dladdr(reinterpret_cast<void *>(address), &info) != 0 ? info.dli_fbase : nullptr;
}

// A frame begins with the caller's frame pointer and the address to return to.
void after_fault(int, siginfo_t *, void *context) {
    const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
    Dl_info info = {}, library = {};
    need(whose(uintptr_t(registers[REG_RIP]), info) == nullptr, "the fault is in generated code");
    const auto own = reinterpret_cast<uintptr_t>(&jitnorm_primitive_execute);
    need(whose(own, library) != nullptr, "the library");
    const auto *frame = reinterpret_cast<const uintptr_t *>(registers[REG_RBP]);
    while (whose(frame[1], info) == library.dli_fbase) {
        const bool is_entry = info.dli_saddr == reinterpret_cast<void *>(own);
        frame = reinterpret_cast<const uintptr_t *>(frame[0]);
        if (is_entry && whose(frame[1], info) != library.dli_fbase) _exit(0);
    }
    need(false, "the chain leads to jitnorm_primitive_execute");
}

} // namespace

int main() {
    if (jitnorm_get_effective_cpu_isa() == jitnorm_cpu_isa_sse41) return 77;
    constexpr jitnorm_dim_t COLUMNS = 1024; // a page
    const owned_md rows = make_md({2, COLUMNS}, jitnorm_f32);
    owned_pd pd;
    need(jitnorm_layer_normalization_forward_primitive_desc_create(&pd, cpu(), jitnorm_forward_inference, rows, rows,
                                                                   nullptr, 1e-5F, jitnorm_normalization_flags_none,
                                                                   nullptr),
         "a descriptor");
    constexpr size_t ROW = COLUMNS * sizeof(float);
    auto *src = static_cast<char *>(mmap(nullptr, 2 * ROW, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    need(src != MAP_FAILED && mprotect(src + ROW, ROW, PROT_NONE) == 0, "a page that may not be read");
    float dst[2 * COLUMNS];
    handed_arguments arguments(pd);
    arguments.add(JITNORM_ARG_SRC, src);
    arguments.add(JITNORM_ARG_DST, dst);
    struct sigaction faults = {};
    faults.sa_sigaction = after_fault;
    faults.sa_flags = SA_SIGINFO;
    need(sigaction(SIGSEGV, &faults, nullptr) == 0, "sigaction");
    arguments.execute(make_primitive(pd), make_stream());
    need(false, "a fault");
}
