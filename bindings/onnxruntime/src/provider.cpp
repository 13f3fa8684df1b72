// SPDX-License-Identifier: Apache-2.0
// The library as ONNX Runtime sees it: a factory, which makes one provider for each session.
#include <jitnorm/version.h>

#include <algorithm>
#include <map>
#include <thread>

#include "compiled.hpp"

namespace jitnorm_onnxruntime {

namespace {

constexpr const char *NAME = "JitnormExecutionProvider";
constexpr const char *OPTION_PREFIX = "ep.jitnormexecutionprovider."; // ONNX Runtime puts it before each key

struct options {
    bool statistics = false;
    int threads = int(std::max(1U, std::thread::hardware_concurrency()));
    std::set<std::string, std::less<>> operators; // empty: all

    bool takes(std::string_view name) const { return operators.empty() || operators.contains(name); }
};

void read_operators(std::string_view list, options &into) {
    while (!list.empty()) {
        const std::string name(list.substr(0, list.find(',')));
        const bool known = name == "Add" || std::any_of(std::begin(OPERATORS), std::end(OPERATORS),
                                                        [&](const operator_row &row) { return name == row.name; });
        if (!known) throw failure(ORT_INVALID_ARGUMENT, "jitnorm has no operator '" + name + "'");
        into.operators.insert(name);
        list.remove_prefix(std::min(list.size(), name.size() + 1));
    }
}

int read_threads(const std::string &value) {
    const bool number = !value.empty() && value.size() < 5 && value.find_first_not_of("0123456789") == value.npos;
    if (!number || std::stoi(value) == 0) throw failure(ORT_INVALID_ARGUMENT, "threads must be a number from 1 on");
    return std::stoi(value);
}

void read_option(const std::string &key, const std::string &value, options &into) {
    if (key == "operators")
        read_operators(value, into);
    else if (key == "statistics" && (value == "0" || value == "1"))
        into.statistics = value == "1";
    else if (key == "threads")
        into.threads = read_threads(value);
    else
        throw failure(ORT_INVALID_ARGUMENT, "jitnorm has no option '" + key + "' with the value '" + value + "'");
}

struct session_settings {
    options own;
    bool wants_context_model = false;  // a model with compiled nodes in it, which jitnorm cannot write
    bool has_names_for_graphs = false; // whether nodes of several graphs can be compiled
};

// Earlier versions give the first compiled node of each graph the same name, and then make no session.
bool has_names_for_graphs(const std::string &version) {
    return std::stoi(version) > 1 || std::stoi(version.substr(version.find('.') + 1)) >= 25;
}

session_settings read_settings(const runtime &ort, const OrtSessionOptions *from) {
    OrtKeyValuePairs *pairs = ort.get<&OrtApi::GetSessionOptionsConfigEntries>(from);
    const std::unique_ptr<OrtKeyValuePairs, void (*)(OrtKeyValuePairs *)> owner(pairs, ort->ReleaseKeyValuePairs);
    const char *const *keys, *const *values;
    size_t count;
    ort->GetKeyValuePairs(pairs, &keys, &values, &count);
    session_settings read;
    for (size_t i = 0; i < count; ++i) {
        const std::string key = keys[i];
        if (key.starts_with(OPTION_PREFIX))
            read_option(key.substr(std::string_view(OPTION_PREFIX).size()), values[i], read.own);
        else if (key == "ep.context_enable")
            read.wants_context_model = std::string_view(values[i]) == "1";
    }
    return read;
}

class provider : public OrtEp {
public:
    provider(const runtime &ort, const OrtEpApi &ep_api, const OrtLogger *logger, const OrtLogger *logger_of_session,
             session_settings settings);
    ~provider() {
        if (settings_.own.statistics) log_statistics();
    }

private:
    static provider *of(OrtEp *self) { return static_cast<provider *>(self); }

    void claim(const OrtGraph *graph, OrtEpGraphSupportInfo *into);
    void claim(const OrtNode *node, const operator_row &what, const graph_view &graph,
               std::set<const OrtNode *> &available, OrtEpGraphSupportInfo *into);
    std::unique_ptr<compiled_norm> compile(const OrtGraph *graph, const OrtNode *fused);
    void release(compiled_norm *used) noexcept;
    void log_statistics() const noexcept;

