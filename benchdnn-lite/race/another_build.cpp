// SPDX-License-Identifier: Apache-2.0
// Another build of this library as a peer.
#include "peer.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace benchdnn_lite {

namespace {

// Both libraries define the same names, and the dynamic linker looks in the program first. Without RTLD_DEEPBIND,
// functions of the peer that call each other by these names would call ours. Sanitizers refuse the flag; since nobody
// measures with them, they do without it.
#ifdef JITNORM_SANITIZED
constexpr int OWN_NAMES_FIRST = 0;
#else
constexpr int OWN_NAMES_FIRST = RTLD_DEEPBIND;
#endif

class library_file {
public:
    // Opens the file by its absolute path. A bare name would be looked up by SONAME among the libraries that are
    // already open, and ours would be found.
    explicit library_file(const std::string &name) : name_(name) {
        std::error_code error;
        const std::filesystem::path path = std::filesystem::canonical(name, error);
        if (error)
            throw input_error("--peer=", name, ": ", error.message(), "; it is the libjitnorm.so of another build (",
                              "./dev race --against REVISION makes one)");
        handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | OWN_NAMES_FIRST);
        if (!handle_) throw input_error("--peer=", name, " cannot be opened: ", dlerror());
    }

    template <typename Function>
    Function find(const char *function) const {
        if (void *const found = look_for(function)) return reinterpret_cast<Function>(found);
        throw input_error("--peer=", name_, " has no function ", function);
    }

    void *look_for(const char *function) const { // null if it is not there
        void *const found = dlsym(handle_, function);
        return found && defines(found) ? found : nullptr;
    }

private:
    // Whether this library itself defines the symbol. dlsym() also finds symbols of the libraries that this one depends
    // on, which may be ours.
    bool defines(const void *symbol) const {
        link_map *mine = nullptr;
        void *definer = nullptr;
        Dl_info info;
        return dlinfo(handle_, RTLD_DI_LINKMAP, &mine) == 0 && dladdr1(symbol, &info, &definer, RTLD_DL_LINKMAP) != 0 &&
               definer == mine;
    }

    std::string name_;
    void *handle_;
};

library functions_of(const library_file &file) {
    library found;
#define BENCHDNN_LITE_FIND(name) found.name = file.find<decltype(found.name)::pointer>("jitnorm_" #name);
    BENCHDNN_LITE_FUNCTIONS(BENCHDNN_LITE_FIND)
#undef BENCHDNN_LITE_FIND
    found.find_later = [file](const char *function) { return file.look_for(function); };
    return found;
}

// Sets an environment variable; the destructor restores it. A library reads the environment when its engine is created.
class in_environment {
public:
    in_environment(const char *name, const std::string &value) : name_(name) {
        if (const char *before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    in_environment(const in_environment &) = delete;
    in_environment &operator=(const in_environment &) = delete;
    ~in_environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

private:
    const char *const name_;
    std::optional<std::string> before_;
};

// The path of the libjitnorm.so that this program takes our functions from.
std::string our_file() {
    Dl_info info;
    void *const function = dlsym(RTLD_DEFAULT, "jitnorm_version");
    if (!function || dladdr(function, &info) == 0) throw input_error("--plan: this program has no libjitnorm.so");
    return info.dli_fname;
}

// A temporary copy of a file under a new name; the destructor deletes it. The copy is needed because the dynamic linker
// takes files of one name, or several names of one file, for the same library.
class copied_file {
public:
    explicit copied_file(const std::string &from)
        : path_(std::filesystem::temp_directory_path() / "libjitnorm-XXXXXX") {
        const int file = mkstemp(path_.data());
        if (file < 0) throw std::system_error(errno, std::generic_category(), path_);
        close(file);
        std::filesystem::copy_file(from, path_, std::filesystem::copy_options::overwrite_existing);
    }
    copied_file(const copied_file &) = delete;
    copied_file &operator=(const copied_file &) = delete;
    ~copied_file() { unlink(path_.c_str()); }
    const std::string &path() const { return path_; }

private:
    std::string path_;
};

std::shared_ptr<const session> open_session(const std::string &file, const std::string &caches) {
    std::optional<in_environment> other_caches;
    if (!caches.empty()) other_caches.emplace("JITNORM_CACHES", caches);
    return std::make_shared<const session>(functions_of(library_file(file)));
}

// A copy of the library that logs what it plans and does nothing else.
std::shared_ptr<const session> open_planner(const std::string &file, const std::string &caches) {
    const in_environment log("JITNORM_VERBOSE", "2");
    return open_session(copied_file(file).path(), caches);
}

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

// The line of the log with the plan that the session's library makes for the problem; empty if it refuses. The library
// must log at level 2. Nothing is printed. The plan of the implementation that is chosen comes last.
std::string logged_plan(const session &s, const problem &p) {
    const captured_output output;
    try {
        const operation made(s, p);
    } catch (const unsupported &) {
        return "";
    }
    std::string plan;
    std::istringstream lines(output.text());
    for (std::string line; std::getline(lines, line);)
        if (line.find("_verbose,v1,plan,") != line.npos) plan = line;
    return plan;
}

} // namespace

peer_library another_build(const std::string &file, const std::string &caches) {
    const auto s = open_session(file, caches);
    const auto make = [s](const execution &ours) {
        try {
            const auto theirs = std::make_shared<const execution>(*s, ours.prb(), ours);
            return std::vector{peer{[s, theirs] { theirs->run(); }, theirs.get(), theirs->implementation()}};
        } catch (const unsupported &error) {
            throw refusal(error.what());
        }
    };
    peer_library made{.name = file, .make = make, .promises_our_bits = true};
    if (caches.empty()) return made;
    made.name = concat(file, " with ", caches);
    made.plans_as_ours = [ours = open_planner(our_file(), ""), theirs = open_planner(file, caches)](const problem &p) {
        return logged_plan(*ours, p) == logged_plan(*theirs, p);
    };
    return made;
}

peer_library this_build(const std::string &caches) {
    const copied_file copy(our_file());
    peer_library made = another_build(copy.path(), caches);
    made.name = caches;
    return made;
}

} // namespace benchdnn_lite
