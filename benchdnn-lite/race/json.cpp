// SPDX-License-Identifier: Apache-2.0
// The race for machines.
#include "json.hpp"

#include <cstdio>

#include "../text.hpp"
#include "table.hpp"

namespace benchdnn_lite {

namespace {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(code));
        if (c == '"' || c == '\\' || code < ' ')
            result += escape;
        else
            result += c;
    }
    return result + "\"";
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string number(std::optional<double> value) { return value ? number(*value) : "null"; }

class object {
public:
    object &text(const char *name, std::string_view value) { return raw(name, quoted(value)); }
    object &raw(const char *name, const std::string &value) {
        members_ += concat(members_.empty() ? "" : ", ", quoted(name), ": ", value);
        return *this;
    }
    std::string str() const { return concat("{", members_, "}"); }

private:
    std::string members_;
};

std::string of_result(const race_result &r) {
    return object()
        .text("problem", r.prb.line())
        .text("direction", name_of(r.prb.dir))
        .raw("bytes", number(r.bytes))
        .text("ours", r.ours)
        .text("peer", r.theirs)
        .raw("ours_us", number(r.ours_us))
        .raw("peer_us", number(r.theirs_us))
        .raw("peer_over_ours", number(r.ratio()))
        .text("limit", r.limit)
        .raw("limit_us", number(r.limit_us))
        .raw("ours_over_limit", number(r.over_limit()))
        .text("note", r.note)
        .str();
}

std::string of_summary(const std::vector<const race_result *> &results) {
    const ratio_summary peers = summarize(results, &race_result::ratio);
    const ratio_summary limits = summarize(results, &race_result::over_limit);
    const auto unless_empty = [](const ratio_summary &s, double value) { return s.count ? number(value) : "null"; };
    return object()
        .raw("raced", std::to_string(peers.count))
        .raw("peer_over_ours_mean", unless_empty(peers, peers.mean))
        .raw("peer_over_ours_min", unless_empty(peers, peers.least))
        .raw("ours_over_limit_mean", unless_empty(limits, limits.mean))
        .raw("ours_over_limit_max", unless_empty(limits, limits.most))
        .str();
}

} // namespace

std::string race_json(const race_setting &setting, const std::vector<race_result> &results) {
    std::string list;
    for (const race_result &r : results) list += concat(list.empty() ? "\n  " : ",\n  ", of_result(r));
    return object()
               .text("ours", setting.ours)
               .text("peer", setting.theirs)
               .raw("threads", std::to_string(setting.threads))
               .raw("rounds", std::to_string(setting.rounds))
               .raw("forward", of_summary(results_of(results, true)))
               .raw("backward", of_summary(results_of(results, false)))
               .raw("races", concat("[", list, "]"))
               .str() +
           "\n";
}

} // namespace benchdnn_lite
