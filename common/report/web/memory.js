// HBM over the step, and what it is full of when it is fullest.
"use strict";
(() => {
  const {make, svg, format, legend, table, ticks, byteTicks, code, shape, source} = PodiumReport;
  const KINDS = {argument: "var(--pr-cat-0)", result: "var(--pr-cat-2)", constant: "var(--pr-cat-6)", temporary: "var(--pr-cat-1)"};
  const SAYS = {argument: "arguments", result: "results", constant: "constants", temporary: "temporaries"};

  function chart(report, one, element) {
    const points = one.timeline.hbm, memory = report.memory, height = 170, left = 74;
    const width = Math.max(280, element.clientWidth - 20), top = Math.max(1, ...points.map((point) => point[1])) * 1.08;
    const x = (at) => left + at / Math.max(1, report.times.step_ps) * (width - left - 6), y = (bytes) => 8 + (1 - bytes / top) * (height - 34);
    const node = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `HBM in use on chip ${one.representative} during the step, at most ${format.bytes(Math.max(...points.map((point) => point[1])))} of ${format.bytes(memory.hbm_bytes)}`});
    for (const at of byteTicks(top, 4)) {
      node.append(svg("line", {x1: left, x2: width - 6, y1: y(at), y2: y(at), class: "pr-rule"}), svg("text", {x: left - 8, y: y(at), "text-anchor": "end", "dominant-baseline": "central", class: "pr-quiet"}, format.bytes(at)));
    }
    for (const at of ticks(0, report.times.step_ps, Math.max(2, width / 140))) node.append(svg("text", {x: x(at), y: height - 8, "text-anchor": "middle", class: "pr-quiet"}, format.time(at)));
    let path = `M ${x(points[0][0])} ${y(0)}`;
    points.forEach(([at, bytes], i) => {
      if (i > 0) path += ` L ${x(at)} ${y(points[i - 1][1])}`;
      path += ` L ${x(at)} ${y(bytes)}`;
    });
    path += ` L ${x(points[points.length - 1][0])} ${y(0)} Z`;
    const fixed = memory.argument_bytes + memory.result_bytes + memory.constant_bytes - memory.alias_bytes;
    node.append(svg("path", {d: path, style: {fill: "var(--pr-cat-1)", opacity: 0.85}}));
    if (fixed > 0) node.append(svg("rect", {x: x(0), y: y(Math.min(fixed, top)), width: Math.max(0, x(points[points.length - 1][0]) - x(0)), height: y(0) - y(Math.min(fixed, top)), style: {fill: "var(--pr-cat-0)"}}));
    return node;
  }

  function draw(element, report) {
    const memory = report.memory, own = memory.result_bytes - memory.alias_bytes;
    const parts = [["argument", memory.argument_bytes], ["result", own], ["constant", memory.constant_bytes], ["temporary", memory.temp_bytes]].filter((part) => part[1] > 0);
    element.append(make("p", {}, `A chip needs ${format.bytes(memory.hbm_peak_bytes)} of its ${format.bytes(memory.hbm_bytes)}`, memory.alias_bytes > 0 ? `; ${format.bytes(memory.alias_bytes)} of the results lie in arguments that are donated.` : "."));
    const all = parts.reduce((sum, part) => sum + part[1], 0);
    if (all > 0) {
      element.append(make("div", {class: "pr-bar", role: "img", "aria-label": parts.map(([kind, bytes]) => `${SAYS[kind]} ${format.bytes(bytes)}`).join(", ")},
        parts.map(([kind, bytes]) => make("span", {title: `${SAYS[kind]}: ${format.bytes(bytes)}`, style: {background: KINDS[kind], width: `${100 * bytes / all}%`}}))),
      legend(parts.map(([kind, bytes]) => [KINDS[kind], `${SAYS[kind]} ${format.bytes(bytes)}`])));
    }
    const one = report.times && report.times.classes[report.times.slowest];
    if (one && one.timeline && one.timeline.hbm.length > 1) {
      const box = make("div", {class: "pr-box"});
      element.append(make("h3", {}, "In use during the step"), box, legend([["var(--pr-cat-0)", "arguments, results and constants"], ["var(--pr-cat-1)", "temporaries that are alive"]]));
      let last = 0;
      const redraw = () => { if (box.clientWidth !== last) { last = box.clientWidth; box.replaceChildren(chart(report, one, box)); } };
      redraw();
      new ResizeObserver(redraw).observe(box);
    }
    const most = Math.max(1, ...memory.buffers.map((buffer) => buffer.bytes));
    element.append(make("h3", {}, "The largest buffers at the peak"),
      make("p", {class: "pr-quiet"}, memory.peak_at ? ["Most is in use while ", code(memory.peak_at), " runs", memory.peak_source ? [", at ", source(memory.peak_source)] : null, "."] : "There are no temporaries: all of it is in use all the time."),
      table("Buffers of a chip, the largest first", [
        {title: "buffer", cell: (buffer) => buffer.name || "argument of a region"},
        {title: "bytes", number: true, cell: (buffer) => format.bytes(buffer.bytes), sort: (buffer) => buffer.bytes},
        {title: "", cell: (buffer) => make("div", {class: "pr-bar", style: {height: "0.8rem", width: "7rem"}, "aria-hidden": "true"}, make("span", {style: {background: KINDS[buffer.kind], width: `${100 * buffer.bytes / most}%`}}))},
        {title: "kind", cell: (buffer) => buffer.kind, sort: (buffer) => buffer.kind},
        {title: "operation", cell: (buffer) => buffer.op},
        {title: "shape", cell: (buffer) => shape(buffer.shape)},
        {title: "source", cell: (buffer) => source(buffer.source)},
      ], memory.buffers, 12));
    if (memory.buffers_left_out > 0 || memory.left_out_bytes > 0) element.append(make("p", {class: "pr-note"}, `Smaller ones are not listed: ${format.bytes(memory.left_out_bytes)}.`));
  }

  PodiumReport.views.push({id: "memory", title: "Memory", isThere: () => true, draw});
})();
