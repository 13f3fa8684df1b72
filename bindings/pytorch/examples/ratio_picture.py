# SPDX-License-Identifier: Apache-2.0
"""A picture of the ratios that races find, by matplotlib: panels with a line for each contest, such as "f32, 2 threads".
The last of the words between commas is told by dashes, those before it by colour. Also for
../../../tools/figures."""

COLORS = ["#1f6fb4", "#d9622b", "#3a8f3a", "#7fb069", "#8e5ea2", "#777777"]
DASHES = ["-", "--", ":"]
LEVELS = [0.5, 1, 2, 3, 5, 10, 20, 50]


def styles_of(names):
    """The colour and the dashes of each line."""
    parts = [name.rpartition(", ")[::2] for name in names]
    firsts, lasts = (list(dict.fromkeys(column)) for column in zip(*parts))
    return {
        name: (COLORS[firsts.index(first) % len(COLORS)], DASHES[lasts.index(last) % len(DASHES)])
        for name, (first, last) in zip(names, parts)
    }


def draw(title, columns, picture):
    """columns: name of a panel -> name of a line, "f32, 1 thread" -> shape -> ratio. The name of the picture says its
    format: .svg, .png."""
    import matplotlib  # which a race without a picture does without

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "race"  # the same results give the same file
    matplotlib.rcParams["svg.fonttype"] = "none"  # text as text, not as outlines of its letters
    from matplotlib import pyplot

    shapes = list(dict.fromkeys(s for lines in columns.values() for of_line in lines.values() for s in of_line))
    every = [ratio for lines in columns.values() for of_line in lines.values() for ratio in of_line.values()]
    styles = styles_of(list(dict.fromkeys(name for lines in columns.values() for name in lines)))
    figure, row = pyplot.subplots(1, len(columns), sharey=True, squeeze=False, figsize=(3.8 * len(columns), 4))
    drawn = {}  # a line of each name, for the legend
    for axes, (column, lines) in zip(row[0], columns.items()):
        for name, ratios in lines.items():
            color, dash = styles[name]
            places = [shapes.index(shape) for shape in ratios]
            (drawn[name],) = axes.plot(places, list(ratios.values()), dash, color=color, marker="o", markersize=4)
        axes.set_title(column, loc="left")
        axes.set_xticks(range(len(shapes)), shapes, rotation=40, ha="right")
        axes.set_yscale("log")
        axes.set_yticks(LEVELS, [f"{level:g}" for level in LEVELS])
        axes.minorticks_off()
        axes.set_ylim(0.9 * min(1, *every), 1.1 * max(2, *every))
        axes.grid(axis="y", color="#dddddd")
        axes.axhline(1, color="#777777", linewidth=1)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(drawn.values(), drawn.keys(), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=3 if len(columns) > 2 else 2, frameon=False)
    # Letters of the viewer's font may be wider than those that matplotlib knows: at the left there is room for them.
    figure.suptitle(title, x=0.01, ha="left", fontsize="medium")
    figure.tight_layout()
    figure.savefig(picture, bbox_inches="tight", metadata={"Date": None} if str(picture).endswith(".svg") else None)
