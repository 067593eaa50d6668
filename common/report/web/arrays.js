// Where the parts of each array are: boxes of the global shape, cut as it is cut, with the chips that hold each.
"use strict";
(() => {
  const {make, svg, format, code, source} = PodiumReport;
  const CELLS_MAX = 32, FIRST = 24;

  const partsOf = (axes) => axes.reduce((product, axis) => product * axis[2], 1);
  // The number that the digits of a position make.
  const numberAt = (axes, position) => axes.reduce((number, [, stride, size]) => number * size + Math.floor(position / stride) % size, 0);

  // The cut dimensions; the last is drawn across, all others down.
  function grid(report, array) {
    const cut = array.spec.map((axes, dim) => ({axes, dim, parts: partsOf(axes)})).filter((one) => one.parts > 1);
    const across = cut.pop() || null;
    const rows = cut.reduce((product, one) => product * one.parts, 1), columns = across ? across.parts : 1;
    const cells = new Map();
    for (let device = 0; device < report.program.devices; device++) {
      const position = array.positions ? array.positions[device] : device;
      const row = cut.reduce((number, one) => number * one.parts + numberAt(one.axes, position), 0), column = across ? numberAt(across.axes, position) : 0;
      const key = row * columns + column;
      if (!cells.has(key)) cells.set(key, []);
      cells.get(key).push(report.program.chips ? report.program.chips[device] : device);
    }
    return {rows, columns, cells, across, down: cut};
  }

  // 0–3, 8: runs of numbers.
  function ranges(numbers) {
    const sorted = [...numbers].sort((a, b) => a - b), list = [];
    for (let i = 0; i < sorted.length; i++) {
      const from = sorted[i];
      while (i + 1 < sorted.length && sorted[i + 1] === sorted[i] + 1) i++;
      list.push(sorted[i] === from ? `${from}` : `${from}–${sorted[i]}`);
    }
    return list.length > 6 ? `${list.slice(0, 5).join(", ")} … (${numbers.length})` : list.join(", ");
  }

  function picture(array, {rows, columns, cells}) {
    const shownRows = Math.min(rows, CELLS_MAX), shownColumns = Math.min(columns, CELLS_MAX);
    const width = 260, height = Math.max(56, Math.min(190, 30 * shownRows)), w = width / shownColumns, h = height / shownRows;
    const node = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `${rows * columns} part${rows * columns === 1 ? "" : "s"}: ${[...cells].slice(0, 16).map(([key, chips]) => `part ${key} on chip${chips.length === 1 ? "" : "s"} ${ranges(chips)}`).join("; ")}`});
    for (let row = 0; row < shownRows; row++) {
      for (let column = 0; column < shownColumns; column++) {
        const key = row * columns + column, chips = cells.get(key) || [], text = ranges(chips);
        const group = svg("g", {}, svg("rect", {x: column * w + 0.75, y: row * h + 0.75, width: Math.max(1, w - 1.5), height: Math.max(1, h - 1.5), rx: Math.min(3, w / 6),
          style: {fill: `var(--pr-cat-${key % 8})`, opacity: 0.25 + 0.6 / (1 + Math.floor(key / 8) % 3)}}),
        svg("title", {}, `part ${key}: chip${chips.length === 1 ? "" : "s"} ${text}`));
        if (text.length * 6.4 < w - 4 && h > 13) group.append(svg("text", {x: (column + 0.5) * w, y: (row + 0.5) * h, "text-anchor": "middle", "dominant-baseline": "central"}, text));
        node.append(group);
      }
    }
    return node;
  }

  function card(report, array) {
    const title = array.role === "value" ? [array.name ? code(`%${array.name}`) : null, " ", array.op] : array.name || array.role;
    const size = `${array.role === "value" ? "within the program" : array.role}, ${format.bytes(array.local_bytes)} of ${format.bytes(array.bytes)} on each chip`;
    const from = array.source ? make("p", {class: "pr-note"}, source(array.source)) : null;
    if (!array.spec) {
      return make("article", {class: "pr-array"}, make("h3", {}, title), make("p", {class: "pr-quiet"}, size), make("p", {}, code(`${array.dtype}[${array.dims.join(", ")}]`), " ", code(array.sharding)),
        make("p", {class: "pr-note"}, `Each chip has ${array.dtype}[${array.local_dims.join(", ")}].`), from);
    }
    const of = grid(report, array), parts = of.rows * of.columns, chips = report.program.devices;
    const dims = array.dims.map((size, dim) => {
      const axes = array.spec[dim];
      return axes.length === 0 ? `${size}` : `${size} / ${axes.map((axis) => axis[0]).join("·")}`;
    });
    const lines = [];
    if (parts === 1) lines.push(chips === 1 ? "On one chip." : `The same on all ${format.count(chips)} chips.`);
    else {
      lines.push(`${format.count(parts)} parts of ${array.dtype}[${array.local_dims.join(", ")}]`, parts < chips ? `, each on ${format.count(chips / parts)} chips` : "", ".");
      if (of.across) lines.push(` Across: dimension ${of.across.dim}${of.down.length > 0 ? `; down: dimension${of.down.length === 1 ? "" : "s"} ${of.down.map((one) => one.dim).join(", ")}` : ""}.`);
    }
    if (array.unreduced.length > 0) lines.push(` Each part is a sum over ${array.unreduced.map((axis) => axis[0]).join(", ")} that has not been made yet.`);
    if (array.alias !== undefined) lines.push(` Donated: a result takes its memory.`);
    return make("article", {class: "pr-array"},
      make("h3", {}, title), make("p", {class: "pr-quiet"}, size),
      make("p", {}, code(`${array.dtype}[${dims.join(", ")}]`), " ", code(array.sharding)),
      picture(array, of), make("p", {class: "pr-note"}, lines.join("")), from,
      of.rows > CELLS_MAX || of.columns > CELLS_MAX ? make("p", {class: "pr-note"}, `The first ${CELLS_MAX} parts each way are drawn.`) : null);
  }

  function cards(element, report, arrays) {
    const list = make("div", {class: "pr-arrays"}), more = make("button", {type: "button"});
    let shown = 0;
    const add = (count) => {
      for (const array of arrays.slice(shown, shown + count)) list.append(card(report, array));
      shown = Math.min(arrays.length, shown + count);
      more.hidden = shown === arrays.length;
      more.textContent = `Show more (${format.count(arrays.length - shown)})`;
    };
    more.addEventListener("click", () => add(120));
    element.append(list, make("div", {class: "pr-tools"}, more));
    add(FIRST);
  }

  function draw(element, report) {
    const mesh = report.mesh.map(([name, size]) => `${name} = ${size}`).join(" × ");
    element.append(make("p", {class: "pr-quiet"}, mesh ? `The mesh is ${mesh}. ` : "There is no mesh. ", "Each box is an array, cut as it is cut; the numbers are the chips that hold a part. Colours tell the parts of one array apart."));
    cards(element, report, report.arrays);
    if (report.arrays.length === 0) element.append(make("p", {}, "The program has neither arguments nor results."));
    if (!report.values || report.values.length === 0) return;
    const changes = report.values.filter((one) => one.spec && one.unreduced.length + one.spec.reduce((sum, axes) => sum + axes.length, 0) > 0).length;
    element.append(make("h3", {}, "Within the program"),
      make("p", {class: "pr-quiet"}, `How its ${format.count(report.values.length)} values lie after propagation, before the partitioner puts collectives between them: ${format.count(changes)} are cut.`));
    cards(element, report, report.values);
  }

  PodiumReport.views.push({id: "arrays", title: "Shardings", isThere: () => true, draw});
})();
