// SPDX-License-Identifier: Apache-2.0
// The results of a race as JSON.
#include "json.hpp"

#include <nlohmann/json.hpp>

#include "table.hpp"

namespace benchdnn_lite {

namespace {

using json = nlohmann::ordered_json;

json of_number(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

json of_result(const race_result &r) {
    return {{"problem", r.prb.line()},
            {"direction", name_of(r.prb.dir)},
            {"bytes", r.bytes},
            {"ours", r.ours},
            {"peer", r.theirs},
            {"ours_us", of_number(r.ours_us)},
            {"peer_us", of_number(r.theirs_us)},
            {"peer_over_ours", of_number(r.ratio())},
            {"limit", r.limit},
            {"limit_us", of_number(r.limit_us)},
            {"ours_over_limit", of_number(r.over_limit())},
            {"too_busy", r.restless},
            {"note", r.note}};
}

json of_summary(const std::vector<const race_result *> &results) {
    const ratio_summary peers = summarize(results, &race_result::ratio);
    const ratio_summary limits = summarize(results, &race_result::over_limit);
    const auto unless_empty = [](const ratio_summary &s, double value) {
        return of_number(s.count > 0 ? std::optional(value) : std::nullopt);
    };
    return {{"raced", peers.count},
            {"peer_over_ours_mean", unless_empty(peers, peers.mean)},
            {"peer_over_ours_min", unless_empty(peers, peers.least)},
            {"ours_over_limit_mean", unless_empty(limits, limits.mean)},
            {"ours_over_limit_max", unless_empty(limits, limits.most)}};
}

} // namespace

std::string race_json(const race_setting &setting, const std::vector<race_result> &results) {
    json races = json::array();
    for (const race_result &r : results) races.push_back(of_result(r));
    const json whole{{"ours", setting.ours},
                     {"peer", setting.theirs},
                     {"threads", setting.conditions.threads},
                     {"rounds", setting.conditions.rounds},
                     {"then_read", setting.conditions.then_read},
                     {"forward", of_summary(results_of(results, true))},
                     {"backward", of_summary(results_of(results, false))},
                     {"races", std::move(races)}};
    // Names of files may contain bytes that are not UTF-8; these are replaced.
    return whole.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace benchdnn_lite
