// What is listed: executions, jobs, losses, chips; and one job with its report.
"use strict";
(() => {
  const {make, format} = PodiumReport;
  const {STATES, DIRECTIONS, coordsOf, isUp, rateOf, rateText, setText} = PodiumPage;

  const pad = (n) => String(n).padStart(2, "0");
  function duration(ms) {
    const s = Math.max(0, ms / 1000);
    if (s < 10) return `${s.toFixed(1)} s`;
    if (s < 60) return `${Math.floor(s)} s`;
    if (s < 3600) return `${Math.floor(s / 60)} min ${pad(Math.floor(s % 60))} s`;
    if (s < 86400) return `${Math.floor(s / 3600)} h ${pad(Math.floor(s / 60) % 60)} min`;
    return `${Math.floor(s / 86400)} d ${Math.floor(s / 3600) % 24} h`;
  }
  const ago = (us) => (Date.now() - us / 1000 < 2000 ? "just now" : `${duration(Date.now() - us / 1000)} ago`);
  const clock = (us) => new Date(us / 1000).toLocaleString(undefined, {dateStyle: "medium", timeStyle: "medium"});
  const time = (us) => make("time", {datetime: new Date(us / 1000).toISOString(), title: clock(us), "data-ago": us}, ago(us));

  // A table whose rows are kept by their key, so that what has the focus keeps it. Columns: {title, number, cell(item) → text
  // or nodes, and same(item): what it depends on}.
  class Table {
    constructor(element, caption, columns, empty, name) {
      this.columns = columns;
      this.rows = new Map();
      this.body = make("tbody", {});
      this.empty = make("p", {class: "empty"}, make("strong", {}, empty[0]), empty[1]);
      this.table = make("div", {class: "wide panel", tabindex: "-1"}, make("table", {class: `cards ${name || ""}`}, make("caption", {class: "hidden"}, caption),
        make("thead", {}, make("tr", {}, columns.map((column) => make("th", {scope: "col", class: column.number ? "number" : null}, column.title)))), this.body));
      element.replaceChildren(this.empty, this.table);
    }

    update(items, keyOf) {
      this.empty.hidden = items.length > 0;
      this.table.hidden = items.length === 0;
      const seen = new Set();
      let before = null;
      for (const item of items) {
        const key = String(keyOf(item));
        seen.add(key);
        let row = this.rows.get(key);
        if (!row) {
          row = {node: make("tr", {}), cells: this.columns.map((column) => make("td", {"data-label": column.title, class: column.number ? "number" : null})), same: []};
          row.node.append(...row.cells);
          this.rows.set(key, row);
        }
        this.columns.forEach((column, i) => {
          const same = String(column.same ? column.same(item) : column.cell(item));
          if (row.same[i] === same) return;
          row.same[i] = same;
          row.cells[i].replaceChildren(...[column.cell(item)].flat());
        });
        const next = before ? before.nextSibling : this.body.firstChild;
        if (next !== row.node) this.body.insertBefore(row.node, next);
        before = row.node;
      }
      for (const [key, row] of this.rows) {
        if (!seen.has(key)) {
          row.node.remove();
          this.rows.delete(key);
        }
      }
    }
  }

  const SIGNS = {queued: ["…", "quiet"], running: ["▸", "now"], succeeded: ["✓", "good"], failed: ["✕", "bad"], cancelled: ["–", "quiet"]};
  const stateOf = (state) => {
    const [sign, kind] = SIGNS[state] || ["?", "quiet"];
    return make("span", {class: "state", "data-sign": sign, "data-kind": kind}, state);
  };

  // "running 3 of 8" has a share, "compiling" has none.
  function progressOf(job) {
    if (job.state === "queued") return [job.waits_for || (job.position > 0 ? `behind ${job.position}` : "next")];
    if (job.state !== "running") return [job.message || (job.state === "succeeded" ? "done" : "")];
    const said = /(\d+) of (\d+)/.exec(job.progress), share = said && Number(said[2]) > 0 ? Math.min(1, Number(said[1]) / Number(said[2])) : null;
    const bar = make("div", {class: share === null ? "bar endless" : "bar", role: "progressbar", "aria-label": `Progress of job ${job.id}`, "aria-valuetext": job.progress || "begins"}, make("div", {}));
    if (share !== null) {
      bar.setAttribute("aria-valuenow", Math.round(100 * share));
      bar.firstChild.style.setProperty("width", `${100 * share}%`);
    }
    return [job.progress || "begins", bar];
  }
  const tookOf = (job) => (job.started_us === 0 ? "" : job.ended_us > 0 ? duration((job.ended_us - job.started_us) / 1000) : make("span", {"data-since": job.started_us}, duration(Date.now() - job.started_us / 1000)));
  const nameOf = (job) => job.name || `job ${job.id}`;

  const jobColumns = [
    {title: "Job", same: (job) => `${job.id} ${job.name}`, cell: (job) => make("a", {href: `#job/${job.id}`}, `${job.id} ${job.name}`.trim())},
    {title: "State", same: (job) => job.state, cell: (job) => stateOf(job.state)},
    {title: "Progress", same: (job) => [job.state, job.progress, job.waits_for, job.message, job.position].join("|"), cell: (job) => make("div", {}, progressOf(job))},
    {title: "Slice", cell: (job) => job.slice || `${job.device_count} chips`},
    {title: "Of", cell: (job) => job.principal},
    {title: "Priority", number: true, cell: (job) => String(job.priority)},
    {title: "Took", number: true, same: (job) => `${job.started_us} ${job.ended_us}`, cell: tookOf},
    {title: "Submitted", number: true, same: (job) => job.submitted_us, cell: (job) => time(job.submitted_us)},
  ];
  const workColumns = [
    {title: "Program", cell: (one) => one.program},
    {title: "Of", cell: (one) => one.principal},
    {title: "Client", cell: (one) => one.client},
    {title: "Chips", number: true, cell: (one) => (one.chips === 1 ? `chip ${one.first_chip}` : String(one.chips))},
    {title: "Since the call", number: true, same: (one) => one.since_us, cell: (one) => make("span", {"data-since": one.since_us}, duration(Date.now() - one.since_us / 1000))},
  ];
  // "chip 5 (1,1,0) at 127.0.0.1:4711: why"
  const reasonOf = (loss) => (loss.kind === "chip" ? loss.why.replace(/^chip \d+ \([\d,]+\)( at \S+)?: /, "") : loss.why);
  const lossColumns = (pod) => [
    {title: "When", same: (loss) => loss.at_us, cell: (loss) => make("div", {}, make("div", {class: "line"}, clock(loss.at_us)), make("div", {class: "quiet"}, time(loss.at_us)))},
    {title: "What", cell: (loss) => (loss.kind === "link" ? `link ${loss.chip} – ${loss.neighbour}` : `chip ${loss.chip} (${coordsOf(pod, loss.chip).join(",")})`)},
    {title: "Why", cell: (loss) => reasonOf(loss)},
    {title: "Now", same: (loss) => loss.back_us, cell: (loss) => (loss.back_us > 0 ? make("span", {class: "state", "data-sign": "✓", "data-kind": "good"}, `back after ${duration((loss.back_us - loss.at_us) / 1000)}`) : make("span", {class: "state", "data-sign": "✕", "data-kind": "bad"}, "gone"))},
  ];
  const chipColumns = (pod, state, jobs, choose) => [
    {title: "Chip", same: (chip) => chip, cell: (chip) => make("button", {type: "button", "aria-label": `Chip ${chip}`, on: {click: () => choose(chip)}}, String(chip))},
    {title: "Place", cell: (chip) => coordsOf(pod, chip).join(", ")},
    {title: "State", cell: (chip) => STATES[state().states[chip]] + (state().busy[chip] === "1" ? ", computing" : "")},
    {title: "Job", number: true, cell: (chip) => (jobs().has(chip) ? String(jobs().get(chip)) : "–")},
    {title: "HBM in use", number: true, cell: (chip) => format.bytes(state().hbm[chip])},
    {title: "Links up", number: true, cell: (chip) => String(DIRECTIONS.filter((_, d) => isUp(state(), chip, d)).length)},
    {title: "Sends", number: true, cell: (chip) => rateText(DIRECTIONS.reduce((sum, _, d) => sum + rateOf(state(), chip, d), 0))},
  ];

  function facts(pairs) {
    return make("dl", {}, pairs.filter((pair) => pair && pair[1] !== "" && pair[1] !== null).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, ...[value].flat())]));
  }

  // One job; its report is fetched when it has one.
  class JobView {
    constructor(heading, element, report, cancel, mayCancel) {
      Object.assign(this, {heading, element, report, cancel, mayCancel, shown: "", reported: 0});
    }

    // Asked twice: what has run is lost.
    askToCancel(job) {
      const id = this.mayCancel && job && job.ended_us === 0 ? job.id : 0;
      if (this.cancel.dataset.job === String(id)) return;
      this.cancel.dataset.job = id;
      this.offerCancel(id);
    }

    offerCancel(id) {
      this.cancel.replaceChildren(id === 0 ? "" : make("button", {type: "button", id: "cancel-ask", on: {click: () => this.confirmCancel(id)}}, "Cancel this job"));
    }

    confirmCancel(id) {
      const sure = make("button", {type: "button", id: "cancel-sure", on: {click: () => this.sendCancel(id)}}, `Cancel job ${id}`);
      const keep = make("button", {type: "button", on: {click: () => {
        this.offerCancel(id);
        this.cancel.firstChild.focus();
      }}}, "Keep it");
      this.cancel.replaceChildren(make("span", {}, "What it has done is lost. "), sure, " ", keep);
      sure.focus();
    }

    async sendCancel(id) {
      const say = (text) => this.cancel.replaceChildren(make("span", {role: "status"}, text));
      say("It is being cancelled …");
      try {
        const answer = await fetch(`/api/cancel/${id}`, {method: "POST", headers: {"X-Podium-Page": "1"}});
        if (!answer.ok) say(`It was not cancelled: ${await answer.text()}`);
      } catch (error) {
        say(`It was not cancelled: ${error.message}`);
      }
    }

    update(id, jobs) {
      const job = jobs.list.find((one) => one.id === id);
      const same = `${id} ${JSON.stringify(job)}`;
      if (same === this.shown) return;
      this.shown = same;
      this.askToCancel(job);
      if (!job) {
        setText(this.heading, `Job ${id}`);
        this.element.replaceChildren(make("p", {class: "empty"}, make("strong", {}, "There is no such job here"), "It may be another's, or older than what the page lists."));
        this.report.replaceChildren();
        this.reported = 0;
        return;
      }
      setText(this.heading, `Job ${job.id} ${job.name}`.trim());
      this.element.replaceChildren(make("div", {class: "panel"}, make("p", {}, stateOf(job.state)), make("div", {}, progressOf(job)), facts([
        ["Submitted", [clock(job.submitted_us), " by ", job.principal]],
        ["Slice", job.slice || `${job.device_count} chips`],
        job.chips.length > 0 && ["Chips", job.chips.join(", ")],
        job.started_us > 0 && ["Started", clock(job.started_us)],
        job.ended_us > 0 && ["Ended", clock(job.ended_us)],
        job.started_us > 0 && ["Took", tookOf(job)],
        ["Priority", String(job.priority)],
        job.attempts > 1 && ["Attempts", `${job.attempts}`],
      ])));
      if (job.has_report && this.reported !== id) this.fetchReport(id);
      else if (!job.has_report) this.report.replaceChildren(job.ended_us > 0 ? make("p", {class: "quiet"}, "It has no report.") : make("p", {class: "quiet"}, "Its timeline is drawn here when it has finished."));
    }

    async fetchReport(id) {
      this.reported = id;
      this.report.replaceChildren(make("p", {class: "quiet", role: "status"}, "The report is being read …"));
      try {
        const response = await fetch(`/api/report/${id}`);
        if (!response.ok) throw new Error(await response.text());
        const report = await response.json();
        if (this.reported !== id) return;
        const drawn = make("div", {class: "podium-report"});
        this.report.replaceChildren(drawn);
        PodiumReport.draw(drawn, report);
      } catch (error) {
        this.reported = 0;
        this.report.replaceChildren(make("p", {class: "notice"}, `The report cannot be shown: ${error.message}`));
      }
    }
  }

  function refreshTimes(root) {
    for (const node of root.querySelectorAll("[data-since]")) setText(node, duration(Date.now() - Number(node.dataset.since) / 1000));
    for (const node of root.querySelectorAll("[data-ago]")) setText(node, ago(Number(node.dataset.ago)));
  }

  Object.assign(PodiumPage, {Table, JobView, reasonOf, jobColumns, workColumns, lossColumns, chipColumns, facts, duration, clock, nameOf, refreshTimes});
})();
