// Elements, numbers for people, and the frame of a report. Nothing here or in the other files makes
// markup out of text: names come from programs, and are set as text and attributes only.
"use strict";
window.PodiumReport = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
      else if (name === "style") for (const [property, to] of Object.entries(value)) node.style.setProperty(property, to);
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined && child !== false) node.append(child instanceof Node ? child : String(child));
    }
    return node;
  }
  const make = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
  const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

  // 1,234,567. (toLocaleString takes tens of microseconds, and a large torus asks for thousands of them.)
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  // Three digits that matter.
  function digits(value) {
    const size = Math.abs(value);
    return size >= 1000 ? grouped(Math.round(value)) : size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
  }
  function scaled(value, steps, names) {
    let step = 0;
    while (step < names.length - 1 && Math.abs(value) >= steps * 0.99995) {
      value /= steps;
      step++;
    }
    return [value, names[step]];
  }
  const format = {
    time(ps) {
      if (ps === 0) return "0";
      const [value, unit] = scaled(ps, 1000, ["ps", "ns", "µs", "ms", "s"]);
      return `${unit === "ps" ? Math.round(value) : digits(value)} ${unit}`;
    },
    bytes(n) {
      const [value, unit] = scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
      return `${unit === "B" ? value : digits(value)} ${unit}`;
    },
    count: grouped,
    share: (fraction) => `${(100 * fraction).toFixed(Math.abs(fraction) < 0.0995 ? 1 : 0)}%`,
    rate(perSecond, unit) {
      const [value, prefix] = scaled(perSecond, 1000, ["", "k", "M", "G", "T", "P", "E"]);
      return `${digits(value)} ${prefix}${unit}`;
    },
  };

  const BOUNDS = ["MXU", "VPU", "HBM", "ICI", "DMA", "PCIe", "fixed"];
  const SAYS = {
    MXU: "matrix unit", VPU: "vector unit", HBM: "memory", ICI: "links between chips", DMA: "prefetches", PCIe: "the host's memory", fixed: "fixed cost of starting",
  };
  const color = (bound) => `var(--pr-${BOUNDS.includes(bound) ? bound.toLowerCase() : "fixed"})`;
  const heat = (value) => {
    const at = Math.max(0, Math.min(1, value)) * 4, low = Math.min(3, Math.floor(at));
    return `color-mix(in oklab, var(--pr-heat-${low}), var(--pr-heat-${low + 1}) ${((at - low) * 100).toFixed(0)}%)`;
  };
  const swatch = (paint) => make("span", {class: "pr-swatch", style: {background: paint}, "aria-hidden": "true"});
  const legend = (entries) => make("ul", {class: "pr-legend"}, entries.map(([paint, text]) => make("li", {}, swatch(paint), text)));

  // Rows of cells; `columns` are {title, number, cell(row) → text or node, sort(row)}; `under(row)`, what stands below a row over its whole width.
  function table(caption, columns, rows, limit, under) {
    const body = make("tbody"), head = make("tr");
    let shown = rows, most = limit || 60;
    const draw = () => {
      body.replaceChildren(...shown.slice(0, most).flatMap((row) => [make("tr", {class: under ? "pr-over" : null}, columns.map((column, i) =>
        make(i === 0 ? "th" : "td", {scope: i === 0 ? "row" : null, class: column.number ? "pr-n" : null}, column.cell(row)))),
      ...(under ? [make("tr", {class: "pr-under"}, make("td", {colspan: columns.length}, under(row)))] : [])]));
      more.hidden = shown.length <= most;
      more.textContent = `Show all ${format.count(shown.length)}`;
    };
    const more = make("button", {type: "button", on: {click() { most = Infinity; draw(); }}});
    for (const column of columns) {
      const cell = make("th", {scope: "col", class: column.number ? "pr-n" : null});
      if (column.sort) {
        cell.append(make("button", {type: "button", title: "Sort by this column", on: {click() {
          const up = cell.getAttribute("aria-sort") === "descending";
          for (const other of head.children) other.removeAttribute("aria-sort");
          cell.setAttribute("aria-sort", up ? "ascending" : "descending");
          shown = [...rows].sort((a, b) => {
            const x = column.sort(a), y = column.sort(b);
            const order = x < y ? -1 : x > y ? 1 : 0;
            return up ? order : -order;
          });
          draw();
        }}}, column.title));
      } else {
        cell.append(column.title);
      }
      head.append(cell);
    }
    draw();
    return make("div", {},
      make("div", {class: "pr-scroll", tabindex: "0", role: "region", "aria-label": caption},
        make("table", {}, make("caption", {}, caption), make("thead", {}, head), body)), make("div", {class: "pr-tools"}, more));
  }

  // Round numbers between `from` and `to`, about `count` of them.
  function ticks(from, to, count) {
    const rough = (to - from) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(rough || 1));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || power;
    const list = [];
    for (let at = Math.ceil(from / step) * step; at <= to + step * 1e-9; at += step) list.push(at);
    return list;
  }

  const code = (text) => make("code", {}, text);
  const shape = (text) => make("code", {class: "pr-shape"}, text);
  // The file's own name is enough to read; the whole path is there to be looked at.
  const source = (text) => make("code", {title: text}, text.replace(/^.*\//, ""));

  // Multiples of powers of two up to `most`.
  function byteTicks(most, count) {
    let step = 2 ** Math.ceil(Math.log2(Math.max(1, most) / count));
    const list = [];
    for (let at = 0; at <= most; at += step) list.push(at);
    return list;
  }
  const views = [];

  function themeButton() {
    const root = document.documentElement;
    const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const button = make("button", {type: "button", on: {click() {
      root.dataset.theme = isDark() ? "light" : "dark";
      say();
    }}});
    const say = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    say();
    return button;
  }

  function head(report) {
    const program = report.program, pod = report.pod;
    const how = {run: "Computed on a pod, and timed", simulate: "Simulated", compile: "Compiled and simulated", explain: "Explained: compiled and simulated", job: "Run as a job, and timed"}[report.made_by] || report.made_by;
    const where = pod ? `${pod.chips === 1 ? "one" : format.count(pod.chips)} ${pod.chip_kind} chip${pod.chips === 1 ? "" : "s"}, ${pod.topology_name}` : "";
    return make("header", {class: "pr-head"},
      make("div", {},
        make("p", {class: "pr-kicker"}, [how, where && ` for ${where}`, program.file ? [" · ", source(program.file)] : null]),
        make("h1", {}, program.name || "A program")),
      make("div", {class: "pr-tools"}, themeButton(), make("button", {type: "button", on: {click() { window.print(); }}}, "Print")));
  }

  function foot(report) {
    const lines = [];
    if (report.left_out && report.left_out.length > 0) {
      lines.push(make("h3", {}, "What is not in this report"), make("ul", {}, report.left_out.map((line) => make("li", {}, line))));
    }
    if (report.traceparent) lines.push(make("p", {class: "pr-note"}, "Trace ", code(report.traceparent), " (W3C traceparent, as the caller showed it)"));
    lines.push(make("p", {class: "pr-note"}, `Podium ${report.version}. Times are predicted by the clock of a simulated pod`,
      report.measured ? `, but for one: measured on the slowest worker's host, computing took ${format.time(report.measured.host_ns * 1000)}.` : "; nothing in here was measured."));
    return make("footer", {}, lines);
  }

  let drawings = 0;
  function draw(element, report) {
    const prefix = drawings++ === 0 ? "" : `r${drawings}-`;
    element.classList.add("podium-report");
    const there = views.filter((view) => view.isThere(report));
    const main = make("main", {id: `${prefix}main`});
    for (const view of there) {
      const section = make("section", {class: "pr-view", id: prefix + view.id, "aria-labelledby": `${prefix}${view.id}-title`},
        make("h2", {id: `${prefix}${view.id}-title`}, view.title));
      main.append(section);
      const body = make("div", {class: "pr-body"});
      section.append(body);
    }
    element.replaceChildren(make("div", {class: "pr-page"},
      make("a", {class: "pr-skip", href: `#${prefix}main`}, "To the report"),
      head(report),
      make("nav", {class: "pr-nav", "aria-label": "Views"}, make("ul", {}, there.map((view) => make("li", {}, make("a", {href: `#${prefix}${view.id}`}, view.title))))),
      main, foot(report)));
    // Behind their being in the page: what is drawn asks for its width.
    there.forEach((view, i) => view.draw(main.children[i].lastChild, report));
  }

  const rowsOf = (report) => {
    if (!report.times) return [];
    if (!report.times.list) {
      const columns = report.times.task_columns;
      const list = report.times.tasks.map((row, index) => Object.fromEntries([["index", index], ...columns.map((name, i) => [name, row[i]])]));
      Object.defineProperty(report.times, "list", {value: list, enumerable: false});
    }
    return report.times.list;
  };

  return {make, svg, format, color, heat, swatch, legend, table, ticks, byteTicks, code, shape, source, views, draw, tasks: rowsOf, bounds: BOUNDS, says: SAYS, isQueue: (bound) => ["ICI", "DMA", "PCIe"].includes(bound)};
})();
