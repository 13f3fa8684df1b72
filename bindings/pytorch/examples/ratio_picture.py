# SPDX-License-Identifier: Apache-2.0
"""An SVG of the ratios that races find: panels with a line for each contest, such as "f32, 2 threads". The last of the
words between commas is told by dashes, those before it by colour. Also for ../../onnxruntime/draw-race."""

import math

COLORS = ["#1f6fb4", "#d9622b", "#3a8f3a", "#7fb069", "#8e5ea2", "#777777"]
DASHES = ["", ' stroke-dasharray="5 3"', ' stroke-dasharray="2 2"']
LEVELS = [0.5, 1, 2, 3, 5, 10, 20, 50]
LEFT, TOP, WIDTH, HEIGHT, GAP = 46, 62, 230, 230, 50


def text(x, y, words, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{words}</text>'


def line(x1, y1, x2, y2, color):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>'


class Panel:
    def __init__(self, left, shapes, low, high):
        self.left, self.shapes, self.low, self.high = left, shapes, math.log(low), math.log(high)

    def x(self, shape):
        return self.left + WIDTH * (self.shapes.index(shape) + 0.5) / len(self.shapes)

    def y(self, ratio):
        return TOP + HEIGHT * (1 - (math.log(ratio) - self.low) / (self.high - self.low))

    def frame(self, name, levels):
        yield text(self.left, TOP - 12, name, 'font-weight="bold"')
        for level in levels:
            y = self.y(level)
            yield line(self.left, y, self.left + WIDTH, y, "#777777" if level == 1 else "#dddddd")
            yield text(self.left - 6, y + 4, f"{level:g}", 'text-anchor="end"')
        for shape in self.shapes:
            x, y = self.x(shape), TOP + HEIGHT + 14
            yield text(x, y, shape, f'text-anchor="end" transform="rotate(-40 {x:.1f} {y:.1f})"')

    def curve(self, name, color, dash, ratios):
        points = [(self.x(shape), self.y(ratio), shape, ratio) for shape, ratio in ratios.items()]
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in points)
        yield f'<polyline points="{places}" fill="none" stroke="{color}" stroke-width="1.8"{dash}/>'
        for x, y, shape, ratio in points:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"><title>{name}, {shape}: {ratio:.2f}</title></circle>'


def styles_of(names):
    """The colour and the dashes of each line."""
    parts = [name.rpartition(", ")[::2] for name in names]
    firsts, lasts = (list(dict.fromkeys(column)) for column in zip(*parts))
    return {
        name: (COLORS[firsts.index(first) % len(COLORS)], DASHES[lasts.index(last) % len(DASHES)])
        for name, (first, last) in zip(names, parts)
    }


def draw(title, columns):
    """columns: name of a panel -> name of a line, "f32, 1 thread" -> shape -> ratio."""
    ratios = [r for lines in columns.values() for of_line in lines.values() for r in of_line.values()]
    low = max(level for level in LEVELS if level <= max(min(ratios), LEVELS[0]))
    high = min(level for level in LEVELS if level >= min(max(ratios), LEVELS[-1]))
    levels = [level for level in LEVELS if low <= level <= high]
    shapes = list(dict.fromkeys(s for lines in columns.values() for of_line in lines.values() for s in of_line))
    names = list(dict.fromkeys(name for lines in columns.values() for name in lines))
    styles = styles_of(names)
    drawn = [text(LEFT, 24, title, 'font-size="16"')]
    for i, (column, lines) in enumerate(columns.items()):
        panel = Panel(LEFT + i * (WIDTH + GAP), shapes, low, max(high, low * 2))
        drawn += panel.frame(column, levels)
        for name, of_line in lines.items():
            clipped = {shape: min(max(ratio, low), high) for shape, ratio in of_line.items()}
            drawn += panel.curve(name, *styles[name], clipped)
    width = LEFT + max(len(columns) * (WIDTH + GAP), 8 * len(title))
    of_name = max(130, 34 + 32 * max(map(len, names)) // 5)
    in_row = max((width - LEFT) // of_name, 1)
    for i, (name, (color, dash)) in enumerate(styles.items()):
        x, y = LEFT + i % in_row * of_name, TOP + HEIGHT + 84 + i // in_row * 20
        drawn.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 24}" y2="{y - 4}" stroke="{color}" stroke-width="1.8"{dash}/>')
        drawn.append(text(x + 30, y, name))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y + 16}" '
    return head + 'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(drawn) + "\n</svg>\n"
