// SPDX-License-Identifier: Apache-2.0
#include "plan_log.hpp"

#include <cerrno>
#include <cstdio>
#include <sstream>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

// While it lives, standard output goes into a file in memory.
class captured_output {
public:
    captured_output() {
        std::fflush(stdout);
        if (before_ < 0 || file_ < 0 || dup2(file_, STDOUT_FILENO) < 0)
            throw std::system_error(errno, std::generic_category(), "standard output");
    }
    captured_output(const captured_output &) = delete;
    captured_output &operator=(const captured_output &) = delete;
    ~captured_output() {
        dup2(before_, STDOUT_FILENO);
        close(before_);
        close(file_);
    }

    std::string text() const {
        std::string all;
        char part[4096];
        for (ssize_t size; (size = pread(file_, part, sizeof part, off_t(all.size()))) > 0;)
            all.append(part, size_t(size));
        return all;
    }

private:
    const int before_ = dup(STDOUT_FILENO), file_ = memfd_create("log", MFD_CLOEXEC);
};

} // namespace

// The plan of the implementation that is chosen comes last.
std::string logged_plan(const session &s, const problem &p) {
    const captured_output output;
    try {
        const operation made(s, p);
    } catch (const api_error &) {
        return "";
    } catch (const unsupported &) {
        return "";
    }
    std::string plan;
    std::istringstream lines(output.text());
    for (std::string line; std::getline(lines, line);)
        if (line.find("_verbose,v1,plan,") != line.npos) plan = line;
    return plan;
}

} // namespace benchdnn_lite
