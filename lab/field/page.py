"""The page of the field bench: one HTML file in the house style (report/house.css), made from its rows and from nothing else."""
import html
import os

from field.tasks import DEFAULTS, MEASURES

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"ours": ("conehull's own methods", 0), "reference": ("other methods, as implemented in conehull", 6),
         "peer": ("other programs, and plain NumPy", 1)}
GROUPS = {
    "planted": ("Planted columns", "Some columns are pure, the others are mixtures of them (the paper's generator: 20 of 210 columns, 200 "
                "rows, five draws; in a quick bench 6 of 70 columns, 60 rows, two draws). NMF does not select columns, so only its angles "
                "are measured."),
    "spectra": ("Spectra", "Angles between the known pure spectra and the spectra that a method found. If a method selects pixels, their "
                "spectra are read from the data without spikes. Scenes and spikes (0.1 % of the values) are drawn three times; random "
                "methods run with three seeds."),
    "video": ("Background of a fixed camera", "F-measure of the masks against masks made by hand. All programs run at their "
              "defaults. The spread is over four quarters of the masks."),
    "exemplars": ("Exemplars", "A method selects documents from a random half of the collection. They train a linear classifier, which is "
                  "tested on the other half; five splits. The time includes six selections and the classifier."),
    "topics": ("Topics", "20 topics of 80 % of the documents, three draws; every program sees the same words. scikit-learn's NMF runs "
               "on tf-idf with squared errors and on counts with the Kullback-Leibler divergence."),
}
STYLE = """
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(23rem, 100%), 1fr)); gap: 1rem 2rem; }
.dots text { font-size: 12px; fill: var(--ink); } .dots .soft { fill: var(--soft); } .dots line { stroke: var(--rule); }
.dots .k0 { fill: var(--line-0); stroke: var(--line-0); } .dots .k6 { fill: var(--line-6); stroke: var(--line-6); }
.dots .k1 { fill: var(--line-1); stroke: var(--line-1); } .dots text.k0, .dots text.k1, .dots text.k6 { stroke: none; }
.dots .default { font-weight: 700; }
ul.kinds { list-style: none; padding: 0; } ul.kinds b { display: inline-block; width: .8em; height: .8em; border-radius: 50%;
  margin-right: .5em; } ul.kinds .k0 { background: var(--line-0); } ul.kinds .k6 { background: var(--line-6); }
ul.kinds .k1 { background: var(--line-1); }
td.best { font-weight: 700; } td.number span { color: var(--soft); font-size: .85em; }
table.summary small { display: block; color: var(--soft); font-weight: 400; white-space: normal; }
@media (max-width: 40rem) { table.summary { table-layout: fixed; width: 100%; font-size: .85rem; } table.summary td span { display: block; }
  table.summary th, table.summary td { padding: .3rem .15rem; white-space: normal; overflow-wrap: anywhere; } }
details { margin: .8rem 0; } summary { cursor: pointer; padding: .4rem 0; }
"""


def escape(text):
    return html.escape(str(text), quote=True)


def shown(measure, value):
    return "" if value is None else f"{value:.1f}" if measure.startswith(("accuracy", "angle")) else f"{value:.3f}"


def seconds_of(value):
    return "" if value is None else f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def sorted_rows(rows, measure):
    """Returns the rows, the best first; methods without a result come last, in the order of the list."""
    sign = -1 if MEASURES[measure][1] else 1
    return sorted((row for row in rows if row["mean"] is not None), key=lambda row: sign * row["mean"])


def chart(title, rows, measure, default):
    """Draws, for each method, a dot and a whisker of one standard deviation; the best method is at the top."""
    rows = sorted_rows(rows, measure)
    if not rows:
        return ""
    left, width, step, top = 168, 400, 19, 26
    low = min(0, *(row["mean"] for row in rows)) if measure != "NPMI" else min(row["mean"] - (row["sd"] or 0) for row in rows)
    high = max(row["mean"] + (row["sd"] or 0) for row in rows) or 1
    if measure in ("found", "F"):
        high = 1
    if measure.startswith("accuracy"):
        low, high = min(row["mean"] - (row["sd"] or 0) for row in rows), 100

    def at(value):
        return left + (width - left - 48) * (min(max(value, low), high) - low) / ((high - low) or 1)
    height = top + step * len(rows) + 8
    lines = [f'<figure><svg class="dots" role="img" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
             f"<title>{escape(title)}: {escape(MEASURES[measure][0])}</title>",
             f'<text x="0" y="13" style="font-weight:650">{escape(title)}</text>'
             f'<text class="soft" x="{width}" y="13" text-anchor="end">{escape(measure)}</text>']
    for place, row in enumerate(rows):
        y, colour = top + step * place + 8, KINDS[row["kind"]][1]
        spread = row["sd"] or 0
        lines.append(f'<line x1="{left}" x2="{width - 48}" y1="{y}" y2="{y}"/>'
                     f'<text x="{left - 10}" y="{y + 4}" text-anchor="end" class="{"default" if row["method"] == default else ""}">'
                     f'{escape(row["method"])}</text>'
                     f'<line class="k{colour}" stroke-width="2" x1="{at(row["mean"] - spread):.1f}" x2="{at(row["mean"] + spread):.1f}" '
                     f'y1="{y}" y2="{y}"/><circle class="k{colour}" cx="{at(row["mean"]):.1f}" cy="{y}" r="4.5"/>'
                     f'<text class="soft" x="{width}" y="{y + 4}" text-anchor="end">{shown(measure, row["mean"])}</text>')
    return "\n".join(lines) + "</svg></figure>"


