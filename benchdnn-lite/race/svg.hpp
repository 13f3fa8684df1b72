// SPDX-License-Identifier: Apache-2.0
// svg: the few shapes that a diagram consists of, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benchdnn_lite::svg {

struct point {
    double x, y;
};

enum class anchor { start, middle, end }; // which part of a text stands at its place

// `more`: further attributes of the element, with a space in front.
std::string text(point at, anchor where, std::string_view content, std::string_view more = "");
std::string line(point from, point to, std::string_view colour);
std::string polyline(const std::vector<point> &points, std::string_view colour, std::string_view more = "");
std::string dot(point at, std::string_view colour, std::string_view tooltip);
std::string whole(double width, double height, std::string_view content); // a document on white

} // namespace benchdnn_lite::svg
