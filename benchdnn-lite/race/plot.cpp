// SPDX-License-Identifier: Apache-2.0
// The race as a picture.
#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../problem/memory_size.hpp"
#include "../text.hpp"

namespace benchdnn_lite {

namespace {

constexpr double LEFT = 60, RIGHT = 840, TOP = 60, BOTTOM = 460, WIDTH = 900, HEIGHT = 520;

struct mark {
    double bytes, ratio;
    const char *colour;
    bool filled;
    std::string label, tooltip;
};

std::string one_decimal(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

std::string ratio_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else
            result += c;
    }
    return result;
}

std::string text_at(double x, double y, std::string_view text, std::string_view anchor, std::string_view more = "") {
    return concat("<text x=\"", one_decimal(x), "\" y=\"", one_decimal(y), "\" text-anchor=\"", anchor, "\"", more, ">",
                  escaped(text), "</text>\n");
}

// From powers of two to pixels; whole powers at both ends.
class axis {
public:
    axis(double from, double to, double first_pixel, double last_pixel)
        : low_(int(std::floor(std::log2(from)))), high_(std::max(int(std::ceil(std::log2(to))), low_ + 1)),
          first_(first_pixel), last_(last_pixel) {}

    double pixel(double value) const { return first_ + (std::log2(value) - low_) / (high_ - low_) * (last_ - first_); }

    template <typename Visit>
    void for_each_power(int step, Visit visit) const {
        for (int power = low_; power <= high_; power += step) visit(std::exp2(power));
    }

private:
    int low_, high_;
    double first_, last_;
};

std::string line(double x1, double y1, double x2, double y2, std::string_view colour) {
    return concat("<line x1=\"", one_decimal(x1), "\" y1=\"", one_decimal(y1), "\" x2=\"", one_decimal(x2), "\" y2=\"",
                  one_decimal(y2), "\" stroke=\"", colour, "\"/>\n");
}

std::string grid(const axis &x, const axis &y) {
    std::string svg;
    y.for_each_power(1, [&](double ratio) {
        svg += line(LEFT, y.pixel(ratio), RIGHT, y.pixel(ratio), ratio == 1 ? "#000" : "#ddd");
        svg += text_at(LEFT - 8, y.pixel(ratio) + 4, ratio_text(ratio), "end");
    });
    x.for_each_power(2, [&](double bytes) {
        svg += line(x.pixel(bytes), TOP, x.pixel(bytes), BOTTOM, "#eee");
        svg += text_at(x.pixel(bytes), BOTTOM + 18, readable_bytes(bytes), "middle");
    });
    return svg;
}

std::string drawn(const mark &m, const axis &x, const axis &y) {
    const double px = x.pixel(m.bytes), py = y.pixel(m.ratio);
    const std::string circle =
        concat("<circle cx=\"", one_decimal(px), "\" cy=\"", one_decimal(py), "\" r=\"4\" stroke=\"", m.colour,
               "\" fill=\"", m.filled ? m.colour : "#fff", "\"><title>", escaped(m.tooltip), "</title></circle>\n");
    if (m.label.empty()) return circle;
    const std::string slanted =
        concat(" font-size=\"9\" fill=\"#555\" transform=\"rotate(-40 ", one_decimal(px), " ", one_decimal(py), ")\"");
    return circle + text_at(px + 8, py + 3, m.label, "start", slanted);
}

std::string shape_text(const shape &size) {
    std::string text;
    for (const dim_t dim : size.dims) text += concat(text.empty() ? "" : "x", std::to_string(dim));
    return text;
}

std::vector<mark> marks_of(const std::vector<race_result> &results) {
    std::vector<mark> marks;
    for (const race_result &r : results) {
        const char *colour = r.prb.is_forward() ? "#1f6fb4" : "#d9622b";
        const auto tooltip = [&](std::string_view what, double value) {
            return concat(r.prb.line(), ": ", what, " ", ratio_text(value));
        };
        if (const auto limit = r.over_limit())
            marks.push_back({r.bytes, 1 / *limit, colour, false, "", tooltip("limit/ours", 1 / *limit)});
        if (const auto ratio = r.ratio())
            marks.push_back({r.bytes, *ratio, colour, true, shape_text(r.prb.size), tooltip("peer/ours", *ratio)});
    }
    return marks;
}

std::string legend() {
    return text_at(LEFT, 44,
                   "filled: peer's time / ours (above 1: ours is faster); hollow: time of the best copy / ours",
                   "start") +
           text_at(RIGHT, 44, "forward", "end", " dx=\"-80\" fill=\"#1f6fb4\"") +
           text_at(RIGHT, 44, "backward", "end", " fill=\"#d9622b\"") +
           text_at((LEFT + RIGHT) / 2, BOTTOM + 40, "bytes read and written", "middle");
}

} // namespace

std::string race_plot(const std::string &title, const std::vector<race_result> &results) {
    const std::vector<mark> marks = marks_of(results);
    double fewest = 1024, most = 4096, worst = 0.5, best = 2; // what the axes show at the least
    for (const mark &m : marks) {
        fewest = std::min(fewest, m.bytes), most = std::max(most, m.bytes);
        worst = std::min(worst, m.ratio), best = std::max(best, m.ratio);
    }
    const axis x(fewest, most, LEFT, RIGHT), y(worst, best, BOTTOM, TOP);
    std::string svg = concat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", one_decimal(WIDTH), " ",
                             one_decimal(HEIGHT), "\" font-family=\"sans-serif\" font-size=\"12\">\n",
                             "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    svg += text_at(LEFT, 24, title, "start", " font-size=\"16\"") + legend() + grid(x, y);
    for (const mark &m : marks) svg += drawn(m, x, y);
    return svg + "</svg>\n";
}

} // namespace benchdnn_lite
