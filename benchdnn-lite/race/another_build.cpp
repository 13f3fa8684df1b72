// SPDX-License-Identifier: Apache-2.0
// Another build of this library as a peer.
#include "another_build.hpp"

#include <filesystem>

#include <dlfcn.h>
#include <link.h>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

// Both libraries define the same names, and the program's come first wherever the dynamic linker looks: without
// RTLD_DEEPBIND a peer whose functions call each other by these names would call ours. Sanitizers refuse the flag;
// nobody measures with them.
#ifdef JITNORM_SANITIZED
constexpr int OWN_NAMES_FIRST = 0;
#else
constexpr int OWN_NAMES_FIRST = RTLD_DEEPBIND;
#endif

class library_file {
public:
    // A whole path: a bare name would be looked for among the libraries that are already open, by SONAME, and ours
    // found.
    explicit library_file(const std::string &name) : name_(name) {
        std::error_code error;
        const std::filesystem::path path = std::filesystem::canonical(name, error);
        if (error) throw input_error("--peer=", name, ": ", error.message());
        handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | OWN_NAMES_FIRST);
        if (!handle_) throw input_error("--peer=", name, " cannot be opened: ", dlerror());
    }

    template <typename Function>
    Function find(const char *function) const {
        void *const found = dlsym(handle_, function);
        if (!found || !defines(found)) throw input_error("--peer=", name_, " has no function ", function);
        return reinterpret_cast<Function>(found);
    }

private:
    // dlsym also answers with what the libraries define that this one needs, which may be ours.
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
#define BENCHDNN_LITE_FIND(name) found.name = file.find<decltype(found.name)>("jitnorm_" #name);
    BENCHDNN_LITE_FUNCTIONS(BENCHDNN_LITE_FIND)
#undef BENCHDNN_LITE_FIND
    return found;
}

class built_otherwise : public peer {
public:
    built_otherwise(std::shared_ptr<const session> s, const problem &p)
        : session_(std::move(s)), execution_(*session_, p) {}

    void run() const override { execution_.run(); }
    const execution &tensors() const override { return execution_; }
    std::string implementation() const override { return execution_.implementation(); }

private:
    const std::shared_ptr<const session> session_;
    const execution execution_;
};

} // namespace

peer_library another_build(const std::string &file) {
    const auto s = std::make_shared<const session>(functions_of(library_file(file)));
    const auto make = [s](const execution &e) -> std::unique_ptr<peer> {
        try {
            return std::make_unique<built_otherwise>(s, e.prb());
        } catch (const api_error &error) {
            throw refusal(error.what());
        } catch (const unsupported &error) {
            throw refusal(error.what());
        }
    };
    return {file, make, true};
}

} // namespace benchdnn_lite
