// SPDX-License-Identifier: Apache-2.0
// Models as values, and sessions that run them with the CPU provider or with jitnorm's, for the tests and the race. The
// environment names the libraries: JITNORM_TEST_ONNXRUNTIME and JITNORM_TEST_PROVIDER are paths.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tensors.hpp"

namespace support {

using attribute = std::variant<int64_t, float, std::vector<int64_t>>;

struct node {
    std::string domain, op;
    std::vector<std::string> inputs, outputs; // "": absent
    std::map<std::string, attribute> attributes;
};

struct description { // of an input or an output; a size of -1 is open
    std::string name;
    type its = F32;
    dims shape;
    std::vector<const char *> size_names = {}; // of the open sizes, "" for the others; empty: none has a name
};

struct model {
    std::vector<description> inputs, outputs;
    std::map<std::string, tensor> weights;
    std::vector<node> nodes;
    int opset = 17;
};

struct failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using tensors = std::map<std::string, tensor>;
using options = std::map<std::string, std::string>; // of jitnorm's provider

struct settings {
    bool jitnorm = true;
    options given = {};
    int threads = 1;
    std::map<std::string, std::string> configuration = {}; // of the session
};

class session {
public:
    session(const model &what, const settings &how);
    ~session();
    session(const session &) = delete;
    session &operator=(const session &) = delete;

    // Throws `failed` with ONNX Runtime's message. May be called by several threads.
    tensors run(const tensors &inputs) const;

    // Runs on tensors that stay where they are, `inputs` to `outputs`, each time the function is called.
    class bound {
    public:
        bound(const session &of, const tensors &inputs, tensors &outputs);
        ~bound();
        bound(const bound &) = delete;
        bound &operator=(const bound &) = delete;
        void run() const;

    private:
        const session &of_;
        OrtIoBinding *binding_ = nullptr;
    };

private:
    std::vector<description> outputs_;
    std::shared_ptr<const model> model_; // whose weights the session reads
    OrtSession *session_ = nullptr;
};

// The lines of ONNX Runtime's log so far that are jitnorm's, without "jitnorm: "; they are forgotten.
std::vector<std::string> take_log();

std::string version(); // of ONNX Runtime

} // namespace support
