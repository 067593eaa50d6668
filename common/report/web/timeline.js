// What one chip of a class did, along the time: loops, tasks on the core, collectives and prefetches under way, links. Only
// what is in the window is drawn, and what is narrower than a pixel is drawn together, so that it stays quick.
"use strict";
(() => {
  const {make, svg, format, color, heat, legend, table, ticks, shape, source, tasks} = PodiumReport;
  const DIRECTIONS = ["+x", "−x", "+y", "−y", "+z", "−z", "die", "DCN out", "DCN in"];
  const LEFT = 74, CORE = 34, FLIGHT = 13, LOOP = 9, LINK = 11, LANES_MAX = 8, GAP = 8;

  // Lanes for what overlaps: each goes to the first lane that is free.
  function layOut(items) {
    const ends = [];
    for (const item of items) {
      let lane = ends.findIndex((end) => end <= item.start);
      if (lane < 0) lane = ends.length;
      item.lane = Math.min(lane, LANES_MAX - 1);
      ends[lane] = item.start + item.duration;
    }
    return Math.min(LANES_MAX, ends.length);
  }

  // The rows of a class as items {start, duration, task, kind} by lane.
  function read(report, one) {
    const list = tasks(report), timeline = one.timeline;
    const lanes = {loops: [], core: [], collectives: [], prefetches: [], transfers: []};
    for (const [start, duration, index, count, busy, bound] of timeline.core) {
      const task = index < 0 ? null : list[index];
      const item = {start, duration, task, count, busy, bound: task ? task.bound : bound};
      const isLoop = task && (task.kind === "while" || task.kind === "branch");
      (isLoop ? lanes.loops : lanes.core).push(item);
    }
    for (const [start, duration, index] of timeline.flights) {
      const task = list[index];
      const [lane, bound] = {prefetch: ["prefetches", "DMA"], transfer: ["transfers", "PCIe"]}[task.kind] || ["collectives", "ICI"];
      lanes[lane].push({start, duration, task, bound, isFlight: true});
    }
    return lanes;
  }

  function firstAtOrAfter(items, at) {
    let low = 0, high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (items[middle].start < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const title = (task) => task.name.startsWith(task.op) ? task.name : `${task.name} ${task.op}`;
  const overlap = (a, b) => Math.max(0, Math.min(a.start + a.duration, b.start + b.duration) - Math.max(a.start, b.start));

  const flights = (lanes) => [...lanes.collectives, ...lanes.prefetches, ...lanes.transfers];

  // Why it did or did not overlap, in words.
  function why(lanes, item, list) {
    const kind = item.task.kind;
    if (kind === "collective") {
      return "It did not overlap: the core waits for all of it. It is not split into a start and an end, as nothing that could run meanwhile was found, or it is too short for that.";
    }
    if (kind === "start" || kind === "prefetch" || kind === "transfer") {
      const flight = item.isFlight ? item : flights(lanes).find((one) => one.task === item.task && one.start === item.start);
      if (!flight) return null;
      let hidden = 0, exposed = 0, longest = null, count = 0;
      for (let i = Math.max(0, firstAtOrAfter(lanes.core, flight.start) - 1); i < lanes.core.length && lanes.core[i].start < flight.start + flight.duration; i++) {
        const other = lanes.core[i], shared = overlap(flight, other);
        if (shared === 0 || (other.task === item.task && other.start === flight.start)) continue;
        if (other.task && other.task.index === item.task.partner) { exposed += shared; continue; }
        hidden += shared;
        count += other.count || 1;
        if (other.task && (!longest || other.duration > longest.duration)) longest = other;
      }
      const behind = count === 0 ? "Nothing ran meanwhile" : `${format.time(hidden)} of its ${format.time(flight.duration)} ran behind ${count === 1 && longest ? title(longest.task) : `${format.count(count)} other task${count === 1 ? "" : "s"}${longest ? `, the longest of them ${title(longest.task)} (${format.time(longest.duration)})` : ""}`}`;
      return exposed > 0 ? `${behind}. Then nothing was left that did not need it: the core waited ${format.time(exposed)}.` : `${behind}; the core did not wait for it.`;
    }
    if (kind === "done" || kind === "prefetched" || kind === "transferred") {
      const other = list[item.task.partner];
      return other ? `It takes in what ${title(other)} began${item.task.waiting_ps > 0 ? `, and waited ${format.time(item.task.waiting_ps)} for it over ${format.count(item.task.runs)} run${item.task.runs === 1 ? "" : "s"}` : ", which was there already: nothing was waited for"}.` : null;
    }
    const under = flights(lanes).filter((one) => one.task.kind !== "collective" && overlap(one, item) > 0);
    if (under.length === 0) return "No collective, prefetch or transfer was under way meanwhile.";
    const names = [...new Set(under.map((one) => title(one.task)))];
    return `Meanwhile ${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""} ${names.length === 1 ? "was" : "were"} under way.`;
  }

  function describe(lanes, item, list, times) {
    if (!item.task) {
      return [make("p", {}, make("strong", {}, item.count === 1 ? "A short task" : `${format.count(item.count)} short tasks in a row`)),
        make("p", {}, `From ${format.time(item.start)}, ${format.time(item.duration)} in all, busy ${format.time(item.busy)}, mostly bound by ${item.bound}. They are put together to keep this file small.`)];
    }
    const task = item.task, rate = item.duration > 0 && task.flop > 0 ? `, ${format.rate(task.flop / (item.duration * 1e-12), "FLOP/s")}` : "";
    const sizes = [task.flop > 0 && `${format.rate(task.flop, "FLOP")}${rate}`, task.hbm_bytes > 0 && `${format.bytes(task.hbm_bytes)} of HBM traffic`,
      task.ici_bytes > 0 && `${format.bytes(task.ici_bytes / Math.max(1, task.runs))} sent`].filter(Boolean);
    return [
      make("p", {}, make("strong", {}, title(task)), " ", shape(task.shape), task.source ? [" at ", source(task.source)] : " (no source line)"),
      make("p", {}, `${item.isFlight && task.kind !== "collective" ? "Under way" : "On the core"} from ${format.time(item.start)}, for ${format.time(item.duration)} (${format.share(item.duration / Math.max(1, times.step_ps))} of the step); bound by ${item.isFlight ? item.bound : task.bound}.`,
        sizes.length > 0 ? ` ${sizes.join(", ")}.` : "", task.runs > 1 ? ` It runs ${format.count(task.runs)} times, ${format.time(task.duration_ps)} in all.` : ""),
      why(lanes, item, list) ? make("p", {}, why(lanes, item, list)) : null,
    ].filter(Boolean);
  }

  function draw(element, report) {
    const times = report.times, list = tasks(report);
    const shown = times.classes.map((one, index) => ({one, index})).filter(({one}) => one.timeline);
    let current = shown.find(({index}) => index === times.slowest) || shown[0];
    let lanes, laneCounts, from, to, chosen = null, chosenLane = "core", pieces = [];
    const id = `timeline-${Math.random().toString(36).slice(2)}`;
    const picture = svg("svg", {class: "pr-timeline", tabindex: "0", role: "application", "aria-label": "Timeline of a chip", "aria-describedby": `${id}-keys`});
    const details = make("div", {class: "pr-details", "aria-live": "polite"});
    const place = make("p", {class: "pr-note", "aria-live": "polite"});

    const width = () => Math.max(280, picture.parentElement ? picture.parentElement.clientWidth - 20 : 900);
    const kept = () => lanes.core.reduce((end, item) => Math.max(end, item.start + item.duration), 0);
    const step = () => Math.max(1, times.step_ps);
    const clampWindow = (a, b) => {
      const span = Math.max(Math.min(b - a, step()), Math.max(100, step() * 1e-7));
      from = Math.max(0, Math.min(a, step() - span));
      to = from + span;
    };

    function rectangle(group, item, x, y, w, height, fill) {
      const node = svg("rect", {x: x.toFixed(2), y, width: Math.max(0.6, w).toFixed(2), height, rx: w > 6 ? 2 : 0, style: {fill}, "data-row": pieces.length, class: item === chosen ? "pr-on" : null});
      pieces.push(item);
      group.append(node);
      if (w > 44 && height >= 13 && item.task) {
        const room = Math.floor((w - 8) / 6.3), text = title(item.task);
        group.append(svg("text", {x: x + 4, y: y + height / 2, "dominant-baseline": "central", class: ["HBM", "VPU", "fixed"].includes(item.bound) ? "pr-in pr-dark" : "pr-in"}, text.length > room ? `${text.slice(0, Math.max(1, room - 1))}…` : text));
      }
    }

    // The items of a lane within the window; what is narrower than a pixel is left to the first one there.
    function drawLane(group, items, y, height, scale, fill) {
      let done = -1, i = Math.max(0, firstAtOrAfter(items, from) - 64);
      while (i > 0 && items[i - 1].start + items[i - 1].duration > from && items === lanes.loops) i--;
      for (; i < items.length && items[i].start < to; i++) {
        const item = items[i], end = item.start + item.duration;
        if (end < from) continue;
        const x1 = LEFT + Math.max(0, (item.start - from) * scale), x2 = LEFT + (Math.min(to, end) - from) * scale;
        const offset = item.lane ? item.lane * (height + 2) : 0;
        if (x2 - x1 < 0.7 && Math.floor(x1) === done && !item.lane && item !== chosen) continue;
        done = Math.floor(x1);
        // What is narrow takes its pixel, so that many of them make an area.
        if (x2 - x1 < 1) rectangle(group, item, done, y + offset, 1, height, fill(item));
        else rectangle(group, item, x1, y + offset, x2 - x1, height, fill(item));
      }
    }

    function label(group, y, text) {
      group.append(svg("text", {x: LEFT - 8, y, "text-anchor": "end", "dominant-baseline": "central", class: "pr-quiet"}, text));
    }

    function drawLinks(group, links, y, scale) {
      const bins = 240, size = step() / bins;
      let row = 0;
      links.forEach((values, direction) => {
        if (!values) return;
        label(group, y + row * (LINK + 2) + LINK / 2, row === 0 ? `links ${DIRECTIONS[direction]}` : DIRECTIONS[direction]);
        values.forEach((value, i) => {
          const x1 = LEFT + (Math.max(from, i * size) - from) * scale, x2 = LEFT + (Math.min(to, (i + 1) * size) - from) * scale;
          if (value > 0 && x2 > x1) group.append(svg("rect", {x: x1.toFixed(2), y: y + row * (LINK + 2), width: (x2 - x1 + 0.3).toFixed(2), height: LINK, "shape-rendering": "crispEdges", style: {fill: heat(value / 100)}}, svg("title", {}, `${DIRECTIONS[direction]}: busy ${value}%`)));
        });
        row++;
      });
      return y + row * (LINK + 2);
    }

    function redraw() {
      const w = width(), scale = (w - LEFT - 6) / (to - from);
      pieces = [];
      const group = svg("g"), axis = svg("g");
      let y = 24;
      for (const at of ticks(from, to, Math.max(2, (w - LEFT) / 110))) {
        const x = LEFT + (at - from) * scale;
        axis.append(svg("line", {x1: x, x2: x, y1: 18, y2: 4000, class: "pr-rule"}), svg("text", {x, y: 11, "text-anchor": "middle", class: "pr-quiet"}, format.time(Math.round(at))));
      }
      if (lanes.loops.length > 0) {
        label(group, y + LOOP / 2, "loops");
        drawLane(group, lanes.loops, y, LOOP, scale, () => "var(--pr-line)");
        y += laneCounts.loops * (LOOP + 2) + GAP;
      }
      label(group, y + CORE / 2, "core");
      drawLane(group, lanes.core, y, CORE, scale, (item) => color(item.bound));
      y += CORE + GAP;
      for (const [name, text] of [["collectives", "collectives"], ["prefetches", "prefetches"], ["transfers", "host memory"]]) {
        if (lanes[name].length === 0) continue;
        label(group, y + FLIGHT / 2, text);
        drawLane(group, lanes[name], y, FLIGHT, scale, (item) => color(item.bound));
        y += laneCounts[name] * (FLIGHT + 2) + GAP;
      }
      if (current.one.timeline.links.some(Boolean)) y = drawLinks(group, current.one.timeline.links, y, scale) + 4;
      for (const line of axis.querySelectorAll("line")) line.setAttribute("y2", y);
      picture.setAttribute("viewBox", `0 0 ${w} ${y + 2}`);
      picture.setAttribute("width", w);
      picture.setAttribute("height", y + 2);
      picture.replaceChildren(axis, group);
      place.textContent = to - from >= step() * 0.999 ? `The whole step of ${format.time(step())}.` : `From ${format.time(Math.round(from))} to ${format.time(Math.round(to))}, ${format.share((to - from) / step())} of the step.`;
      if (current.one.timeline.events_dropped > 0) place.textContent += ` The pod did not keep what comes after ${format.time(kept())}.`;
    }

    function choose(item, lane) {
      chosen = item;
      chosenLane = lane || chosenLane;
      details.replaceChildren(...(item ? describe(lanes, item, list, times) : [make("p", {class: "pr-quiet"}, "Choose something in the timeline to read what it is, where it was written, and why it did or did not overlap.")]));
      if (item && (item.start + item.duration < from || item.start > to)) clampWindow(item.start - (to - from) / 3, item.start + 2 * (to - from) / 3);
      redraw();
    }

    function zoom(factor, around) {
      const at = around ?? (chosen && chosen.start + chosen.duration >= from && chosen.start <= to ? Math.max(from, Math.min(to, chosen.start + chosen.duration / 2)) : (from + to) / 2);
      clampWindow(at - (at - from) * factor, at + (to - at) * factor);
      redraw();
    }
    function pan(share) {
      clampWindow(from + share * (to - from), to + share * (to - from));
      redraw();
    }
    const all = () => { clampWindow(0, step()); redraw(); };
    function move(by) {
      const items = lanes[chosenLane];
      if (items.length === 0) return;
      const at = chosen ? items.indexOf(chosen) + by : firstAtOrAfter(items, from);
      choose(items[Math.max(0, Math.min(items.length - 1, at))], chosenLane);
    }
    function moveLane(by) {
      const names = Object.keys(lanes).filter((name) => lanes[name].length > 0);
      const next = names[Math.max(0, Math.min(names.length - 1, names.indexOf(chosenLane) + by))];
      const around = chosen ? chosen.start : from, items = lanes[next];
      choose(items[Math.min(items.length - 1, firstAtOrAfter(items, around))], next);
    }

    picture.addEventListener("keydown", (event) => {
      const keys = {
        "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": all, Escape: () => choose(null),
        ArrowRight: () => event.shiftKey ? pan(0.25) : move(1), ArrowLeft: () => event.shiftKey ? pan(-0.25) : move(-1),
        ArrowDown: () => moveLane(1), ArrowUp: () => moveLane(-1),
        Home: () => choose(lanes[chosenLane][0]), End: () => choose(lanes[chosenLane][lanes[chosenLane].length - 1]),
        Enter: () => { if (chosen) { clampWindow(chosen.start - chosen.duration * 0.5, chosen.start + chosen.duration * 1.5); redraw(); } },
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    picture.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const x = event.clientX - picture.getBoundingClientRect().left;
      zoom(event.deltaY > 0 ? 1.25 : 0.8, from + Math.max(0, x - LEFT) / (width() - LEFT - 6) * (to - from));
    }, {passive: false});
    let drag = null;
    picture.addEventListener("pointerdown", (event) => { drag = {x: event.clientX, from, moved: false}; });
    picture.addEventListener("pointermove", (event) => {
      if (!drag || event.buttons === 0) return;
      const by = (drag.x - event.clientX) / (width() - LEFT - 6) * (to - from);
      if (!drag.moved && Math.abs(event.clientX - drag.x) < 4) return;
      drag.moved = true;
      picture.classList.add("pr-drags");
      clampWindow(drag.from + by, drag.from + by + (to - from));
      redraw();
    });
    const end = (event) => {
      if (drag && !drag.moved && event.target instanceof Element) {
        const row = event.target.getAttribute("data-row");
        if (row !== null) {
          const item = pieces[Number(row)];
          choose(item, Object.keys(lanes).find((name) => lanes[name].includes(item)));
        }
      }
      drag = null;
      picture.classList.remove("pr-drags");
    };
    picture.addEventListener("pointerup", end);
    picture.addEventListener("pointerleave", () => { drag = null; picture.classList.remove("pr-drags"); });
    picture.addEventListener("dblclick", (event) => {
      const x = event.clientX - picture.getBoundingClientRect().left;
      zoom(0.4, from + Math.max(0, x - LEFT) / (width() - LEFT - 6) * (to - from));
    });

    function take(entry) {
      current = entry;
      lanes = read(report, entry.one);
      laneCounts = {loops: Math.max(1, layOut(lanes.loops)), collectives: Math.max(1, layOut(lanes.collectives)), prefetches: Math.max(1, layOut(lanes.prefetches)), transfers: Math.max(1, layOut(lanes.transfers))};
      chosen = null;
      chosenLane = "core";
      clampWindow(0, entry.one.timeline.events_dropped > 0 ? kept() : step());
      choose(null);
    }

    const name = ({one, index}) => `chip ${one.representative}${one.chips > 1 ? ` and ${format.count(one.chips - 1)} like it` : ""}${index === times.slowest && times.classes.length > 1 ? one.chips > 1 ? ", which end last" : ", which ends last" : ""}`;
    const select = make("select", {id: `${id}-class`, on: {change() { take(shown[Number(select.value)]); }}}, shown.map((entry, i) => make("option", {value: i, selected: entry === current}, name(entry))));
    const button = (text, says, click) => make("button", {type: "button", "aria-label": says, title: says, on: {click}}, text);
    element.append(
      make("div", {class: "pr-tools"},
        shown.length > 1 ? [make("label", {for: `${id}-class`}, "Chips"), select] : make("span", {class: "pr-quiet"}, name(shown[0])),
        button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)), button("←", "Earlier", () => pan(-0.5)), button("→", "Later", () => pan(0.5)), button("All", "Show the whole step", all)),
      make("p", {class: "pr-hidden", id: `${id}-keys`}, "Keys: left and right choose tasks, up and down lanes, plus and minus zoom, shift with left and right moves along, enter zooms to what is chosen, 0 shows all."),
      make("div", {class: "pr-box"}, picture), place, details,
      legend([...PodiumReport.bounds.map((bound) => [color(bound), `${PodiumReport.isQueue(bound) ? "waits for " : ""}${bound}`])]),
      make("p", {class: "pr-note pr-keys"}, "Click a task, or reach the timeline by Tab: ← → choose, ↑ ↓ change lanes, + − zoom, Shift ← → move along, Enter zooms to the choice, 0 shows all. Ctrl with the wheel zooms, dragging moves."));
    take(current);
    let last = 0;
    new ResizeObserver(() => { if (width() !== last) { last = width(); redraw(); } }).observe(picture.parentElement);
    window.addEventListener("beforeprint", redraw);

    const rows = list.filter((task) => task.runs > 0 && task.duration_ps > 0 && task.kind !== "while" && task.kind !== "branch").sort((a, b) => b.duration_ps - a.duration_ps);
    element.append(make("details", {}, make("summary", {}, "The tasks as a table"), table("Tasks of the chip that ends last, the longest first", [
      {title: "task", cell: (task) => title(task)},
      {title: "source", cell: (task) => source(task.source)},
      {title: "bound", cell: (task) => task.bound, sort: (task) => task.bound},
      {title: "runs", number: true, cell: (task) => format.count(task.runs), sort: (task) => task.runs},
      {title: "time", number: true, cell: (task) => format.time(task.duration_ps), sort: (task) => task.duration_ps},
      {title: "waiting", number: true, cell: (task) => format.time(task.waiting_ps), sort: (task) => task.waiting_ps},
      {title: "FLOP", number: true, cell: (task) => task.flop > 0 ? format.rate(task.flop * task.runs, "") : "–", sort: (task) => task.flop * task.runs},
      {title: "HBM", number: true, cell: (task) => format.bytes(task.hbm_bytes * task.runs), sort: (task) => task.hbm_bytes * task.runs},
    ], rows, 30)));
  }

  PodiumReport.views.push({id: "timeline", title: "Timeline", isThere: (report) => Boolean(report.times && report.times.classes.some((one) => one.timeline)), draw});
})();
