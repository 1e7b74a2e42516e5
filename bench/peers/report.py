"""report.py - what bench/compare has found, as tables, as a list of targets met and missed, and
as plots.

Figures: {workload: {column: {"median", "min", "max", "values", "unit", "size"}}}.
"""
import os
import shutil
import subprocess

from peers import CALLS, DEEP, PEERS, WORKLOADS

GROUPS = {
    "calls": "Calls that do not pause, ns",
    "generators": "Generators, ns a value",
    "messages": "Messages, ns",
    "tasks": "Tasks, ns each; skynet in ms",
    "memory": "Resident memory of a task that waits, bytes",
    "wakes": "From a message to its receiver, beside four computing tasks a worker, µs",
    "sleeps": "How late a sleep of 1 ms ends beside them, µs",
    "processors": "Work for all processors, ms",
}


def columns():
    return [column for peer in PEERS for column in peer.columns]


def plain_title(column):
    """As much of it as a plot has room for."""
    return column.title.split(",")[0] + (f", {column.workers} workers"
                                         if column.workers > 1 else "")


def median_of(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def summary(values, unit, size):
    return {
        "median": median_of(values), "min": min(values), "max": max(values), "values": values,
        "unit": unit, "size": size
    }


def ours(column):
    """The column of co4 that a peer is held against: as many workers."""
    return "co4_2" if column.workers > 1 else "co4"


def value(figures, workload, column):
    return figures.get(workload, {}).get(column, {}).get("median")


def ratio(figures, workload, above, below):
    a, b = value(figures, workload, above), value(figures, workload, below)
    return a / b if a is not None and b else None


def short(number):
    """Three digits, and no exponent."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}" if number >= 1 or number == 0 else f"{number:.2f}"


def cell(figures, workload, column):
    """median (least–greatest), and what co4 takes of that."""
    f = figures.get(workload, {}).get(column.key)
    if f is None:
        return "–"
    scale = 1000 if workload.startswith(("wake_", "sleep_")) else 1
    text = f"{short(f['median'] / scale)} ({short(f['min'] / scale)}–{short(f['max'] / scale)})"
    share = ratio(figures, workload, ours(column), column.key) or ratio(
        figures, workload, "co4", column.key)
    if share is not None and column.key not in ("co4", "co4_2"):
        text += f" **{short(share)}**"
    return text


def table(figures, group):
    names = [w.name for w in WORKLOADS if w.group == group and figures.get(w.name)]
    rows = [c for c in columns() if any(c.key in figures[name] for name in names)]
    lines = [
        "| | " + " | ".join(f"`{name}`" for name in names) + " |", "|---" * (len(names) + 1) + "|"
    ]
    for column in rows:
        lines.append(f"| {column.title} | " +
                     " | ".join(cell(figures, name, column) for name in names) + " |")
    return "\n".join(lines) if names and rows else ""


# ---- targets ----

BUSY = 4  # computing tasks of each worker
STEPS = {"wake_5us": 5e3, "wake": 2e4, "wake_200us": 2e5, "wake_1ms": 1e6, "wake_5ms": 5e6}
SLEPT = {"sleep_5us": 5e3, "sleep_200us": 2e5, "sleep_5ms": 5e6}


def geometric_mean(ratios):
    product = 1.0
    for r in ratios:
        if r is None:
            return None
        product *= r
    return product ** (1 / len(ratios))


def greatest(ratios):
    return None if None in ratios else max(ratios)


def least(ratios):
    return None if None in ratios else min(ratios)


def targets(figures, weaving):
    """(what, value or None, '≤' or '≥', limit, unit)"""
    def r(workload, above, below):
        return ratio(figures, workload, above, below)

    def v(workload):
        return value(figures, workload, "co4")

    deep = [v(name) for name in DEEP]
    rows = [("calls: geometric mean over plain C without sibling calls",
             geometric_mean([r(w, "co4", "c_calls") for w in CALLS]), "≤", 1.15, "×"),
            ("calls: geometric mean over plain C", geometric_mean([r(w, "co4", "c")
                                                                   for w in CALLS]), "≤", 1.5, "×"),
            ("`yield` over the C++20 generator", r("yield", "co4", "cxx20"), "≤", 1.0, "×"),
            ("`yield` over a state machine", r("yield", "co4", "machine"), "≤", 2.0, "×"),
            ("`deep_yield`: dearest depth over cheapest",
             None if None in deep else max(deep) / min(deep), "≤", 1.3, "×"),
            ("`deep_yield` over Boost.Context, at the worst depth",
             greatest([r(w, "co4", "context") for w in DEEP]), "≤", 1.0, "×"), ]
    for name, go, tokio in (("ring", 0.10, 0.20), ("ping_pong", 0.10, 0.20), ("skynet", 0.15, 0.30),
                            ("spawn", 0.15, 0.30), ("fan_in", 0.30, 0.30), ("yield_two", 0.20,
                                                                            None)):
        rows.append((f"`{name}` over Go, 2 workers", r(name, "co4_2", "go_2"), "≤", go, "×"))
        if tokio:
            rows.append((f"`{name}` over Tokio, 2 workers", r(name, "co4_2",
                                                              "tokio_2"), "≤", tokio, "×"))
    for name in ("ring", "ping_pong"):
        rows.append((f"`{name}` over state machines, 1 worker", r(name, "co4",
                                                                  "machine"), "≤", 2.0, "×"))
        rows.append((f"`{name}` over C++20 on its queue, 1 worker", r(name, "co4",
                                                                      "cxx20"), "≤", 2.0, "×"))
    ten = value(figures, "parked_bytes", "co4_10m")
    rows += [
        ("`parked_bytes`", v("parked_bytes"), "≤", 112, " bytes"),
        ("`parked_own_bytes`", v("parked_own_bytes"), "≤", 192, " bytes"),
        ("ten million parked", ten and ten / 100, "≤", 1.5, " GB"),
    ]
    for name in ("nqueens", "matmul"):
        rows.append((f"`{name}`: gain of a second worker", r(name, "co4", "co4_2"), "≥", 1.8, "×"))
    for name in ("ring", "ping_pong", "fan_in"):
        rows.append((f"`{name}`: 2 workers over 1", r(name, "co4_2", "co4"), "≤", 1.05, "×"))
    for workers, ours_, theirs in ((1, "co4", "tokio"), (2, "co4_2", "tokio_2")):
        f = figures.get("select_8", {}).get(ours_)
        rows += [
            (f"`select_8` over Tokio, {workers} worker{'s' * (workers > 1)}",
             r("select_8", ours_, theirs), "≤", 0.6, "×"),
            ("… its greatest over its least", f and f["max"] / f["min"], "≤", 1.3, "×"),
            (f"`spawn`, {workers} worker{'s' * (workers > 1)}", value(figures, "spawn", ours_),
             "≤", 35, " ns"),
        ]
    return rows + latencies(figures) + sizes_and_times(weaving)


def latencies(figures):
    """Of two workers: half of the messages beside the better of Go and Tokio; the tail in steps."""
    rows = []
    for name, step in STEPS.items():
        peers_ = [value(figures, name + "_p50", key) for key in ("go_2", "tokio_2")]
        half = value(figures, name + "_p50", "co4_2")
        rows.append((f"`{name}_p50` over the better of Go and Tokio",
                     None if half is None or None in peers_ else half / min(peers_), "≤", 1.0, "×"))
        tail = value(figures, name + "_p99", "co4_2")
        rows.append((f"`{name}_p99`, in turns of all tasks of a worker",
                     tail and tail / step / BUSY, "≤", 1.5, ""))
    for name, step in SLEPT.items():
        for share in ("p50", "p99"):
            late = value(figures, f"{name}_{share}", "co4_2")
            rows.append((f"`{name}_{share}`, in steps", late and late / step, "≤", 1.5, ""))
    return rows


def sizes_and_times(weaving):
    rows = []
    for key, what in (("weaving", "weaving over compiling"),
                      ("wrapping", "the wrapper over compiling"), ("sizes", "woven over plain"),
                      ("whole", "all functions woven over plain")):
        rows += [(f"{what}, {item['what']}", item["ratio"], "≤", item["limit"], "×")
                 for item in weaving.get(key, [])]
    return rows


def verdict(number, sense, limit):
    if number is None:
        return "not measured"
    met = number <= limit if sense == "≤" else number >= limit
    if met:
        return "met"
    return f"missed, {short(number / limit if sense == '≤' else limit / number)} times"


def targets_table(figures, weaving):
    lines = ["| target | | measured | |", "|---|---|---|---|"]
    for what, number, sense, limit, unit in targets(figures, weaving):
        shown = "–" if number is None else short(number) + unit
        lines.append(
            f"| {what} | {sense} {limit}{unit} | {shown} | {verdict(number, sense, limit)} |")
    return "\n".join(lines)


# ---- the page ----


def gain_table(figures):
    lines = ["| gain of a second worker | `nqueens` | `matmul` |", "|---|---|---|"]
    for column in columns():
        gains = [ratio(figures, name, column.alone, column.key)
                 for name in ("nqueens", "matmul")] if column.alone else []
        if any(gains):
            lines.append(f"| {plain_title(column)} | " + " | ".join("–" if g is None else short(g)
                                                                    for g in gains) + " |")
    return "\n".join(lines) if len(lines) > 2 else ""


def weaving_tables(weaving):
    text = ""
    for key, head in (("weaving", "weaving, ms of the processor | co4weave | cc -O2 -c | ratio"),
                      ("wrapping", "nothing pausable, ms | co4weave cc | cc | ratio"),
                      ("sizes", "bytes of code and constants | woven | plain | ratio"),
                      ("whole", "all functions woven, ms and bytes | woven | plain | ratio")):
        if weaving.get(key):
            text += f"\n| {head} |\n|---|---|---|---|\n"
            for item in weaving[key]:
                text += f"| {item['what']} | {short(item['ours'])} | {short(item['base'])} | {short(item['ratio'])} |\n"
    return text


def sizes_of(sizes):
    shown = {name: size for name, size in sizes.items() if name not in DEEP}
    if set(DEEP) <= set(sizes):
        shown["deep_yield_…"] = sizes[DEEP[0]]
    return ", ".join(f"`{name}` {size:,}" for name, size in shown.items())


def page(result, drawn):
    """The page of tables, with the plots of the groups that are drawn beside it."""
    figures, weaving = result["figures"], result.get("weaving", {})
    text = "# Figures, side by side\n\n"
    text += (
        "Made by `bench/compare`, which also draws plots and leaves all values, one by one, in `figures.json`; what they mean, and "
        "what limits each: `docs/performance.md`.\n\n")
    text += (
        "A cell: the median of {rounds} runs, each a process of its own, the peers taking turns; the least and the greatest; and, "
        "bold, **what co4 takes of that**, with as many workers. Less is better everywhere. With one worker a process is kept "
        "on one processor.\n\n").format(rounds=result["rounds"])
    if result.get("quick"):
        text += "**Made with --quick: these are no figures.**\n\n"
    machine = result["machine"]
    text += (
        f"{result['date']}; {machine['cpu']}, {machine['processors']} processors, {machine['memory']} of memory, "
        f"{machine['system']}.\n")
    if machine.get("load", 0) >= 0.5:
        text += f"Other programs ran beside it: the load was {machine['load']} before it began.\n"
    text += "\n"
    text += "## Targets\n\n" + targets_table(figures, weaving) + "\n"
    for group, title in GROUPS.items():
        rows = table(figures, group)
        if not rows:
            continue
        text += f"\n## {title}\n\n{rows}\n"
        if group == "processors" and gain_table(figures):
            text += "\n" + gain_table(figures) + "\n"
        if group in drawn:
            text += f"\n![{title}]({group}.svg)\n"
    if weaving:
        text += "\n## The weaver\n" + weaving_tables(weaving)
    text += "\n## Workloads\n\n| | an operation is | size |\n|---|---|---|\n"
    for w in WORKLOADS:
        measured = figures.get(w.name, {}).get("co4")
        if measured:
            text += f"| `{w.name}` | {w.what} | {measured['size']:,} |\n"
    text += "\n## Peers\n\n| | version | where it differs |\n|---|---|---|\n"
    for peer in PEERS:
        if peer.key in result["versions"]:
            text += f"| {peer.key} | {result['versions'][peer.key]} | {' '.join(peer.notes.split())} |\n"
    text += "\nSmaller sizes, where a peer is slow or large:\n\n| | |\n|---|---|\n"
    for peer in PEERS:
        for sizes in dict.fromkeys(
                tuple(c.sizes.items()) for c in peer.columns
                if c.sizes and peer.key in result["versions"]):
            text += f"| {peer.key} | {sizes_of(dict(sizes))} |\n"
    if result["skipped"]:
        text += "\nSkipped: " + "; ".join(f"{key} ({why})"
                                          for key, why in result["skipped"].items()) + ".\n"
    return text


# ---- plots ----

HEAD = """set terminal svg size 900,{height} font "sans-serif,11" background "white" noenhanced
set output "{path}"
set datafile separator "\\t"
set grid {grid} lc "#dddddd"
"""


def gnuplot(script):
    subprocess.run(["gnuplot"], input=script, text=True, check=True, stderr=subprocess.DEVNULL)


def plot_bars(figures, group, path):
    """A row for each peer and workload, on a logarithmic axis."""
    data, ticks, at = "", [], 0
    for w in reversed([w for w in WORKLOADS if w.group == group and figures.get(w.name)]):
        for column in reversed(columns()):
            f = figures[w.name].get(column.key)
            if f is not None:
                colour = 0x2A9D4A if column.key.startswith("co4") else 0x1B6CA8
                data += f"{f['median']}\t{at}\t{f['min']}\t{f['max']}\t{colour}\n"
                ticks.append(f'"{w.name}: {plain_title(column)}" {at}')
                at += 1
        at += 1
    least_value = min(float(line.split("\t")[0]) for line in data.splitlines())
    base = 10 ** (len(str(int(least_value))) - 2) if least_value >= 1 else 0.1
    gnuplot(
        HEAD.format(height=60 + 15 * at, path=path, grid="x") + f"""
set logscale x
set xrange [{base}:*]
set yrange [-1:{at}]
set ytics ({", ".join(ticks)}) font ",9"
set nokey
$data << END
{data}END
plot $data using ({base}):2:({base}):1:($2-0.35):($2+0.35):5 with boxxyerror fs solid 0.8 lc rgb variable, \\
     $data using 1:2:3:4 with xerrorbars pt 0 lc "black"
""")


def plot_depths(figures, path):
    lines, data = [], ""
    for column in columns():
        points = [(name.rsplit("_", 1)[1], figures.get(name, {}).get(column.key)) for name in DEEP]
        if all(f for _, f in points):
            data += f"${column.key} << END\n" +"".join(
                f"{depth}\t{f['median']}\t{f['min']}\t{f['max']}\n"
                for depth, f in points) + "END\n"
            lines.append(
                f'${column.key} using 1:2:3:4 with yerrorlines lw 2 title "{plain_title(column)}"')
    gnuplot(HEAD.format(height=420, path=path, grid="y") + f"""
set logscale y
set xlabel "depth of the tree"
set ylabel "ns a value"
set xtics (4, 8, 12, 16, 20)
set xrange [3:21]
set key outside right
{data}plot {", ".join(lines)}
""")


def plots(result, folder):
    """Draws what there are figures for; the names of the groups drawn."""
    if not shutil.which("gnuplot"):
        return []
    drawn = []
    for group in GROUPS:
        figures = result["figures"]
        path = os.path.join(folder, group + ".svg")
        if group == "generators":
            if any(all(figures.get(name, {}).get(c.key) for name in DEEP) for c in columns()):
                plot_depths(figures, path)
                drawn.append(group)
        elif any(figures.get(w.name) for w in WORKLOADS if w.group == group):
            plot_bars(figures, group, path)
            drawn.append(group)
    return drawn
