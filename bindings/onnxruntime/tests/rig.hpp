// SPDX-License-Identifier: Apache-2.0
// What the tests and the race have in common: models as values, sessions that run them with the CPU provider or with
// jitnorm's, and a normalization in double. The environment names the libraries: JITNORM_TEST_ONNXRUNTIME and
// JITNORM_TEST_PROVIDER are paths.
#pragma once

#include <onnxruntime_c_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rig {

using dims = std::vector<int64_t>;
using type = ONNXTensorElementDataType;
constexpr type F32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, F16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
               BF16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, F64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE,
               I64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;

int64_t count(const dims &shape);

// Elements as they are in memory.
class tensor {
public:
    tensor() = default;
    tensor(type its, dims shape, const std::vector<double> &values = {}); // rounds the values
    static tensor copy_of(type its, dims shape, const void *elements);

    type element_type() const { return type_; }
    const dims &shape() const { return shape_; }
    const void *data() const { return bytes_.data(); }
    void *data() { return bytes_.data(); }
    size_t bytes() const { return bytes_.size(); }
    std::vector<double> values() const;

private:
    type type_ = F32;
    dims shape_;
    std::vector<std::byte> bytes_;
};

// Reproducible numbers around `mean`.
tensor random(type its, const dims &shape, unsigned seed, double mean = 0, double spread = 1);

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

// ---- what a result should be

struct expected {
    std::vector<double> y, mean, rstd, sum;
};

struct norm_in_double {
    bool rms = false;
    double epsilon = 1e-5;
    // x, and what is added to it, are of one size; scale and shift have one element for each of the columns.
    expected compute(const std::vector<double> &x, const std::vector<double> &scale,
                     const std::vector<double> &shift) const;
};

// The elements of `from` repeated to `shape` as NumPy broadcasts.
std::vector<double> broadcast(const tensor &from, const dims &shape);

// The largest difference.
double distance(const std::vector<double> &a, const std::vector<double> &b);

} // namespace rig
