// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace support {

namespace {

constexpr uint32_t INTERFACE = 23;
constexpr size_t LEAST_EXTERNAL_BYTES = 128; // of a weight that ONNX Runtime may leave where it is

struct log_lines {
    std::mutex lock;
    std::vector<std::string> lines;
};

void keep_line(void *into, OrtLoggingLevel, const char *, const char *, const char *, const char *message) {
    auto *const all = static_cast<log_lines *>(into);
    const std::string_view line = message;
    const size_t at = line.find("jitnorm: ");
    if (at == line.npos) return;
    const std::lock_guard guard(all->lock);
    all->lines.emplace_back(line.substr(at + std::strlen("jitnorm: ")));
}

std::string path(const char *variable) {
    const char *value = std::getenv(variable);
    if (value == nullptr) throw std::runtime_error(std::string(variable) + " is not set");
    return value;
}

class library {
public:
    library() {
        void *handle = dlopen(path("JITNORM_TEST_ONNXRUNTIME").c_str(), RTLD_NOW);
        if (handle == nullptr) throw std::runtime_error(dlerror());
        const auto get_base = reinterpret_cast<const OrtApiBase *(*)()>(dlsym(handle, "OrtGetApiBase"));
        base = get_base();
        api = base->GetApi(INTERFACE);
        if (api == nullptr) throw std::runtime_error("this is not ONNX Runtime 1.23 or later");
        editor = api->GetModelEditorApi();
        check(api->CreateEnvWithCustomLogger(keep_line, &log, ORT_LOGGING_LEVEL_INFO, "test", &env));
        check(api->RegisterExecutionProviderLibrary(env, "jitnorm", path("JITNORM_TEST_PROVIDER").c_str()));
        const OrtEpDevice *const *devices = nullptr;
        size_t devices_count = 0;
        check(api->GetEpDevices(env, &devices, &devices_count));
        for (size_t i = 0; i < devices_count; ++i)
            if (std::string_view(api->EpDevice_EpName(devices[i])) == "JitnormExecutionProvider") device = devices[i];
        if (device == nullptr) throw std::runtime_error("the provider has no device");
        check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
    }
    ~library() {
        api->ReleaseMemoryInfo(memory);
        OrtStatus *status = api->UnregisterExecutionProviderLibrary(env, "jitnorm");
        if (status != nullptr) api->ReleaseStatus(status);
        api->ReleaseEnv(env);
    }

    void check(OrtStatus *status) const {
        if (status == nullptr) return;
        const failed error(api->GetErrorMessage(status));
        api->ReleaseStatus(status);
        throw error;
    }

