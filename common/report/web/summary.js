// The figures at the top: how long a step takes, what for, and what it needs.
"use strict";
(() => {
  const {make, format, color, legend, table, source, says} = PodiumReport;

  const figure = (name, value, more) => make("div", {}, make("dt", {}, name), make("dd", {}, value, more ? make("small", {}, more) : null));

  function waits(times) {
    const all = times.waits.reduce((sum, [, ps]) => sum + ps, 0);
    if (all === 0) return null;
    const parts = times.waits.filter(([, ps]) => ps > 0);
    return make("div", {},
      make("h3", {}, "What the chip that ends last had its time for"),
      make("div", {class: "pr-bar", role: "img", "aria-label": parts.map(([name, ps]) => `${name} ${format.share(ps / all)}`).join(", ")},
        parts.map(([name, ps]) => make("span", {title: `${name}: ${format.time(ps)}`, style: {background: color(name), width: `${100 * ps / all}%`}}))),
      legend(parts.map(([name, ps]) => [color(name), `${PodiumReport.isQueue(name) ? "waiting for " : ""}${name}, ${says[name]}: ${format.share(ps / all)}, ${format.time(ps)}`])));
  }

  // By source line, the dearest first.
  function lines(report) {
    const sums = new Map();
    for (const task of PodiumReport.tasks(report)) {
      if (task.kind === "while" || task.kind === "branch" || task.duration_ps === 0) continue;
      const line = task.source.replace(/:\d+$/, "") || "(no source line)";
      const sum = sums.get(line) || {line, duration: 0, waiting: 0, tasks: 0, ops: new Map()};
      sum.duration += task.duration_ps;
      sum.waiting += task.waiting_ps;
      sum.tasks++;
      sum.ops.set(task.op, (sum.ops.get(task.op) || 0) + task.duration_ps);
      sums.set(line, sum);
    }
    return [...sums.values()].sort((a, b) => b.duration - a.duration);
  }

  function draw(element, report) {
    const times = report.times, memory = report.memory, figures = [];
    if (times) {
      const slow = times.classes[times.slowest];
      figures.push(figure("One step", format.time(times.step_ps), times.chips_running < report.pod.chips ? `on ${format.count(times.chips_running)} of ${format.count(report.pod.chips)} chips` : `on ${format.count(times.chips_running)} chip${times.chips_running === 1 ? "" : "s"}`));
      if (times.high_ps > 0) {
        figures.push(figure("It may take", `${format.time(times.low_ps)} to ${format.time(times.high_ps)}`, times.rests_on));
      }
      if (times.dispatch_ps > 0) figures.push(figure("A call on the host", format.time(times.dispatch_ps), "more, when it waits for its result: predicted, beside the step"));
      figures.push(figure("FLOP utilisation", times.mfu === undefined ? format.share(times.hfu) : `HFU ${format.share(times.hfu)}, MFU ${format.share(times.mfu)}`, `${format.rate(times.flop_per_chip, "FLOP")} per chip, of ${format.rate(report.pod.bf16_flop_per_s, "FLOP/s")}`));
      figures.push(figure("Exposed waiting", format.share(slow.waiting_ps / Math.max(1, slow.end_ps)), `${format.time(slow.waiting_ps)} for links or DMA; ${format.time(slow.overlapped_ps)} overlapped`));
    }
    figures.push(figure("HBM per chip", format.bytes(memory.hbm_peak_bytes), `${format.share(memory.hbm_peak_bytes / Math.max(1, memory.hbm_bytes))} of ${format.bytes(memory.hbm_bytes)}`));
    const sent = report.collectives.reduce((sum, one) => sum + one.ici_bytes * (one.runs ?? 1), 0);
    figures.push(figure("Collectives", format.count(report.collectives.length + report.collectives_left_out), sent > 0 ? `${format.bytes(sent)} sent by each chip` : "nothing is sent"));
    element.append(make("dl", {class: "pr-figures"}, figures));
    if (!times) {
      element.append(make("p", {}, report.no_times ? `There are no times: ${report.no_times}` : "There are no times."));
    } else {
      const bar = waits(times);
      if (bar) element.append(bar);
      const rows = lines(report);
      if (rows.length > 0) {
        element.append(make("details", {}, make("summary", {}, "By source line"), table("What each line costs the chip that ends last", [
          {title: "line", cell: (row) => source(row.line)},
          {title: "time", number: true, cell: (row) => format.time(row.duration), sort: (row) => row.duration},
          {title: "of the step", number: true, cell: (row) => format.share(row.duration / Math.max(1, times.step_ps))},
          {title: "waiting", number: true, cell: (row) => format.time(row.waiting), sort: (row) => row.waiting},
          {title: "mostly", cell: (row) => [...row.ops].sort((a, b) => b[1] - a[1])[0][0]},
        ], rows, 20)));
      }
    }
    for (const note of report.program.notes) element.append(make("p", {class: "pr-note"}, note));
  }

  PodiumReport.views.push({id: "summary", title: "Summary", isThere: () => true, draw});
})();
