// What the chips tell each other: why, over which axes, and what it costs.
"use strict";
(() => {
  const {make, format, legend, table, code, shape, source} = PodiumReport;

  function bar(one, most) {
    if (one.total_ps === undefined) return "–";
    return make("div", {class: "pr-bar", style: {height: "0.8rem", width: "8rem"}, role: "img", "aria-label": `${format.time(one.exposed_ps)} exposed, ${format.time(one.hidden_ps)} hidden`},
      make("span", {style: {background: "var(--pr-ici)", width: `${100 * one.exposed_ps / most}%`}}),
      make("span", {style: {background: "var(--pr-fixed)", width: `${100 * one.hidden_ps / most}%`}}));
  }

  function draw(element, report) {
    const list = report.collectives;
    if (list.length === 0) {
      element.append(make("p", {}, "There are none: every chip has what it needs."));
      return;
    }
    const most = Math.max(1, ...list.map((one) => one.total_ps || 0));
    const timed = list.some((one) => one.total_ps !== undefined);
    const inserted = list.filter((one) => one.inserted).length;
    const all = format.count(list.length);
    element.append(make("p", {}, inserted === 0 ? "The program asks for all of them." : inserted === list.length ? "The partitioner inserted all of them, because of shardings." :
      `The partitioner inserted ${format.count(inserted)} of ${all}, because of shardings; the program asks for the others.`));
    if (timed) element.append(legend([["var(--pr-ici)", "exposed: the core waits"], ["var(--pr-fixed)", "hidden behind other work"]]));
    const columns = [
      {title: "collective", cell: (one) => [make("strong", {}, one.op), make("br"), code(one.name)], sort: (one) => one.op},
      {title: "over", cell: (one) => [one.axes || "groups", make("br"), make("span", {class: "pr-quiet"}, `${format.count(one.groups)} × ${format.count(one.group_size)} chips`)]},
      {title: "shape", cell: (one) => [shape(one.operand), " → ", shape(one.result)]},
      {title: "sent", number: true, cell: (one) => [format.bytes(one.ici_bytes), one.dcn_bytes > 0 ? [make("br"), make("span", {class: "pr-quiet"}, `${format.bytes(one.dcn_bytes)} to other slices`)] : null], sort: (one) => one.ici_bytes + (one.dcn_bytes || 0)},
    ];
    if (list.some((one) => one.alone_ps > 0)) {
      columns.push({title: "busiest link", number: true, cell: (one) => format.bytes(one.link_bytes), sort: (one) => one.link_bytes});
      columns.push({title: "by itself", number: true, cell: (one) => !one.alone_ps ? "–" : format.time(one.alone_ps), sort: (one) => one.alone_ps || 0});
    }
    if (timed) {
      columns.push({title: "runs", number: true, cell: (one) => one.runs === undefined ? "–" : format.count(one.runs)});
      columns.push({title: "exposed", number: true, cell: (one) => one.exposed_ps === undefined ? "–" : format.time(one.exposed_ps), sort: (one) => one.exposed_ps || 0});
      columns.push({title: "hidden", number: true, cell: (one) => one.hidden_ps === undefined ? "–" : format.time(one.hidden_ps), sort: (one) => one.hidden_ps || 0});
      columns.push({title: "hidden behind", cell: (one) => [bar(one, most), one.behind ? code(one.behind) : null]});
    }
    element.append(table("Collectives of a chip, in the order of the program", columns, list, 30, (one) => [
      one.because ? make("p", {}, `Because ${one.because}.`) : null,
      make("p", {class: one.because ? "pr-quiet" : null}, one.why, one.in_loop ? " Once per iteration of a loop." : "", one.source ? [" ", source(one.source)] : null)]));
  }

  PodiumReport.views.push({id: "collectives", title: "Collectives", isThere: () => true, draw});
})();
