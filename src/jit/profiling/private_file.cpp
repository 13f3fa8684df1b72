// SPDX-License-Identifier: Apache-2.0
#include "private_file.hpp"

#include <cerrno>
#include <functional>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/process.hpp"

namespace jitnorm::impl::jit {

namespace {

class descriptor {
public:
    explicit descriptor(int number) : number_(number) {}
    descriptor(const descriptor &) = delete;
    descriptor &operator=(const descriptor &) = delete;
    ~descriptor() {
        if (number_ >= 0) close(number_);
    }
    operator int() const { return number_; }

private:
    int number_;
};

bool is_own_file(const struct stat &what) {
    return S_ISREG(what.st_mode) && what.st_uid == geteuid() && what.st_nlink == 1;
}

// Opens the file and calls use(file) if it is a regular file of this user. Returns what `use` returns, or an errno.
int open_private(const std::string &path, int flags, const std::function<int(int file)> &use) {
    const uncancellable scope;
    constexpr int ALWAYS = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    const descriptor file(open(path.c_str(), flags | ALWAYS, S_IRUSR | S_IWUSR));
    struct stat what;
    if (file < 0 || fstat(file, &what) != 0) return errno;
    return is_own_file(what) ? use(file) : EPERM;
}

int write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : EIO;
        bytes += written;
        size -= size_t(written);
    }
    return 0;
}

} // namespace

// An existing file is emptied only after open_private() has checked it, so O_TRUNC cannot be used.
int write_private_file(const std::string &path, write_mode mode, const void *bytes, size_t size) {
    return open_private(path, O_WRONLY | O_CREAT | O_APPEND, [&](int file) {
        if (mode == write_mode::replace && ftruncate(file, 0) != 0) return errno;
        return write_all(file, static_cast<const char *>(bytes), size);
    });
}

int show_private_file(const std::string &path) {
    constexpr off_t PAST_END = off_t(1) << 40;
    return open_private(path, O_RDONLY, [](int file) {
        const auto page = size_t(sysconf(_SC_PAGESIZE));
        return mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, PAST_END) == MAP_FAILED ? errno : 0;
    });
}

} // namespace jitnorm::impl::jit
