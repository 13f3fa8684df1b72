// SPDX-License-Identifier: Apache-2.0
// Shapes as text.
#include "svg.hpp"

#include <cstdio>

#include "../text.hpp"

namespace benchdnn_lite::svg {

namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
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

std::string_view name_of(anchor where) {
    return where == anchor::start ? "start" : where == anchor::middle ? "middle" : "end";
}

} // namespace

std::string text(point at, anchor where, std::string_view content, std::string_view more) {
    return concat("<text x=\"", number(at.x), "\" y=\"", number(at.y), "\" text-anchor=\"", name_of(where), "\"", more,
                  ">", escaped(content), "</text>\n");
}

std::string line(point from, point to, std::string_view colour) {
    return concat("<line x1=\"", number(from.x), "\" y1=\"", number(from.y), "\" x2=\"", number(to.x), "\" y2=\"",
                  number(to.y), "\" stroke=\"", colour, "\"/>\n");
}

std::string polyline(const std::vector<point> &points, std::string_view colour, std::string_view more) {
    std::string list;
    for (const point &p : points) list += concat(list.empty() ? "" : " ", number(p.x), ",", number(p.y));
    return concat("<polyline points=\"", list, "\" fill=\"none\" stroke=\"", colour, "\"", more, "/>\n");
}

std::string dot(point at, std::string_view colour, std::string_view tooltip) {
    return concat("<circle cx=\"", number(at.x), "\" cy=\"", number(at.y), "\" r=\"3\" fill=\"", colour, "\"><title>",
                  escaped(tooltip), "</title></circle>\n");
}

std::string whole(double width, double height, std::string_view content) {
    return concat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", number(width), " ", number(height),
                  "\" font-family=\"sans-serif\" font-size=\"12\">\n",
                  "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", content, "</svg>\n");
}

} // namespace benchdnn_lite::svg