def pick(rows, kinds, measure):
    found = sorted_rows([row for row in rows if row["kind"] in kinds], measure)
    return found[0] if found else None


def cell(row, measure, best, below=""):
    if row is None:
        return '<td class="number"></td>'
    spread = f" <span>± {shown(measure, row['sd'])}</span>" if row["sd"] is not None else ""
    small = f"<small>{escape(below)}</small>" if below else ""
    return f'<td class="number{" best" if best else ""}">{shown(measure, row["mean"])}{spread}{small}</td>'


def summary(sets):
    """Returns one line per data set: our default, our best and the best of others; the better one is bold, whether ours or not."""
    lines = ['<section><h2 id="summary">Summary</h2><p>The default of conehull, the best of all its methods, and the best of the methods '
             "of others (in conehull's implementation or their own). The best figure of each line is bold. "
             "The best of several methods was picked from these same figures, so it is optimistic.</p>",
             '<div class="scroll"><table class="summary"><tr><th>data</th><th class="number">our default</th>'
             '<th class="number">our best</th><th class="number">best of others</th></tr>']
    behind, total = [], 0
    for (group, data, measure), rows in sets.items():
        default = next((row for row in rows if row["method"] == DEFAULTS[group] and row["mean"] is not None), None)
        ours, other = pick(rows, ("ours",), measure), pick(rows, ("reference", "peer"), measure)
        if not ours or not other:
            continue
        ahead = sorted_rows([ours, other], measure)[0]
        total += 1
        if default and sorted_rows([default, other], measure)[0] is other and other["mean"] != default["mean"]:
            behind.append(f"{data} ({measure})")
        lines.append(f"<tr><td>{escape(data)}<small>{escape(measure)}</small></td>"
                     + cell(default, measure, default and default["mean"] == ahead["mean"], DEFAULTS[group])
                     + cell(ours, measure, ours["mean"] == ahead["mean"], ours["method"])
                     + cell(other, measure, other["mean"] == ahead["mean"], other["method"]) + "</tr>")
    lines.append("</table></div>")
    if behind:
        lines.append(f"<p>The default is behind the best of the others in {len(behind)} of {total} lines: {escape(', '.join(behind))}.</p>")
    return "\n".join(lines) + "</section>"


def details(sets, group):
    """Returns the table of all results of a group: methods by data sets. Time and memory come first, because wide tables scroll."""
    columns = [place for place in sets if place[0] == group]
    methods = {row["method"]: row["kind"] for place in columns for row in sets[place]}
    lines = ['<details><summary>All figures, with processor time and peak memory</summary><div class="scroll"><table><tr><th>method</th>'
             '<th class="number">processor<br><small>seconds</small></th><th class="number">peak<br><small>MB</small></th>'
             + "".join(f'<th class="number">{escape(data)}<br><small>{escape(measure)}</small></th>' for _, data, measure in columns)
             + "</tr>"]
    for method in methods:
        mine = {place: row for place in columns for row in sets[place] if row["method"] == method}
        times = [row["processor_seconds"] for row in mine.values() if row["processor_seconds"] is not None]
        peaks = [row["peak_mb"] for row in mine.values() if row["peak_mb"] is not None]
        cells = []
        for place in columns:
            row = mine.get(place)
            if row and row["mean"] is None:
                cells.append(f'<td class="number" title="{escape(row["note"])}"><span>{escape(row["status"])}</span></td>')
            else:
                best = row and row["mean"] == sorted_rows(sets[place], place[2])[0]["mean"]
                cells.append(cell(row, place[2], best))
        span = seconds_of(min(times)) + ("" if len(set(map(seconds_of, times))) == 1 else f" to {seconds_of(max(times))}") if times else ""
        lines.append(f'<tr><td>{escape(method)}</td><td class="number">{span}</td>'
                     f'<td class="number">{f"{max(peaks):.0f}" if peaks else ""}</td>{"".join(cells)}</tr>')
    return "\n".join(lines) + "</table></div></details>"


