// SPDX-License-Identifier: Apache-2.0
// The results of a race as text and as JSON.
#include "race.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "../text.hpp"

namespace benchdnn_lite {

namespace {

std::string cell(std::optional<double> value, int width, int decimals) {
    return value ? format("%*.*f", width, decimals, *value) : format("%*s", width, "-");
}

std::string summary_of(const char *kind, const std::vector<const race_result *> &results) {
    if (results.empty()) return "";
    const ratio_summary peers = summarize(results, &race_result::ratio);
    const ratio_summary limits = summarize(results, &race_result::over_limit);
    std::string text = format("%s: %zu of %zu raced", kind, peers.count, results.size());
    if (peers.count > 0)
        text += format("; peer/ours: geometric mean %.2f, minimum %.2f (%s)", peers.mean, peers.least,
                       peers.at_least->prb.line().c_str());
    if (limits.count > 0)
        text += format("; ours/limit: geometric mean %.2f, maximum %.2f (%s)", limits.mean, limits.most,
                       limits.at_most->prb.line().c_str());
    return text + "\n";
}

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

std::string race_heading(const std::string &ours, const std::string &theirs, const race_conditions &on) {
    return concat(
        ours, " against ", theirs, ", ", std::to_string(on.threads), on.threads == 1 ? " thread" : " threads",
        ". Microseconds: of ", std::to_string(on.rounds), " interleaved rounds a third are faster",
        on.then_read ? "; each with a pass that reads the result" : "",
        ".\n"
        "limit: the fastest way to read and write the same tensors: memcpy, or plain loops with ordinary and with\n"
        "non-temporal stores (forward src to dst, backward src and diff_dst to diff_src, and a residual and its "
        "sum).\n",
        format("%11s %11s %9s %11s %10s  %s\n", "ours", "peer", "peer/ours", "limit", "ours/limit", "problem"));
}

std::string race_line(const race_result &r) {
    const std::string note = r.note.empty() ? "" : concat("  (", r.note, ")");
    return concat(cell(r.ours_us, 11, 3), " ", cell(r.theirs_us, 11, 3), " ", cell(r.ratio(), 9, 2), " ",
                  cell(r.limit_us, 11, 3), " ", cell(r.over_limit(), 10, 2), "  ", r.prb.line(), note, "\n");
}

std::vector<const race_result *> results_of(const std::vector<race_result> &results, bool forward) {
    std::vector<const race_result *> chosen;
    for (const race_result &r : results)
        if (r.prb.is_forward() == forward) chosen.push_back(&r);
    return chosen;
}

std::string race_summary(const std::vector<race_result> &results) {
    return summary_of("forward", results_of(results, true)) + summary_of("backward", results_of(results, false));
}

std::string race_unrest(const std::vector<race_result> &results) {
    const auto count = std::count_if(results.begin(), results.end(), [](const race_result &r) { return r.restless; });
    if (count == 0) return "";
    return format(
        "benchdnn-lite-race: this machine is too busy to measure on: in %ld of %zu problems somebody's usual or "
        "average block of calls took more than twice as long as the best one\n",
        long(count), results.size());
}

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
