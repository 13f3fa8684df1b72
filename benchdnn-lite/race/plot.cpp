// SPDX-License-Identifier: Apache-2.0
// The race as a picture.
#include "plot.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "../text.hpp"
#include "log_axis.hpp"
#include "svg.hpp"
#include "table.hpp"

namespace benchdnn_lite {

namespace {

using svg::anchor;
using svg::point;

constexpr double PANEL = 420, LEFT = 46, RIGHT = 296, TOP = 62, BOTTOM = 302, HEIGHT = 350, LINE_OF_TEXT = 15;

struct contestant {
    std::string name;
    std::optional<double> race_result::*us;
    std::string_view colour, style;
};

struct panel {
    std::string_view title;
    std::vector<const race_result *> results; // sorted by bytes
};

// The name of a library or of a file, short enough for the margin.
std::string short_name(const std::string &name) {
    constexpr size_t LONGEST = 16;
    const std::string file = std::filesystem::path(name).filename().string();
    return file.size() > LONGEST ? file.substr(0, LONGEST - 3) + "..." : file;
}

std::vector<contestant> contestants_of(const race_setting &setting) {
    return {{short_name(setting.ours), &race_result::ours_us, "#1f6fb4", " stroke-width=\"2.5\""},
            {short_name(setting.theirs), &race_result::theirs_us, "#d9622b", " stroke-width=\"1.5\""},
            {"best copy", &race_result::limit_us, "#777777", " stroke-width=\"1.5\" stroke-dasharray=\"5 3\""}};
}

std::optional<double> gigabytes_per_second(const race_result &r, const contestant &c) {
    const std::optional<double> us = r.*c.us;
    return us && *us > 0 && r.bytes > 0 ? std::optional(r.bytes / *us / 1e3) : std::nullopt;
}

std::string readable(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

// The label of a tick, which is a round number of bytes.
std::string tick_text(double bytes) {
    constexpr const char *UNITS[] = {" B", " kB", " MB", " GB", " TB"};
    size_t unit = 0;
    for (; bytes >= 999 && unit + 1 < std::size(UNITS); ++unit) bytes /= 1000;
    return readable(bytes) + UNITS[unit];
}

std::string shape_text(const shape &size) {
    std::string text;
    for (const dim_t dim : size.dims) text += concat(text.empty() ? "" : "x", std::to_string(dim));
    return text;
}

// The ranges of the axes. Both panels have the same ones, so that they can be compared.
struct scales {
    double fewest = 1e4, most = 1e5, slowest = 10, fastest = 20; // without any result
    bool empty = true;

    void look_at(const race_result &r, const contestant &c) {
        const std::optional<double> speed = gigabytes_per_second(r, c);
        if (!speed) return;
        if (empty) *this = {r.bytes, r.bytes, *speed, *speed, false};
        fewest = std::min(fewest, r.bytes), most = std::max(most, r.bytes);
        slowest = std::min(slowest, *speed), fastest = std::max(fastest, *speed);
    }
};

class drawing {
public:
    drawing(std::vector<contestant> contestants, const scales &s, double left)
        : contestants_(std::move(contestants)), left_(left), x_(s.fewest, s.most, left + LEFT, left + RIGHT),
          y_(s.slowest, s.fastest, BOTTOM, TOP) {}

    std::string of(const panel &p) const { return grid(p.title) + lines(p); }

private:
    std::string grid(std::string_view title) const;
    std::string lines(const panel &p) const;
    std::vector<point> points_of(const panel &p, const contestant &c) const;

    std::vector<contestant> contestants_;
    double left_;
    log_axis x_, y_;
};

std::string drawing::grid(std::string_view title) const {
    const double first = left_ + LEFT, last = left_ + RIGHT;
    std::string text = svg::text({first, TOP - 12}, anchor::start, title, " font-weight=\"bold\"");
    for (const double speed : y_.ticks()) {
        text += svg::line({first, y_.pixel(speed)}, {last, y_.pixel(speed)}, "#dddddd");
        text += svg::text({first - 6, y_.pixel(speed) + 4}, anchor::end, readable(speed));
    }
    for (const double bytes : x_.ticks()) {
        text += svg::line({x_.pixel(bytes), TOP}, {x_.pixel(bytes), BOTTOM}, "#eeeeee");
        text += svg::text({x_.pixel(bytes), BOTTOM + LINE_OF_TEXT + 2}, anchor::middle, tick_text(bytes));
    }
    text += svg::text({(first + last) / 2, BOTTOM + 36}, anchor::middle, "read and written");
    return text + svg::text({first - 6, TOP - 12}, anchor::end, "GB/s");
}

std::vector<point> drawing::points_of(const panel &p, const contestant &c) const {
    std::vector<point> points;
    for (const race_result *r : p.results)
        if (const auto speed = gigabytes_per_second(*r, c)) points.push_back({x_.pixel(r->bytes), y_.pixel(*speed)});
    return points;
}

std::string drawing::lines(const panel &p) const {
    std::string text;
    std::vector<double> ends;
    std::vector<const contestant *> shown;
    for (const contestant &c : contestants_) {
        const std::vector<point> points = points_of(p, c);
        if (points.empty()) continue;
        text += svg::polyline(points, c.colour, c.style);
        shown.push_back(&c);
        ends.push_back(points.back().y + 4);
    }
    for (const contestant *c : shown)
        for (const race_result *r : p.results)
            if (const auto speed = gigabytes_per_second(*r, *c))
                text += svg::dot({x_.pixel(r->bytes), y_.pixel(*speed)}, c->colour,
                                 concat(c->name, ", ", shape_text(r->prb.size), ": ", readable(*speed), " GB/s"));
    const std::vector<double> places = apart(ends, LINE_OF_TEXT, BOTTOM);
    for (size_t i = 0; i < shown.size(); ++i)
        text += svg::text({left_ + RIGHT + 8, places[i]}, anchor::start, shown[i]->name,
                          concat(" fill=\"", shown[i]->colour, "\""));
    return text;
}

std::vector<panel> panels_of(const std::vector<race_result> &results) {
    std::vector<panel> panels{{"forward", results_of(results, true)}, {"backward", results_of(results, false)}};
    std::erase_if(panels, [](const panel &p) { return p.results.empty(); });
    for (panel &p : panels)
        std::stable_sort(p.results.begin(), p.results.end(),
                         [](const race_result *a, const race_result *b) { return a->bytes < b->bytes; });
    return panels;
}

} // namespace

std::string race_plot(const std::string &title, const race_setting &setting, const std::vector<race_result> &results) {
    const std::vector<contestant> contestants = contestants_of(setting);
    scales s;
    for (const race_result &r : results)
        for (const contestant &c : contestants) s.look_at(r, c);
    std::string content = svg::text({LEFT, 24}, anchor::start, title, " font-size=\"16\"");
    double left = 0;
    for (const panel &p : panels_of(results)) {
        content += drawing(contestants, s, left).of(p);
        left += PANEL;
    }
    return svg::whole(std::max(left, PANEL), HEIGHT, content);
}

} // namespace benchdnn_lite
