// SPDX-License-Identifier: Apache-2.0
#include "captured_output.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "run_one.hpp"

namespace jitnorm::fuzz {

captured_output::captured_output(int descriptor)
    : descriptor_(descriptor), saved_(dup(descriptor)), memory_(memfd_create("output", MFD_CLOEXEC)) {
    std::fflush(nullptr);
    require(saved_ >= 0 && memory_ >= 0 && dup2(memory_, descriptor_) >= 0, "output can be captured");
}

captured_output::~captured_output() {
    std::fflush(nullptr);
    dup2(saved_, descriptor_);
    close(saved_);
    close(memory_);
}

std::string captured_output::text() const {
    std::fflush(nullptr);
    std::string all(size_t(lseek(memory_, 0, SEEK_CUR)), '\0');
    const ssize_t got = pread(memory_, all.data(), all.size(), 0);
    require(got == ssize_t(all.size()), "captured output can be read");
    return all;
}

void check_outcome(int status, const std::string &out, const std::string &err) {
    require(0 <= status && status <= 2, "the exit status is a documented one", std::to_string(status));
    require(out.find("(errors:") == out.npos, "what can be run gives right results", out);
    if (status == 2) {
        require(out.empty(), "a mistake prints nothing on standard output", out);
        require(err.starts_with("benchdnn-lite: ") && std::count(err.begin(), err.end(), '\n') == 1 &&
                    err.back() == '\n',
                "a mistake is one line on standard error", err);
        return;
    }
    // The address sanitizer tells of memory that it does not have, which is no mistake.
    require(err.empty() || err.find("AddressSanitizer failed to allocate") != err.npos,
            "without a mistake nothing is on standard error", err);
    require(!out.empty(), "a run ends with a report");
}

} // namespace jitnorm::fuzz