    const runtime ort_;
    const OrtEpApi &ep_api_;
    const OrtLogger *const logger_;            // outlives the session
    const OrtLogger *const logger_of_session_; // until the session is made
    const session_settings settings_;
    bool has_claimed_ = false;
    struct use {
        uint64_t nodes = 0, runs = 0;
    };
    std::map<std::string, use> uses_; // by label, of compiled norms that have been released
};

provider::provider(const runtime &ort, const OrtEpApi &ep_api, const OrtLogger *logger,
                   const OrtLogger *logger_of_session, session_settings settings)
    : OrtEp{}, ort_(ort), ep_api_(ep_api), logger_(logger), logger_of_session_(logger_of_session),
      settings_(std::move(settings)) {
    ort_version_supported = INTERFACE;
    GetName = [](const OrtEp *) noexcept { return NAME; };
    GetCapability = [](OrtEp *self, const OrtGraph *graph, OrtEpGraphSupportInfo *into) noexcept {
        return of(self)->ort_.guard([&] { of(self)->claim(graph, into); });
    };
    Compile = [](OrtEp *self, const OrtGraph **graphs, const OrtNode **fused, size_t count,
                 OrtNodeComputeInfo **compiled, OrtNode **) noexcept {
        return of(self)->ort_.guard([&] {
            for (size_t i = 0; i < count; ++i) compiled[i] = of(self)->compile(graphs[i], fused[i]).release();
        });
    };
    ReleaseNodeComputeInfos = [](OrtEp *self, OrtNodeComputeInfo **compiled, size_t count) noexcept {
        for (size_t i = 0; i < count; ++i) of(self)->release(static_cast<compiled_norm *>(compiled[i]));
    };
}

void provider::claim(const OrtGraph *graph, OrtEpGraphSupportInfo *into) {
    if (settings_.wants_context_model) {
        ort_.log(logger_of_session_, ORT_LOGGING_LEVEL_INFO, "claims no node, since ep.context_enable is 1");
        return;
    }
    const std::vector<const OrtNode *> nodes = nodes_of(ort_, graph);
    if (!settings_.has_names_for_graphs && (has_claimed_ || reads_outer_values(ort_, nodes))) {
        ort_.log(logger_of_session_, ORT_LOGGING_LEVEL_INFO,
                 "claims nodes of several graphs with ONNX Runtime 1.25 and later only");
        return;
    }
    const graph_view view(ort_, nodes);
    std::set<const OrtNode *> available;
    for (const OrtNode *node : nodes) {
        const char *owner = ort_.get<&OrtApi::Node_GetEpName>(node);
        if (owner == nullptr || *owner == 0) available.insert(node); // 1.30 answers "" where 1.23 documents null
    }
    for (const OrtNode *node : nodes) {
        const operator_row *what = available.contains(node) ? find_operator(ort_, node) : nullptr;
        if (what == nullptr) continue;
        try {
            claim(node, *what, view, available, into);
        } catch (const std::exception &reason) {
            ort_.log(logger_of_session_, ORT_LOGGING_LEVEL_INFO,
                     std::string("leaves ") + what->name + " '" + ort_.get<&OrtApi::Node_GetName>(node) +
                         "' to other providers: " + reason.what());
        }
    }
}

void provider::claim(const OrtNode *node, const operator_row &what, const graph_view &graph,
                     std::set<const OrtNode *> &available, OrtEpGraphSupportInfo *into) {
    if (!settings_.own.takes(what.name)) throw refusal("the option 'operators' does not name it");
    norm found = read_norm(ort_, node, what);
    if (settings_.own.takes("Add")) take_additions(ort_, found, graph, available);
    make_example(ort_, found, settings_.own.threads); // throws what jitnorm says if it refuses the problem
    OrtNodeFusionOptions fusion = {};
    fusion.ort_version_supported = INTERFACE;
    ort_.throw_if(ep_api_.EpGraphSupportInfo_AddNodesToFuse(into, found.nodes.data(), found.nodes.size(), &fusion));
    for (const OrtNode *taken : found.nodes) available.erase(taken);
    has_claimed_ = true;
}

std::unique_ptr<compiled_norm> provider::compile(const OrtGraph *graph, const OrtNode *fused) {
    const std::vector<const OrtNode *> nodes = nodes_of(ort_, graph);
    for (const OrtNode *node : nodes) {
        const operator_row *what = find_operator(ort_, node);
        if (what == nullptr) continue;
        norm found = read_norm(ort_, node, *what);
        take_claimed_additions(ort_, found, nodes);
        if (found.nodes.size() != nodes.size()) break;
        return std::make_unique<compiled_norm>(ort_, std::move(found), fused, settings_.own.threads);
    }
    throw failure(ORT_EP_FAIL, "jitnorm was given other nodes than it has claimed");
}

void provider::release(compiled_norm *used) noexcept {
    try {
        use &all = uses_[used->label()];
        ++all.nodes;
        all.runs += used->runs();
    } catch (const std::bad_alloc &) { // the statistics lack this node
    }
    delete used;
}

void provider::log_statistics() const noexcept {
    try {
        std::string text = "statistics:";
        for (const auto &[label, all] : uses_)
            text += " " + label + ": " + std::to_string(all.nodes) + " nodes, " + std::to_string(all.runs) + " runs;";
        ort_.log(logger_, ORT_LOGGING_LEVEL_WARNING, text); // asked for, so that it is not to be filtered out
    } catch (const std::bad_alloc &) {
    }
}

class factory : public OrtEpFactory {
public:
    factory(const OrtApiBase &base, const OrtApi &api, const OrtLogger *logger);

private:
    static factory *of(OrtEpFactory *self) { return static_cast<factory *>(self); }

