// The torus, live: chips that can be chosen, links with their load; and the same as a table. Elements are made once and
// changed afterwards, so that focus and choice stay where they are.
"use strict";
window.PodiumPage = {};
(() => {
  const {make, svg, format} = PodiumReport;
  const CELL = 100, BOX = 54;
  const DIRECTIONS = ["+x", "−x", "+y", "−y", "+z", "−z"];
  const STATES = {m: "missing", j: "joining", r: "ready", d: "leaving", l: "lost"};
  const LEAST_SCALE = 1 << 20;  // Of bytes a second: what is less than this is next to nothing.

  const coordsOf = (pod, chip) => [chip % pod.size[0], Math.floor(chip / pod.size[0]) % pod.size[1], Math.floor(chip / (pod.size[0] * pod.size[1]))];
  const chipAt = (pod, at) => at[0] + pod.size[0] * (at[1] + pod.size[1] * at[2]);

  // An axis of two has one link; a ring is closed where the torus wraps.
  function neighbour(pod, chip, direction) {
    const at = coordsOf(pod, chip), axis = direction >> 1, size = pod.size[axis], step = direction % 2 === 0 ? 1 : -1;
    const to = at[axis] + step;
    if (to < 0 || to >= size) {
      if (!pod.wraps[axis] || size <= 2) return -1;
    }
    at[axis] = (to + size) % size;
    return chipAt(pod, at);
  }

  const rateText = (bytes) => `${format.bytes(bytes)}/s`;
  const heat = (share) => {
    const at = Math.max(0, Math.min(1, share)) * 4, low = Math.min(3, Math.floor(at));
    return `color-mix(in oklab, var(--pr-heat-${low}), var(--pr-heat-${low + 1}) ${((at - low) * 100).toFixed(0)}%)`;
  };
  const setAttribute = (node, name, value) => {
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  };
  const setText = (node, text) => {
    if (node.textContent !== text) node.textContent = text;
  };

  // The stroke of a link, to the right of who drives along it; a link that closes a ring is a stub at the rim.
  function stroke(pod, chip, direction) {
    const [x, y] = coordsOf(pod, chip), aside = BOX * 0.2, from = BOX / 2 + 7, isRim = [x === pod.size[0] - 1, x === 0, y === pod.size[1] - 1, y === 0][direction];
    const to = isRim ? BOX / 2 + 28 : CELL - BOX / 2 - 7, cx = (x + 0.5) * CELL, cy = (y + 0.5) * CELL;
    return [
      [cx + from, cy + aside, cx + to, cy + aside], [cx - from, cy - aside, cx - to, cy - aside],
      [cx - aside, cy + from, cx - aside, cy + to], [cx + aside, cy - from, cx + aside, cy - to],
    ][direction];
  }

  function drawLink(pod, chip, direction) {
    const title = svg("title", {});
    if (direction < 4) {
      const [x1, y1, x2, y2] = stroke(pod, chip, direction);
      return {node: svg("line", {x1, y1, x2, y2, class: "link"}, title), title, paints: "stroke"};
    }
    const [x, y] = coordsOf(pod, chip), half = BOX / 2 + 5, sign = direction === 4 ? 1 : -1, cx = (x + 0.5) * CELL, cy = (y + 0.5) * CELL;
    const points = `${cx + sign * half},${cy - sign * half} ${cx + sign * half},${cy - sign * (half - 24)} ${cx + sign * (half - 24)},${cy - sign * half}`;
    return {node: svg("polygon", {points, class: "corner"}, title), title, paints: "fill"};
  }

  function drawChip(pod, chip) {
    const [x, y] = coordsOf(pod, chip), left = (x + 0.5) * CELL - BOX / 2, top = (y + 0.5) * CELL - BOX / 2, rx = 10;
    const level = svg("rect", {x: left + 2, width: BOX - 4, y: top + BOX, height: 0, rx: 7, class: "level"});
    const sub = svg("text", {x: left + BOX / 2, y: top + BOX / 2 + 18, class: "sub"});
    const sign = svg("path", {d: "", class: "sign"});
    const node = svg("g", {class: "chip", role: "option", tabindex: "-1", "aria-selected": "false", "data-chip": chip},
      svg("rect", {x: left - 6, y: top - 6, width: BOX + 12, height: BOX + 12, rx: 15, class: "ring"}),
      svg("rect", {x: left, y: top, width: BOX, height: BOX, rx, class: "box"}), level,
      svg("circle", {cx: left + BOX - 10, cy: top + 10, r: 4.5, class: "dot"}), svg("rect", {x: left + 6, y: top + 6, width: 8, height: 8, rx: 2, class: "tag"}),
      sign);
    const label = svg("text", {x: left + BOX / 2, y: top + BOX / 2 + 4}, chip);
    return {node, level, label, sub, sign, left, top};
  }

  class Torus {
    constructor(element, pod, onChoose) {
      this.pod = pod;
      this.chips = [];
      this.links = [];
      this.chosen = -1;
      this.scale = LEAST_SCALE;
      this.onChoose = onChoose;
      const [nx, ny, nz] = pod.size;
      const root = make("div", {class: nx > 12 ? "planes dense" : "planes", role: "listbox", "aria-label": "Chips; the arrow keys go along the links", "aria-orientation": "horizontal"});
      for (let z = 0; z < nz; z++) root.append(this.plane(z));
      root.addEventListener("keydown", (event) => this.key(event));
      root.addEventListener("click", (event) => {
        const node = event.target.closest("[data-chip]");
        if (node) this.choose(Number(node.dataset.chip), true);
      });
      element.replaceChildren(root);
      this.chips[0].node.setAttribute("tabindex", "0");
    }

    plane(z) {
      const {pod} = this, [nx, ny, nz] = pod.size, rings = pod.wraps[0] || pod.wraps[1];
      const margin = rings ? 12 : -8, width = nx * CELL + 2 * margin, height = ny * CELL + 2 * margin;  // Stubs of rings need room.
      const lines = svg("g", {"aria-hidden": "true"}), labels = svg("g", {"aria-hidden": "true", class: "labels"}), boxes = svg("g", {role: "presentation"});
      for (let y = 0; y < ny; y++) {
        for (let x = 0; x < nx; x++) {
          const chip = chipAt(pod, [x, y, z]);
          this.chips[chip] = drawChip(pod, chip);
          for (let direction = 0; direction < 6; direction++) {
            const to = neighbour(pod, chip, direction);
            if (to < 0) continue;
            const link = drawLink(pod, chip, direction);
            lines.append(link.node);
            this.links.push({...link, chip, direction, to});
          }
          boxes.append(this.chips[chip].node);
          labels.append(this.chips[chip].label, this.chips[chip].sub);
        }
      }
      const drawing = svg("svg", {viewBox: `${-margin} ${-margin} ${width} ${height}`, role: "presentation"}, lines, boxes, labels);
      const figure = make("div", {class: "plane", role: "presentation"}, drawing);
      figure.style.setProperty("width", nz > 1 ? `min(100%, ${Math.max(220, Math.min(420, nx * 70))}px)` : `min(100%, ${Math.max(300, Math.min(940, nx * 148))}px)`);
      if (nz > 1) figure.append(make("p", {class: "quiet", "aria-hidden": "true"}, `plane z = ${z}`));
      return figure;
    }

    key(event) {
      const now = Number(event.target.closest("[data-chip]")?.dataset.chip ?? -1);
      const direction = {ArrowRight: 0, ArrowLeft: 1, ArrowDown: 2, ArrowUp: 3, PageDown: 4, PageUp: 5}[event.key];
      if (now < 0) return;
      let to = -1;
      if (direction !== undefined) to = neighbour(this.pod, now, direction);
      else if (event.key === "Home") to = 0;
      else if (event.key === "End") to = this.chips.length - 1;
      else if (event.key !== "Enter" && event.key !== " ") return;
      else to = now;
      event.preventDefault();
      if (to >= 0) this.choose(to, true);
    }

    choose(chip, withFocus) {
      const before = this.chips[this.chosen] || this.chips[0];
      before.node.setAttribute("tabindex", "-1");
      before.node.setAttribute("aria-selected", "false");
      this.chosen = chip;
      const {node} = this.chips[chip];
      node.setAttribute("tabindex", "0");
      node.setAttribute("aria-selected", "true");
      if (withFocus) node.focus({preventScroll: false});
      this.onChoose(chip);
    }

    // `jobs`: by chip, the job that has it.
    update(state, jobs) {
      const {pod} = this, most = Math.max(0, ...state.rate);
      this.scale = Math.max(LEAST_SCALE, most, this.scale * 0.9);
      this.chips.forEach((drawn, chip) => {
        const letter = state.states[chip], share = Math.min(1, state.hbm[chip] / pod.hbm_bytes), height = share > 0 ? Math.max(3, share * (BOX - 4)) : 0;
        setAttribute(drawn.node, "data-state", letter);
        setAttribute(drawn.node, "data-busy", state.busy[chip]);
        if (jobs.has(chip)) setAttribute(drawn.node, "data-job", String(jobs.get(chip)));
        else drawn.node.removeAttribute("data-job");
        setAttribute(drawn.level, "y", (drawn.top + BOX - 2 - height).toFixed(1));
        setAttribute(drawn.level, "height", height.toFixed(1));
        const gone = letter === "l" || letter === "m", sub = gone ? STATES[letter] : share >= 0.005 ? `${(100 * share).toFixed(0)}%` : "";
        setText(drawn.sub, letter === "j" || letter === "d" ? STATES[letter] : sub);
        setAttribute(drawn.sign, "d", letter === "l" ? `M${drawn.left + 6} ${drawn.top + 6}l9 9m0 -9l-9 9` : "");
        setAttribute(drawn.node, "aria-label", describe(pod, state, chip, jobs));
      });
      for (const link of this.links) {
        const up = isUp(state, link.chip, link.direction), rate = rateOf(state, link.chip, link.direction);
        setAttribute(link.node, "data-up", up ? "1" : "0");
        link.node.style.setProperty(link.paints, up ? heat(rate / this.scale) : "");
        setText(link.title, `chip ${link.chip} → chip ${link.to} (${DIRECTIONS[link.direction]}): ${up ? rateText(rate) : "down"}`);
      }
    }
  }

  const isUp = (state, chip, direction) => Boolean((parseInt(state.up.substr(2 * chip, 2), 16) >> direction) & 1);
  const rateOf = (state, chip, direction) => direction < state.directions ? state.rate[chip * state.directions + direction] : 0;

  function describe(pod, state, chip, jobs) {
    const letter = state.states[chip], words = [`chip ${chip} at ${coordsOf(pod, chip).join(", ")}`, STATES[letter]];
    if (letter !== "m" && letter !== "l") words.push(`HBM ${format.bytes(state.hbm[chip])} of ${format.bytes(pod.hbm_bytes)}`);
    if (state.busy[chip] === "1") words.push("computing");
    if (jobs.has(chip)) words.push(`job ${jobs.get(chip)}`);
    return words.join(", ");
  }

  function drawKey(element, scaleText) {
    const sample = (state, busy, ...more) => svg("svg", {viewBox: "20 20 60 60", "aria-hidden": "true"},
      svg("g", {class: "chip", "data-state": state, "data-busy": busy}, svg("rect", {x: 23, y: 23, width: BOX, height: BOX, rx: 10, class: "box"}), ...more));
    element.replaceChildren(
      make("span", {}, sample("r", "0", svg("rect", {x: 25, y: 50, width: BOX - 4, height: 25, rx: 6, class: "level"})), "HBM in use"),
      make("span", {}, sample("r", "1", svg("circle", {cx: 67, cy: 33, r: 4.5, class: "dot"})), "computing"),
      make("span", {}, sample("l", "0", svg("path", {d: "M30 30l14 14m0 -14l-14 14", class: "sign"})), "lost"),
      make("span", {}, sample("m", "0"), "missing"),
      make("span", {}, "link: 0 ", make("i", {class: "scale", "aria-hidden": "true"}), scaleText, " each way"));
  }

  Object.assign(PodiumPage, {Torus, DIRECTIONS, STATES, coordsOf, neighbour, isUp, rateOf, rateText, drawKey, setText, setAttribute});
})();
