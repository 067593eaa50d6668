// The links of a torus, one plane (z) at a time: a chip is a box, a link between neighbours two strokes, one for each
// direction; links that close a ring are stubs at the rims.
"use strict";
(() => {
  const {make, svg, format, heat, table} = PodiumReport;
  const DIRECTIONS = ["+x", "−x", "+y", "−y", "+z", "−z", "die", "DCN out", "DCN in"];
  const PLANES_MAX = 64;
  const SINGLE_MAX = 1024;  // Chips up to which each idle link is an element of its own.

  // Ends of the stroke from chip (x, y) in `direction`, to the right of who drives along it.
  function stroke(x, y, direction, cell, box) {
    const from = box / 2, to = cell - box / 2, aside = box * 0.22;
    const cx = (x + 0.5) * cell, cy = (y + 0.5) * cell;
    switch (direction) {
      case 0: return [cx + from, cy + aside, cx + to, cy + aside];
      case 1: return [cx - from, cy - aside, cx - to, cy - aside];
      case 2: return [cx - aside, cy + from, cx - aside, cy + to];
      default: return [cx + aside, cy - from, cx + aside, cy - to];
    }
  }

  function plane(torus, z, cell) {
    const [nx, ny, nz] = torus.topology, box = cell * 0.46, margin = cell * 0.35;
    const node = svg("svg", {
      viewBox: `${-margin} ${-margin} ${nx * cell + 2 * margin} ${ny * cell + 2 * margin}`,
      width: nx * cell + 2 * margin, role: "img", "aria-label": `Links of plane z = ${z}; the numbers are in the table below`,
    });
    const layer = {links: svg("g"), chips: svg("g")};
    const isLarge = nx * ny * nz > SINGLE_MAX, thick = Math.max(2, box * 0.26);
    let idle = "";
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++) {
        const chip = x + nx * (y + ny * z);
        const from = (direction) => torus.link(chip, direction);
        for (let direction = 0; direction < 4; direction++) {
          const link = from(direction);
          if (!link) continue;
          const edge = [x === nx - 1, x === 0, y === ny - 1, y === 0][direction];
          let [x1, y1, x2, y2] = stroke(x, y, direction, cell, box);
          if (edge) { x2 = (x1 + x2) / 2; y2 = (y1 + y2) / 2; }
          if (isLarge && link.value === 0) { idle += `M${x1} ${y1}L${x2} ${y2}`; continue; }
          layer.links.append(svg("line", {x1, y1, x2, y2, style: {stroke: heat(link.value)}, "stroke-width": thick, "data-link": `${chip}${DIRECTIONS[direction]}`},
            svg("title", {}, link.title)));
        }
        const said = torus.chip ? torus.chip(chip) : null;
        const group = svg("g", {"data-chip": chip},
          svg("rect", {x: (x + 0.5) * cell - box / 2, y: (y + 0.5) * cell - box / 2, width: box, height: box, rx: box * 0.16, class: "pr-frame",
            style: {fill: said && said.fill ? said.fill : "var(--pr-panel)", stroke: said && said.stroke ? said.stroke : "var(--pr-quiet)"}}));
        if (said && said.title) group.append(svg("title", {}, said.title));
        // Links along z: triangles in the corners.
        if (nz > 1) {
          for (const direction of [4, 5]) {
            const link = from(direction);
            if (!link || (isLarge && link.value === 0)) continue;
            const up = direction === 4, cx = (x + 0.5) * cell, cy = (y + 0.5) * cell, half = box / 2;
            const points = up ? `${cx + half},${cy - half} ${cx + half},${cy} ${cx},${cy - half}` : `${cx - half},${cy + half} ${cx - half},${cy} ${cx},${cy + half}`;
            group.append(svg("polygon", {points, style: {fill: heat(link.value)}, "data-link": `${chip}${DIRECTIONS[direction]}`}, svg("title", {}, link.title)));
          }
        }
        if (cell >= 34) {
          group.append(svg("text", {x: (x + 0.5) * cell, y: (y + 0.5) * cell, "text-anchor": "middle", "dominant-baseline": "central", style: {"font-size": `${Math.max(8, cell * 0.17)}px`}}, chip));
        }
        layer.chips.append(group);
      }
    }
    if (idle) layer.links.prepend(svg("path", {d: idle, "stroke-width": thick, style: {stroke: heat(0)}}));
    node.append(layer.links, layer.chips);
    return node;
  }

  function torusView(element, torus) {
    const [nx, ny, nz] = torus.topology;
    const cell = Math.max(14, Math.min(96, 620 / Math.max(nx, ny)) * (nz > 1 ? 0.6 : 1));
    const planes = make("div", {class: "pr-planes"});
    for (let z = 0; z < Math.min(nz, PLANES_MAX); z++) {
      planes.append(make("figure", {}, plane(torus, z, cell), nz > 1 ? make("figcaption", {}, `plane z = ${z}`) : null));
    }
    element.replaceChildren(planes);
    if (nz > PLANES_MAX) element.append(make("p", {class: "pr-note"}, `The first ${PLANES_MAX} of ${nz} planes.`));
  }

  function classes(report) {
    const list = [];
    for (const [index, count] of report.times.class_of_chip) for (let i = 0; i < count; i++) list.push(index);
    return list;
  }

  function draw(element, report) {
    const times = report.times, of = classes(report), pod = report.pod;
    const most = Math.max(1, ...times.classes.map((one) => Math.max(...one.links.map((link) => link[0]))));
    let by = "busy";
    const picture = make("div", {class: "pr-box"}), key = make("div");
    const link = (chip, direction) => {
      const one = times.classes[of[chip]], [bytes, busy, messages] = one.links[direction];
      const [nx, ny] = pod.topology, at = [chip % nx, Math.floor(chip / nx) % ny, Math.floor(chip / (nx * ny))];
      const axis = direction >> 1, size = pod.topology[axis], up = direction % 2 === 0;
      const isRim = up ? at[axis] === size - 1 : at[axis] === 0;
      if (size === 1 || (isRim && !pod.wraps[axis])) return null;
      const share = busy / Math.max(1, times.step_ps);
      return {value: by === "busy" ? share : bytes / most,
        title: `chip ${chip} (${at.join(", ")}), ${DIRECTIONS[direction]}: ${format.bytes(bytes)} in ${format.count(messages)} messages, busy ${format.share(share)} of the step (${format.time(busy)})`};
    };
    const chip = (index) => ({title: `chip ${index}, class ${of[index]}`});
    const redraw = () => {
      torusView(picture, {topology: pod.topology, link, chip});
      key.replaceChildren(PodiumReport.legend([0, 0.25, 0.5, 0.75, 1].map((value) =>
        [heat(value), by === "busy" ? `${100 * value}% of the step` : format.bytes(value * most)])));
    };
    const buttons = [["busy", "Busy"], ["bytes", "Bytes"]].map(([value, text]) => make("button", {type: "button", "aria-pressed": String(by === value), on: {click() {
      by = value;
      buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(["busy", "bytes"][i] === by)));
      redraw();
    }}}, text));
    element.append(
      make("p", {class: "pr-quiet"}, "Each stroke is a link in one direction, drawn at the right-hand side of its traffic; links that close a ring are short strokes at the rims",
        pod.topology[2] > 1 ? ", and those between planes the corners of the chips." : "."),
      make("div", {class: "pr-tools", role: "group", "aria-label": "Colour by"}, buttons), picture, key);
    redraw();
    const rows = [];
    times.classes.forEach((one, index) => one.links.forEach(([bytes, busy, messages], direction) => {
      if (messages > 0) rows.push({index, chips: one.chips, chip: one.representative, direction, bytes, busy, messages});
    }));
    rows.sort((a, b) => b.busy - a.busy);
    if (rows.length === 0) element.append(make("p", {}, "Nothing goes over the links."));
    else element.append(make("details", {}, make("summary", {}, "The links as a table"), table("Links that carry something, of each class of chips", [
      {title: "link", cell: (row) => `${DIRECTIONS[row.direction]} of chip ${row.chip}${row.chips > 1 ? ` and ${format.count(row.chips - 1)} like it` : ""}`},
      {title: "bytes", number: true, cell: (row) => format.bytes(row.bytes), sort: (row) => row.bytes},
      {title: "busy", number: true, cell: (row) => format.time(row.busy), sort: (row) => row.busy},
      {title: "of the step", number: true, cell: (row) => format.share(row.busy / Math.max(1, times.step_ps))},
      {title: "messages", number: true, cell: (row) => format.count(row.messages), sort: (row) => row.messages},
    ], rows, 40)));
  }

  PodiumReport.torus = torusView;
  PodiumReport.views.push({id: "links", title: "Links", isThere: (report) => Boolean(report.times && report.pod), draw});
})();