def group_section(sets, group):
    title, text = GROUPS[group]
    places = [place for place in sets if place[0] == group]
    first = {}
    for place in places:
        first.setdefault(place[2], []).append(place)
    measures = "; ".join(f"<b>{escape(name)}</b>: {escape(MEASURES[name][0])} ({'more' if MEASURES[name][1] else 'less'} is better)"
                         for name in first)
    charts = "".join(chart(place[1], sets[place], place[2], DEFAULTS[group]) for place in places
                     if not (group == "planted" and place[2] == "angle") and place[2] != "accuracy, 150")
    return (f'<section><h2 id="{group}">{title}</h2><p>{escape(text)}</p><p>{measures}.</p><div class="charts">{charts}</div>'
            f"{details(sets, group)}</section>")


def ends(run):
    """Returns a sentence that states how the runs ended."""
    words = {"done": "gave a result", "over the limit": "reached the time limit", "not run": "were left out because of their size",
             "failed": "failed", "not present": "lacked a program", "not repeated": "were further draws for a method that had no result "
             "on the first draw, and were left out"}
    parts = [f"{count} {words[status]}" for status, count in run["statuses"].items() if count]
    return f"Of {run['of']} runs, {', '.join(parts)}."


def how(run):
    busy = run["load"] > 0.5 * run["cores"]
    skipped = "".join(f"<li>{escape(line)}</li>" for line in run["skipped"])
    return ('<section><h2 id="how">How it was measured</h2><p>'
            f"{escape(run['processor'])}, {run['cores']} cores; conehull {escape(run['version'])}"
            f"{', commit ' + escape(run['commit'][:10]) if run['commit'] else ''}; {escape(run['date'])}"
            f"{'; --quick, small generated data alone' if run['quick'] else ''}. {ends(run)} "
            + ("<b>The machine was busy with other work: processor times are larger than on an idle one, and differences below a "
               "factor of two mean little.</b> " if busy else "")
            + f"Every run is a process with one thread, ended after {run['limit']} s of processor time (&quot;over the limit&quot;). "
            "For conehull, processor time covers the whole command, with reading and writing; for the others it covers the method "
            "alone, without the interpreter, its imports and reading (video: with decoding). Peak memory is that of the process, "
            "libraries included. ± is one standard deviation. Settings are defaults; those of the selectors are in "
            "<code>lab/harness/selectors.c</code>. Hottopixx is solved to a gap of 1e-3.</p>"
            '<p>The same figures as files: <a href="field.csv">field.csv</a>, <a href="field.json">field.json</a>. To repeat the bench:</p>'
            '<pre class="command"><code>make bench-field</code></pre>'
            + (f"<p>Data sets that were not present:</p><ul>{skipped}</ul>" if skipped else "") + "</section>")


def write_page(path, rows, run):
    sets = {}
    for row in rows:
        sets.setdefault((row["group"], row["data"], row["measure"]), []).append(row)
    sets = {place: sets[place] for group in GROUPS for place in sorted(sets, key=lambda p: list(MEASURES).index(p[2])) if place[0] == group}
    with open(os.path.join(HERE, "..", "..", "report", "house.css"), encoding="utf-8") as file:
        style = file.read()
    kinds = "".join(f'<li><b class="k{colour}"></b>{text}</li>' for text, colour in KINDS.values())
    groups = [group for group in GROUPS if any(place[0] == group for place in sets)]
    body = ("<main><h1>Field bench</h1><p class=\"lead\">conehull's methods and others on the same data: quality with its spread, "
            f"processor time and memory. Wins and losses of conehull have the same colour.</p><ul class=\"kinds\">{kinds}</ul>"
            "<p>Names in bold are the defaults of conehull.</p>"
            + (f"<p><b>This bench is incomplete. {ends(run)}</b> Single runs have no spread.</p>"
               if sum(run["statuses"].values()) < run["of"] else "") +
            f"{summary(sets)}{''.join(group_section(sets, group) for group in groups)}{how(run)}</main>")
    with open(path, "w", encoding="utf-8") as file:
        file.write('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Field bench</title>'
                   '<meta name="viewport" content="width=device-width, initial-scale=1">'
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
                   f"<style>{style}{STYLE}</style></head><body>{body}</body></html>\n")