    const OrtApiBase *base = nullptr;
    const OrtApi *api = nullptr;
    const OrtModelEditorApi *editor = nullptr;
    OrtEnv *env = nullptr;
    const OrtEpDevice *device = nullptr;
    OrtMemoryInfo *memory = nullptr;
    log_lines log;
};

library &ort() {
    static library loaded;
    return loaded;
}

void check(OrtStatus *status) { ort().check(status); }

OrtValue *wrap(const tensor &data) {
    OrtValue *value = nullptr;
    check(ort().api->CreateTensorWithDataAsOrtValue(ort().memory, const_cast<void *>(data.data()), data.bytes(),
                                                    data.shape().data(), data.shape().size(), data.element_type(),
                                                    &value));
    return value;
}

tensor unwrap(const OrtValue *value) {
    const OrtApi &api = *ort().api;
    OrtTensorTypeAndShapeInfo *info = nullptr;
    check(api.GetTensorTypeAndShape(value, &info));
    type its = F32;
    size_t rank = 0;
    check(api.GetTensorElementType(info, &its));
    check(api.GetDimensionsCount(info, &rank));
    dims shape(rank);
    check(api.GetDimensions(info, shape.data(), rank));
    api.ReleaseTensorTypeAndShapeInfo(info);
    const void *data = nullptr;
    check(api.GetTensorData(value, &data));
    return tensor::copy_of(its, shape, data);
}

OrtValueInfo *make_info(const description &of) {
    const OrtApi &api = *ort().api;
    OrtTensorTypeAndShapeInfo *info = nullptr;
    check(api.CreateTensorTypeAndShapeInfo(&info));
    check(api.SetTensorElementType(info, of.its));
    check(api.SetDimensions(info, of.shape.data(), of.shape.size()));
    std::vector<const char *> size_names = of.size_names;
    if (!size_names.empty()) check(api.SetSymbolicDimensions(info, size_names.data(), size_names.size()));
    OrtTypeInfo *described = nullptr;
    check(ort().editor->CreateTensorTypeInfo(info, &described));
    api.ReleaseTensorTypeAndShapeInfo(info);
    OrtValueInfo *value = nullptr;
    check(ort().editor->CreateValueInfo(of.name.c_str(), described, &value));
    api.ReleaseTypeInfo(described);
    return value;
}

std::vector<OrtValueInfo *> make_infos(const std::vector<description> &all) {
    std::vector<OrtValueInfo *> infos;
    for (const description &one : all) infos.push_back(make_info(one));
    return infos;
}

OrtOpAttr *make_attribute(const std::string &name, const attribute &value) {
    OrtOpAttr *made = nullptr;
    const OrtApi &api = *ort().api;
    if (const auto *number = std::get_if<int64_t>(&value))
        check(api.CreateOpAttr(name.c_str(), number, 1, ORT_OP_ATTR_INT, &made));
    else if (const auto *real = std::get_if<float>(&value))
        check(api.CreateOpAttr(name.c_str(), real, 1, ORT_OP_ATTR_FLOAT, &made));
    else {
        const auto &list = std::get<std::vector<int64_t>>(value);
        check(api.CreateOpAttr(name.c_str(), list.data(), int(list.size()), ORT_OP_ATTR_INTS, &made));
    }
    return made;
}

std::vector<const char *> c_strings(const std::vector<std::string> &all) {
    std::vector<const char *> pointers;
    for (const std::string &one : all) pointers.push_back(one.c_str());
    return pointers;
}

void add_node(OrtGraph *graph, const node &what, const std::string &name) {
    std::vector<OrtOpAttr *> attributes;
    for (const auto &[key, value] : what.attributes) attributes.push_back(make_attribute(key, value));
    const auto inputs = c_strings(what.inputs), outputs = c_strings(what.outputs);
    OrtNode *made = nullptr;
    check(ort().editor->CreateNode(what.op.c_str(), what.domain.c_str(), name.c_str(), inputs.data(), inputs.size(),
                                   outputs.data(), outputs.size(), attributes.data(), attributes.size(), &made));
    check(ort().editor->AddNodeToGraph(graph, made));
}

// A weight that is small must belong to ONNX Runtime; any other stays where it is.
OrtValue *make_weight(const tensor &weight) {
    if (weight.bytes() >= LEAST_EXTERNAL_BYTES) return wrap(weight);
    OrtAllocator *allocator = nullptr;
    check(ort().api->GetAllocatorWithDefaultOptions(&allocator));
    OrtValue *value = nullptr;
    check(ort().api->CreateTensorAsOrtValue(allocator, weight.shape().data(), weight.shape().size(),
                                            weight.element_type(), &value));
    void *data = nullptr;
    check(ort().api->GetTensorMutableData(value, &data));
    if (weight.bytes() > 0) std::memcpy(data, weight.data(), weight.bytes());
    return value;
}

OrtModel *make_model(const model &what) {
    const OrtModelEditorApi &editor = *ort().editor;
    OrtGraph *graph = nullptr;
    check(editor.CreateGraph(&graph));
    auto inputs = make_infos(what.inputs), outputs = make_infos(what.outputs);
    check(editor.SetGraphInputs(graph, inputs.data(), inputs.size()));
    check(editor.SetGraphOutputs(graph, outputs.data(), outputs.size()));
    for (const auto &[name, weight] : what.weights)
        check(editor.AddInitializerToGraph(graph, name.c_str(), make_weight(weight),
                                           weight.bytes() >= LEAST_EXTERNAL_BYTES));
    for (size_t i = 0; i < what.nodes.size(); ++i) add_node(graph, what.nodes[i], "node" + std::to_string(i));
    const char *const domains[] = {"", "com.microsoft"};
    const int versions[] = {what.opset, 1};
    OrtModel *made = nullptr;
    check(editor.CreateModel(domains, versions, 2, &made));
    check(editor.AddGraphToModel(made, graph));
    return made;
}

OrtSessionOptions *make_options(const settings &how) {
    const OrtApi &api = *ort().api;
    OrtSessionOptions *made = nullptr;
    check(api.CreateSessionOptions(&made));
    check(api.SetIntraOpNumThreads(made, how.threads));
    for (const auto &[key, value] : how.configuration)
        check(api.AddSessionConfigEntry(made, key.c_str(), value.c_str()));
    if (!how.jitnorm) return made;
    std::vector<const char *> keys, values;
    for (const auto &[key, value] : how.given) {
        keys.push_back(key.c_str());
        values.push_back(value.c_str());
    }
    check(api.SessionOptionsAppendExecutionProvider_V2(made, ort().env, &ort().device, 1, keys.data(), values.data(),
                                                       keys.size()));
    return made;
}

} // namespace

