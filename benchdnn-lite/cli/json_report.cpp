// SPDX-License-Identifier: Apache-2.0
// Writes the results as JSON.
#include "json_report.hpp"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "../problem/threads.hpp"
#include "../text.hpp"

namespace benchdnn_lite {

namespace {

using json = nlohmann::ordered_json;

// unit: in microseconds
json of_spread(const spread &s, bool too_busy, double unit) {
    return {{"min", s.least / unit},
            {"average", s.average / unit},
            {"max", s.most / unit},
            {"median", s.median / unit},
            {"too_busy", too_busy}};
}

json of_timing(const lnorm_result &r) {
    if (!r.timed) return {};
    return {
        {"execution_us", of_spread(r.times.us, r.times.us.is_beyond_reason() || r.times.copy_us.is_beyond_reason(), 1)},
        {"creation_ms",
         {{"first", r.descriptor_ms.most + r.primitive_ms.most},
          {"again", r.descriptor_ms.least + r.primitive_ms.least}}},
        {"bytes", r.times.bytes()},
        {"gigabytes_per_second", r.times.gigabytes_per_second()},
        {"memcpy_us", r.times.memcpy_us()},
        {"over_memcpy", r.times.over_memcpy()},
        {"cold_cache", r.times.cold}};
}

json of_timing(const graph_result &r) {
    json list = json::array();
    for (const graph_times &t : r.times)
        list.push_back({{"operation", t.op},
                        {"kind", t.kind},
                        {"execution_ms", of_spread(t.us, t.us.is_beyond_reason(), 1e3)},
                        {"bytes", t.bytes},
                        {"gigabytes_per_second", t.gigabytes_per_second()}});
    return list;
}

json of_test(const test_title &title, const test_result &r) {
    return {{"problem", title.line},
            {"name", title.name},
            {"status", name_of(r.what.status)},
            {"reason", r.what.reason},
            {"implementation", r.implementation},
            {"seed", title.seed},
            {"milliseconds", r.milliseconds},
            {"errors", r.what.errors},
            {"details", r.what.details}};
}

} // namespace

json_report::json_report(const std::string &file) : name_(file) {
    if (file.empty()) return;
    file_.open(file);
    file_ << "{\n\"jitnorm\": " << json(library_version()) << ",\n\"threads\": " << thread_count() << ",\n\"tests\": [";
}

// Names may have any bytes; those that are not UTF-8 are replaced.
template <typename Result>
void json_report::add(const test_title &title, const Result &r) {
    if (name_.empty()) return;
    json test = of_test(title, r);
    if (json timing = of_timing(r); !timing.empty()) test["timing"] = std::move(timing);
    file_ << (is_first_ ? "\n" : ",\n") << test.dump(1, ' ', false, json::error_handler_t::replace) << std::flush;
    is_first_ = false;
}

template void json_report::add(const test_title &title, const lnorm_result &r);
template void json_report::add(const test_title &title, const graph_result &r);

void json_report::finish(const tally &c, double seconds) {
    if (name_.empty()) return;
    const json summary{{"tests", c.tests},
                       {"passed", c.passed},
                       {"skipped", c.skipped},
                       {"unimplemented", c.unimplemented},
                       {"invalid_arguments", c.invalid_arguments},
                       {"failed", c.failed},
                       {"listed", c.listed},
                       {"seconds", seconds}};
    file_ << "\n],\n\"summary\": " << summary.dump(1) << "\n}\n";
    file_.close();
    if (!file_) throw std::runtime_error(concat("cannot write ", name_));
}

} // namespace benchdnn_lite