    size_t describe_devices(const OrtHardwareDevice *const *devices, size_t count, OrtEpDevice **into, size_t room);

    const runtime ort_;
    const OrtEpApi &ep_api_;
    const OrtLogger *const logger_;
    const bool has_names_for_graphs_;
    const std::string version_ = std::to_string(JITNORM_VERSION_MAJOR) + "." + std::to_string(JITNORM_VERSION_MINOR) +
                                 "." + std::to_string(JITNORM_VERSION_PATCH);
};

factory::factory(const OrtApiBase &base, const OrtApi &api, const OrtLogger *logger)
    : OrtEpFactory{}, ort_(api), ep_api_(*api.GetEpApi()), logger_(logger),
      has_names_for_graphs_(has_names_for_graphs(base.GetVersionString())) {
    ort_version_supported = INTERFACE;
    GetName = [](const OrtEpFactory *) noexcept { return NAME; };
    GetVendor = [](const OrtEpFactory *) noexcept { return "jitnorm"; };
    GetVendorId = [](const OrtEpFactory *) noexcept { return uint32_t(0); };
    GetVersion = [](const OrtEpFactory *self) noexcept { return static_cast<const factory *>(self)->version_.c_str(); };
    GetSupportedDevices = [](OrtEpFactory *self, const OrtHardwareDevice *const *devices, size_t count,
                             OrtEpDevice **into, size_t room, size_t *found) noexcept {
        return of(self)->ort_.guard([&] { *found = of(self)->describe_devices(devices, count, into, room); });
    };
    CreateEp = [](OrtEpFactory *self, const OrtHardwareDevice *const *, const OrtKeyValuePairs *const *, size_t,
                  const OrtSessionOptions *session, const OrtLogger *session_logger, OrtEp **made) noexcept {
        const factory &mine = *of(self);
        return mine.ort_.guard([&] {
            session_settings settings = read_settings(mine.ort_, session);
            settings.has_names_for_graphs = mine.has_names_for_graphs_;
            *made = new provider(mine.ort_, mine.ep_api_, mine.logger_, session_logger, std::move(settings));
        });
    };
    ReleaseEp = [](OrtEpFactory *, OrtEp *used) noexcept { delete static_cast<provider *>(used); };
    CreateAllocator = [](OrtEpFactory *, const OrtMemoryInfo *, const OrtKeyValuePairs *,
                         OrtAllocator **made) noexcept -> OrtStatus * {
        *made = nullptr; // that of the CPU
        return nullptr;
    };
    ReleaseAllocator = [](OrtEpFactory *, OrtAllocator *) noexcept {};
    CreateDataTransfer = [](OrtEpFactory *, OrtDataTransferImpl **made) noexcept -> OrtStatus * {
        *made = nullptr;
        return nullptr;
    };
    IsStreamAware = [](const OrtEpFactory *) noexcept { return false; };
}

size_t factory::describe_devices(const OrtHardwareDevice *const *devices, size_t count, OrtEpDevice **into,
                                 size_t room) {
    const auto *const cpu = std::find_if(devices, devices + count, [&](const OrtHardwareDevice *device) {
        return ort_->HardwareDevice_Type(device) == OrtHardwareDeviceType_CPU;
    });
    if (cpu == devices + count || room == 0) return 0;
    ort_.throw_if(ep_api_.CreateEpDevice(this, *cpu, nullptr, nullptr, into));
    return 1;
}

} // namespace

} // namespace jitnorm_onnxruntime

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED OrtStatus *CreateEpFactories(const char *, const OrtApiBase *base, const OrtLogger *logger,
                                      OrtEpFactory **factories, size_t room, size_t *count) noexcept {
    using namespace jitnorm_onnxruntime;
    const OrtApi *api = base->GetApi(INTERFACE);
    if (api == nullptr)
        return base->GetApi(1)->CreateStatus(ORT_FAIL, "jitnorm needs ONNX Runtime 1.23 or a later version");
    return runtime(*api).guard([&] {
        if (room == 0) throw failure(ORT_INVALID_ARGUMENT, "there is no room for a factory");
        factories[0] = new factory(*base, *api, logger);
        *count = 1;
    });
}

EXPORTED OrtStatus *ReleaseEpFactory(OrtEpFactory *used) noexcept {
    delete static_cast<jitnorm_onnxruntime::factory *>(used);
    return nullptr;
}