session::session(const model &what, const settings &how)
    : outputs_(what.outputs), model_(std::make_shared<const model>(what)) {
    OrtModel *made = make_model(*model_);
    const std::unique_ptr<OrtModel, void (*)(OrtModel *)> model_owner(made, ort().api->ReleaseModel);
    const std::unique_ptr<OrtSessionOptions, void (*)(OrtSessionOptions *)> options_owner(
        make_options(how), ort().api->ReleaseSessionOptions);
    check(ort().editor->CreateSessionFromModel(ort().env, made, options_owner.get(), &session_));
}

session::~session() { ort().api->ReleaseSession(session_); }

tensors session::run(const tensors &inputs) const {
    const OrtApi &api = *ort().api;
    std::vector<const char *> input_names, output_names;
    std::vector<OrtValue *> values, results(outputs_.size(), nullptr);
    for (const auto &[name, data] : inputs) {
        input_names.push_back(name.c_str());
        values.push_back(wrap(data));
    }
    for (const description &output : outputs_) output_names.push_back(output.name.c_str());
    OrtStatus *status = api.Run(session_, nullptr, input_names.data(), values.data(), values.size(),
                                output_names.data(), output_names.size(), results.data());
    for (OrtValue *value : values) api.ReleaseValue(value);
    check(status);
    tensors outputs;
    for (size_t i = 0; i < results.size(); ++i) {
        outputs[outputs_[i].name] = unwrap(results[i]);
        api.ReleaseValue(results[i]);
    }
    return outputs;
}

session::bound::bound(const session &of, const tensors &inputs, tensors &outputs) : of_(of) {
    const OrtApi &api = *ort().api;
    check(api.CreateIoBinding(of.session_, &binding_));
    const auto bind = [&](const auto &function, const std::string &name, const tensor &data) {
        OrtValue *value = wrap(data);
        check(function(binding_, name.c_str(), value));
        api.ReleaseValue(value);
    };
    for (const auto &[name, data] : inputs) bind(api.BindInput, name, data);
    for (const auto &[name, data] : outputs) bind(api.BindOutput, name, data);
}

session::bound::~bound() { ort().api->ReleaseIoBinding(binding_); }

void session::bound::run() const { check(ort().api->RunWithBinding(of_.session_, nullptr, binding_)); }

std::vector<std::string> take_log() {
    const std::lock_guard guard(ort().log.lock);
    return std::exchange(ort().log.lines, {});
}

std::string version() { return ort().base->GetVersionString(); }

} // namespace support
