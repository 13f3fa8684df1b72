# SPDX-License-Identifier: Apache-2.0
"""What tools/figures makes from docs/figures.json: the tables of READMEs, and pictures."""
import datetime
import hashlib
import importlib.util
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SKIP = "residual and normalization"
BEGIN, END = "<!-- figures: {} -->", "<!-- end of figures -->"
KINDS = ("f32", "bf16", "f16")
KEYS = ("what", "type", "threads", "shape", "peer_us", "ours_us", "limit_us")  # of a race


def chosen(found, **wanted):
    """The races that have one of these values for each key, by name of the key."""
    at = {key: number for number, key in enumerate(KEYS)}
    return [one for one in found["races"] if all(one[at[key]] in values for key, values in wanted.items())]


def is_one_row(one):
    return one[3].startswith("1x")


def ratios(races):
    return [peer / ours for *_, peer, ours, _ in races if peer]


def mean_and_least(races):
    found = ratios(races)
    if not found:
        return "refused" if races else ""
    mean = math.exp(sum(map(math.log, found)) / len(found))
    return f"{mean:.2f}" if len(found) == 1 else f"{mean:.2f}, {min(found):.2f}"


def day(found):
    date = datetime.date.fromisoformat(found["date"])
    return f"{date.day} {date:%B %Y}"


def processor():
    information = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*: (.*)", information)[1]
    family, model = (re.search(rf"{key}\s*: (\d+)", information)[1] for key in ("cpu family", "model"))
    wide = "avx512f" in information and "avx2" not in os.environ.get("JITNORM_MAX_CPU_ISA", "").lower()
    return f"{name} (family {family}, model {model}), {'AVX-512' if wide else 'AVX2'}, {os.cpu_count()} cores"


def about(found):
    return f"{found['processor']}, {day(found)}, {found['jitnorm']}"


