// Tasks by what they compute for each byte of HBM, and how fast: below the roof that the chip has.
"use strict";
(() => {
  const {make, svg, format, color, legend, source, shape, tasks} = PodiumReport;
  const POINTS_MAX = 600, LEFT = 84, BOTTOM = 40;

  function points(report) {
    const list = [];
    for (const task of tasks(report)) {
      const work = task.flop > 0 ? task.flop : task.vpu_op;
      const isOther = ["collective", "start", "done", "prefetch", "prefetched", "transfer", "transferred", "while", "branch"].includes(task.kind);
      if (isOther || work <= 0 || task.hbm_bytes <= 0 || task.duration_ps <= 0 || task.runs <= 0) continue;
      list.push({task, isVector: task.flop === 0, intensity: work / task.hbm_bytes, rate: work * task.runs / (task.duration_ps * 1e-12)});
    }
    return list.sort((a, b) => b.task.duration_ps - a.task.duration_ps);
  }

  const name = (task) => task.name.startsWith(task.op) ? task.name : `${task.name} ${task.op}`;
  const power = (exponent) => exponent >= 0 && exponent < 3 ? String(10 ** exponent) : exponent < 0 && exponent > -3 ? (10 ** exponent).toFixed(-exponent) : `10${String(exponent).replace(/[-0-9]/g, (c) => ({"-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹"})[c])}`;

  function draw(element, report) {
    const pod = report.pod, everything = points(report), list = everything.slice(0, POINTS_MAX);
    const ridge = pod.bf16_flop_per_s / pod.hbm_bytes_per_s;
    element.append(make("p", {class: "pr-quiet"}, `The roof is what one ${pod.chip_kind} chip can do: ${format.rate(pod.hbm_bytes_per_s, "B/s")} of HBM up to the ridge at ${ridge.toFixed(1)} FLOP per byte, ${format.rate(pod.bf16_flop_per_s, "FLOP/s")} beyond it. A point well below the roof waits for something else. The area of a point is its time.`));
    if (list.length === 0) {
      element.append(make("p", {}, "Nothing computes and moves bytes of the HBM at the same time."));
      return;
    }
    const box = make("div", {class: "pr-box"}), details = make("div", {class: "pr-details", "aria-live": "polite"});
    let chosen = -1;
    const picture = svg("svg", {tabindex: "0", role: "application", "aria-label": `Roofline of ${list.length} tasks; left and right choose, the longest first`});
    const xs = list.map((one) => Math.log10(one.intensity)), ys = list.map((one) => Math.log10(one.rate));
    const x0 = Math.floor(Math.min(...xs, Math.log10(ridge) - 1)), x1 = Math.ceil(Math.max(...xs, Math.log10(ridge) + 1));
    const top = Math.log10(Math.max(pod.bf16_flop_per_s, pod.vpu_op_per_s)) + 0.25, y0 = Math.max(Math.min(Math.floor(Math.min(...ys) - 0.3), Math.floor(top) - 3), Math.floor(top) - 9);
    const most = Math.max(...list.map((one) => one.task.duration_ps));

    function say() {
      if (chosen < 0) {
        details.replaceChildren(make("p", {class: "pr-quiet"}, "Choose a point to read what it is."));
        return;
      }
      const {task, isVector, intensity, rate} = list[chosen];
      const roof = Math.min(isVector ? pod.vpu_op_per_s : pod.bf16_flop_per_s, intensity * pod.hbm_bytes_per_s);
      details.replaceChildren(make("p", {}, make("strong", {}, name(task)), " ", shape(task.shape), task.source ? [" at ", source(task.source)] : null),
        make("p", {}, `${intensity.toPrecision(3)} ${isVector ? "operations" : "FLOP"} per byte, ${format.rate(rate, isVector ? "op/s" : "FLOP/s")}: ${format.share(rate / roof)} of the roof there. ${format.time(task.duration_ps)} in ${format.count(task.runs)} run${task.runs === 1 ? "" : "s"}, bound by ${task.bound}.`));
    }

    function redraw() {
      const width = Math.max(280, box.clientWidth - 20), height = Math.min(460, Math.max(280, width * 0.5));
      const x = (log) => LEFT + (log - x0) / (x1 - x0) * (width - LEFT - 14), y = (log) => 12 + (top - log) / (top - y0) * (height - 12 - BOTTOM);
      const node = svg("g");
      for (let at = x0; at <= x1; at++) node.append(svg("line", {x1: x(at), x2: x(at), y1: 12, y2: height - BOTTOM, class: "pr-rule"}), svg("text", {x: x(at), y: height - BOTTOM + 15, "text-anchor": "middle", class: "pr-quiet"}, power(at)));
      for (let at = y0; at <= top; at++) node.append(svg("line", {x1: LEFT, x2: width - 14, y1: y(at), y2: y(at), class: "pr-rule"}), svg("text", {x: LEFT - 8, y: y(at), "text-anchor": "end", "dominant-baseline": "central", class: "pr-quiet"}, format.rate(10 ** at, "FLOP/s").replace(/\.00|\.0/, "")));
      node.append(svg("text", {x: (LEFT + width) / 2, y: height - 6, "text-anchor": "middle", class: "pr-quiet"}, "FLOP per byte of HBM"));
      const roof = (peak, dash) => {
        const knee = Math.log10(peak / pod.hbm_bytes_per_s), slope = Math.log10(pod.hbm_bytes_per_s);
        const start = Math.max(x0, y0 - slope);
        node.append(svg("path", {d: `M ${x(start)} ${y(start + slope)} L ${x(knee)} ${y(Math.log10(peak))} L ${x(x1)} ${y(Math.log10(peak))}`, fill: "none", "stroke-width": 2, "stroke-dasharray": dash, style: {stroke: "var(--pr-ink)"}}));
        return [x(knee), y(Math.log10(peak))];
      };
      const [rx, ry] = roof(pod.bf16_flop_per_s, null);
      if (list.some((one) => one.isVector)) roof(pod.vpu_op_per_s, "5 4");
      node.append(svg("circle", {cx: rx, cy: ry, r: 3.5, style: {fill: "var(--pr-ink)"}}), svg("text", {x: rx, y: ry - 8, "text-anchor": "end"}, `ridge ${ridge.toFixed(1)}`));
      // The longest first: what is small lies on top, and can be clicked.
      list.forEach(({task, isVector, intensity, rate}, i) => {
        const radius = 3 + 11 * Math.sqrt(task.duration_ps / most);
        node.append(svg("circle", {cx: x(Math.log10(intensity)), cy: y(Math.max(y0, Math.log10(rate))), r: radius, "data-point": i, class: i === chosen ? "pr-on" : null,
          style: {fill: isVector ? "var(--pr-panel)" : color(task.bound), "fill-opacity": isVector ? 0.5 : 0.8, stroke: i === chosen ? "var(--pr-ink)" : color(task.bound), "stroke-width": i === chosen ? 3 : 1.6, cursor: "pointer"}},
        svg("title", {}, `${name(task)}: ${intensity.toPrecision(3)} per byte, ${format.rate(rate, "FLOP/s")}`)));
      });
      picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
      picture.setAttribute("width", width);
      picture.setAttribute("height", height);
      picture.replaceChildren(node);
    }
    const choose = (i) => { chosen = Math.max(0, Math.min(list.length - 1, i)); say(); redraw(); };
    picture.addEventListener("click", (event) => {
      const point = event.target instanceof Element ? event.target.closest("[data-point]") : null;
      if (point) choose(Number(point.getAttribute("data-point")));
    });
    picture.addEventListener("keydown", (event) => {
      if (event.key === "ArrowRight" || event.key === "ArrowDown") choose(chosen + 1);
      else if (event.key === "ArrowLeft" || event.key === "ArrowUp") choose(chosen - 1);
      else return;
      event.preventDefault();
    });
    box.append(picture);
    element.append(box, details, legend([["var(--pr-mxu)", "products, bound by the MXU"], ["var(--pr-hbm)", "by HBM"], ["var(--pr-vpu)", "by the VPU"], ["var(--pr-fixed)", "by fixed costs"]]),
      make("p", {class: "pr-note"}, `Filled points are products of matrices; hollow ones compute on the vector unit, whose roof is dashed.${everything.length > list.length ? ` The ${POINTS_MAX} longest of ${format.count(everything.length)} tasks.` : ""}`));
    say();
    let last = 0;
    new ResizeObserver(() => { if (box.clientWidth !== last) { last = box.clientWidth; redraw(); } }).observe(box);
    redraw();
  }

  PodiumReport.views.push({id: "roofline", title: "Roofline", isThere: (report) => Boolean(report.times && report.pod), draw});
})();