def table(columns, rows):
    lines = [f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |") for cells in (columns, *rows)]
    return [lines[0], "|---" * len(columns) + "|", *lines[1:]]


def front_rows(name, found):
    """Rows of README's table: the peer, the type, and mean and least of each group of races."""
    kinds = sorted({one[1] for one in found["races"]}, key=KINDS.index)
    groups = {found["peer"]: (("forward",), ("backward",))}
    if name == "pytorch":
        groups = {f"{found['peer']}, from Python": (("forward",), ("backward",))}
    elif name == "loops":
        groups = {"a loop of intrinsics, inexact for large means": (("LayerNorm", "RMSNorm"), ()),
                  "a loop of intrinsics: residual and RMSNorm": ((SKIP,), ())}
    elif name == "onnxruntime":
        whats = list(dict.fromkeys(one[0] for one in found["races"]))
        groups = {found["peer"]: (("LayerNormalization", "RMSNormalization"), ()),
                  f"{found['peer']}, with a residual": ([what for what in whats if what.startswith("Skip")], ())}
    for peer, (forward, backward) in groups.items():
        for kind in kinds:
            cells = []
            for rows, threads in ((True, 1), (False, 1), (False, 2)):
                for what in (forward, backward):
                    races = chosen(found, what=what, type=(kind,), threads=(threads,))
                    cells.append(mean_and_least([one for one in races if is_one_row(one) == rows]))
            if any(cell not in ("", "refused") for cell in cells):
                yield [peer, kind, *cells]


FRONT = ["times as fast as: mean, least", "type", "one row: forward", "backward", "batches: forward", "backward",
         "two threads: forward", "backward"]


def front_page(figures):
    """Only sets from the processor of the first one, so that all rows are from one machine."""
    first = figures["onednn"]
    sets = {name: found for name, found in figures.items() if found["processor"] == first["processor"]}
    rows = [row for name in ("onednn", "pytorch", "onnxruntime", "loops") if name in sets
            for row in front_rows(name, sets[name])]
    refused = [f" {found['peer']} refuses {kind} here." for found in sets.values()
               for kind in KINDS if (races := chosen(found, type=(kind,))) and not ratios(races)]
    earlier = {}  # "day, revision" -> peers
    for found in sets.values():
        if found["jitnorm"] != first["jitnorm"]:
            earlier.setdefault(f"{day(found)}, {found['jitnorm']}", []).append(found["peer"])
    dated = [f" Against {' and '.join(peers)}: {when}." for when, peers in earlier.items()]
    return [*table(FRONT, rows), "",
            "Means are geometric; above 1 jitnorm is faster. One row is 1 × 768, in loops also 1 × 4096. Batches, also those of "
            "two threads, have 8 to 200000 rows.",
            "ONNX Runtime's operators are LayerNormalization and RMSNormalization, with a residual those named Skip."
            f"{''.join(refused)}",
            f"Measured by `./dev figures` on {about(first)}.{''.join(dated)}"]


def pytorch_page(figures):
    found = figures["pytorch"]
    whats = ("inference", "forward", "backward")
    lines = sorted({(one[1], one[2]) for one in found["races"]}, key=lambda line: (KINDS.index(line[0]), line[1]))
    rows = []
    for kind, threads in lines:
        races = [chosen(found, what=(what,), type=(kind,), threads=(threads,)) for what in whats]
        one_row = [mean_and_least([one for one in of_what if is_one_row(one)]) for of_what in races]
        batches = [mean_and_least([one for one in of_what if not is_one_row(one)]) for of_what in races]
        rows.append([f"{kind}, {threads} thread{'s' * (threads > 1)}", "; ".join(one_row), *batches])
    return [f"{found['peer']}'s time over jitnorm's: {about(found)}. Geometric mean, least.", "",
            *table(["", "1 × 768: inference; forward; backward", *(f"batches: {what}" for what in whats)], rows)]


def onnxruntime_page(figures):
    found = figures["onnxruntime"]
    shapes = list(dict.fromkeys(one[3] for one in found["races"]))
    page = [f"Microseconds of {found['peer']}'s CPU provider / of jitnorm = ratio: {about(found)}."]
    for threads in (1, 2):
        rows = []
        for kind, what in dict.fromkeys((one[1], one[0]) for one in found["races"]):
            races = chosen(found, what=(what,), type=(kind,), threads=(threads,))
            cells = {shape: f"{peer:.4g} / {ours:.4g} = {peer / ours:.2f}" for _, _, _, shape, peer, ours, _ in races}
            rows.append([f"{kind} {what}", *(cells.get(shape, "") for shape in shapes),
                         mean_and_least([one for one in races if not is_one_row(one)])])
        page += ["", *table([f"{threads} thread{'s' * (threads > 1)}", *(s.replace("x", " × ") for s in shapes), "batches"],
                            rows)]
    return page


PAGES = {"README.md": ("onednn", front_page), "bindings/pytorch/README.md": ("pytorch", pytorch_page),
         "bindings/onnxruntime/README.md": ("onnxruntime", onnxruntime_page)}


def with_figures(document, name, lines):
    """The document with these lines between its marks."""
    begin = BEGIN.format(name)
    if document.count(begin) != 1 or END not in document.split(begin)[1]:
        sys.exit(f"figures: a document lacks the marks '{begin}' and '{END}'")
    before, rest = document.split(begin)
    return "\n".join([before + begin, *lines, END]) + rest.split(END, 1)[1]


# Pictures: the last line of each has the digest of what it was drawn from.


def ratio_picture():
    spec = importlib.util.spec_from_file_location("ratio_picture", ROOT / "bindings/pytorch/examples/ratio_picture.py")
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def draw_onednn(found, picture):
    races = [{"problem": shape, "direction": "FWD" if what == "forward" else "BWD", "ours_us": ours, "peer_us": peer,
              "limit_us": limit, "bytes": math.prod(map(int, shape.split("x")))}
             for what, _, _, shape, peer, ours, limit in chosen(found, type=("f32",), threads=(1,))]
    result = {"ours": found["jitnorm"], "peer": found["peer"], "threads": 1, "races": races}
    with tempfile.NamedTemporaryFile("w") as file:
        json.dump(result, file)
        file.flush()
        title = f"f32, {found['processor']}, {day(found)}"
        subprocess.run([ROOT / "tools/draw-race", file.name, picture, title], check=True)


def lines_of(found, whats, names):
    """name of a panel -> "f32, 1 thread" -> shape -> ratio"""
    panels = {what: {} for what in whats}
    for what, kind, threads, shape, peer, ours, _ in found["races"]:
        panel, line = names(what, kind, threads)
        if peer:
            panels[panel].setdefault(line, {})[shape.replace("x", " × ")] = peer / ours
    return panels


def draw_pytorch(found, picture):
    panels = lines_of(found, ("inference", "forward", "backward"),
                      lambda what, kind, threads: (what, f"{kind}, {threads} thread{'s' * (threads > 1)}"))
    ratio_picture().draw(f"{found['peer']}: its time / that of {found['jitnorm']}\n{found['processor']}, {day(found)}",
                         panels, picture)


def draw_onnxruntime(found, picture):
    panels = lines_of(found, ("1 thread", "2 threads"),
                      lambda what, kind, threads: (f"{threads} thread{'s' * (threads > 1)}", f"{what}, {kind}"))
    ratio_picture().draw(f"{found['peer']}: time of its CPU provider / that of {found['jitnorm']}\n{found['processor']}, "
                         f"{day(found)}", panels, picture)


PICTURES = {"docs/race.svg": ("onednn", draw_onednn), "bindings/pytorch/times.svg": ("pytorch", draw_pytorch),
            "bindings/onnxruntime/times.svg": ("onnxruntime", draw_onnxruntime)}


def mark_of(found):
    return f"<!-- figures: {hashlib.sha256(json.dumps(found).encode()).hexdigest()} -->"


def draw_all(figures):
    for path, (name, page) in PAGES.items():
        if name in figures:
            document = ROOT / path
            document.write_text(with_figures(document.read_text(), name, page(figures)))
    for path, (name, draw) in PICTURES.items():
        if name in figures and not is_drawn(path, figures[name]):
            draw(figures[name], str(ROOT / path))
            with (ROOT / path).open("a") as picture:
                picture.write(mark_of(figures[name]) + "\n")


def is_drawn(path, found):
    picture = ROOT / path
    return picture.exists() and picture.read_text().endswith(mark_of(found) + "\n")


def check(figures):
    wrong = [path for path, (name, page) in PAGES.items() if name in figures
             and (ROOT / path).read_text() != with_figures((ROOT / path).read_text(), name, page(figures))]
    wrong += [path for path, (name, _) in PICTURES.items() if name in figures and not is_drawn(path, figures[name])]
    if wrong:
        sys.exit(f"figures: not those of docs/figures.json, tools/figures draw makes them anew: {', '.join(wrong)}")
