// Events in, views out: one stream of server-sent events, and what it says to whom.
"use strict";
(() => {
  const {make, svg, format} = PodiumReport;
  const page = PodiumPage, {setText, STATES, DIRECTIONS, rateText} = page;
  const at = (id) => document.getElementById(id);
  const VIEWS = ["pod", "work", "jobs", "losses"];
  const HISTORY = 120, RETRY_MS_MIN = 1000, RETRY_MS_MAX = 15000, CHIP_MS = 2000;

  const now = {pod: null, state: null, work: null, jobs: {counts: {}, older: 0, list: []}, lost: null, jobOfChip: new Map(), history: []};
  let torus = null, tables = {}, jobView = null, view = "pod", jobShown = 0, chipAsked = 0;

  // --- Which view ---

  function route(isFirst) {
    const [name, argument] = location.hash.slice(1).split("/");
    jobShown = name === "job" ? Number(argument) : 0;
    view = name === "job" ? "job" : VIEWS.includes(name) ? name : "pod";
    for (const section of document.querySelectorAll(".view")) section.hidden = section.id !== `view-${view}`;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.dataset.view === (view === "job" ? "jobs" : view)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const heading = document.querySelector(`#view-${view} h2`);
    document.title = `${heading.textContent} · Podium`;
    if (!isFirst) {
      window.scrollTo(0, 0);
      at("main").focus({preventScroll: true});
    }
    if (view === "job" && jobView) jobView.update(jobShown, now.jobs);
  }

  // --- The pod ---

  const count = (text, letter) => text.split(letter).length - 1;

  function spark(values) {
    const most = Math.max(...values, 1), step = 100 / (HISTORY - 1), from = 100 - (values.length - 1) * step;
    const points = values.map((value, i) => `${(from + i * step).toFixed(1)},${(38 - 34 * value / most).toFixed(1)}`);
    return svg("svg", {viewBox: "0 0 100 40", preserveAspectRatio: "none", "aria-hidden": "true"}, svg("path", {d: `M${points.join("L")}L101,42L${from},42Z`}));
  }

  const shown = {};
  function tile(name, value, more, options = {}) {
    const {bar, line, state} = options, key = `${value}|${more}|${bar}|${line}|${state}`;
    if (shown[name] && shown[name].key === key) return;
    const node = make("li", {class: "tile", "data-state": state || null, "data-name": name}, make("p", {class: "name"}, name), make("p", {class: "value"}, value), make("p", {class: "more"}, more || "\u00a0"));
    if (bar !== undefined) {
      const inner = make("div", {});
      inner.style.setProperty("width", `${(100 * bar).toFixed(1)}%`);
      node.append(make("div", {class: "bar", "aria-hidden": "true"}, inner));
    }
    if (line) node.append(spark(line));
    if (shown[name]) shown[name].node.replaceWith(node);
    else at("tiles").append(node);
    shown[name] = {node, key};
  }

  function drawTiles() {
    const {pod, state, work, jobs, lost} = now;
    if (!state || !work || !lost) return;
    const chips = state.states.length, ready = count(state.states, "r"), used = state.hbm.reduce((sum, bytes) => sum + bytes, 0);
    let links = 0, up = 0;
    for (const link of torus.links) {
      links += 0.5;
      up += page.isUp(state, link.chip, link.direction) ? 0.5 : 0;
    }
    tile("Chips", make("span", {}, `${ready} `, make("small", {}, `of ${chips} ready`)), `${count(state.busy, "1")} computing`, {state: ready < chips ? "bad" : ""});
    tile("Links", make("span", {}, `${up} `, make("small", {}, `of ${links} up`)), "between neighbours", {state: up < links ? "bad" : ""});
    tile("HBM in use", format.bytes(used), `of ${format.bytes(pod.hbm_bytes * chips)}`, {bar: used / (pod.hbm_bytes * chips)});
    tile("Over all links", rateText(state.rate.reduce((sum, bytes) => sum + bytes, 0)), "", {line: now.history.length > 1 ? now.history : null});
    tile("Executions", make("span", {}, `${work.running} `, make("small", {}, "running")), `${work.waiting} waiting, ${work.sessions} sessions`);
    tile("Jobs", make("span", {}, `${jobs.counts.running || 0} `, make("small", {}, "running")), `${jobs.counts.queued || 0} queued`);
    tile("Lost so far", String(lost.count), lost.list.length > 0 ? `last at ${new Date(lost.list[0].at_us / 1000).toLocaleTimeString()}` : "nothing since the start", {state: lost.list.some((loss) => !loss.back_us) ? "bad" : ""});
  }

  function drawAlarm() {
    const gone = now.lost ? now.lost.list.filter((loss, i, all) => !loss.back_us && all.findIndex((other) => other.kind === loss.kind && other.chip === loss.chip) === i) : [];
    at("alarm").hidden = gone.length === 0;
    if (gone.length === 0) return;
    const what = (loss) => (loss.kind === "chip" ? `chip ${loss.chip}` : `the link ${loss.chip} – ${loss.neighbour}`);
    at("alarm").replaceChildren(make("strong", {}, `Lost: ${gone.slice(0, 8).map(what).join(", ")}${gone.length > 8 ? ` and ${gone.length - 8} more` : ""}. `), page.reasonOf(gone[0]), ". ", make("a", {href: "#losses"}, "All losses"));
  }

  async function showChip(chip) {
    const asked = ++chipAsked;
    try {
      const response = await fetch(`/api/chip/${chip}`);
      if (!response.ok || asked !== chipAsked) return;
      const one = await response.json();
      setText(at("chip-title"), `Chip ${one.chip}`);
      const rows = one.links.map((link, d) => link && make("tr", {}, make("th", {scope: "row"}, DIRECTIONS[d]), make("td", {}, `chip ${link.to}`), make("td", {}, link.up ? "up" : "down"), make("td", {class: "number"}, rateText(link.rate)), make("td", {class: "number"}, format.bytes(link.sent_bytes))));
      at("chip-body").replaceChildren(page.facts([
        ["Place", one.coords.join(", ")], ["State", one.state], ["Host", `process ${one.process}`],
        now.jobOfChip.has(chip) && ["Job", make("a", {href: `#job/${now.jobOfChip.get(chip)}`}, String(now.jobOfChip.get(chip)))],
        ["HBM in use", one.pid > 0 ? `${format.bytes(one.hbm_used_bytes)} of ${format.bytes(now.pod.hbm_bytes)}` : ""],
        ["Worker", one.address ? [make("code", {}, one.address), `, pid ${one.pid}`] : ""], ["Version", one.version], ["Lost", one.reason],
      ]), make("table", {class: "small"}, make("caption", {}, "What it sends over its links"), make("thead", {}, make("tr", {}, ["Link", "To", "Now", "Rate", "In all"].map((title, i) => make("th", {scope: "col", class: i > 2 ? "number" : null}, title)))), make("tbody", {}, rows.filter(Boolean))));
    } catch {
      // The stream tells of a coordinator that is gone.
    }
  }

  function onPod(state) {
    const of = (one) => one && torus.chosen >= 0 && one.states[torus.chosen];
    const hasChanged = of(now.state) && of(now.state) !== of(state);
    now.state = state;
    if (hasChanged) showChip(torus.chosen);
    now.history.push(state.rate.reduce((sum, bytes) => sum + bytes, 0));
    now.history.splice(0, now.history.length - HISTORY);
    drawPod();
  }

  function drawPod() {
    const {pod, state} = now;
    if (!pod || !state) return;
    torus.update(state, now.jobOfChip);
    page.drawKey(at("key"), rateText(torus.scale));
    if (!at("chips").hidden) tables.chips.update(state.states.split("").map((_, chip) => chip), (chip) => chip);
    const ready = count(state.states, "r");
    setText(at("subtitle"), `${state.draining ? "going down" : state.ready ? "ready" : `not ready: ${ready} of ${state.states.length} chips`}`);
    drawTiles();
  }

  // --- What is told ---

  function onLost(lost) {
    const before = now.lost;
    now.lost = lost;
    tables.losses.update(lost.list, (loss) => loss.id);
    drawAlarm();
    drawTiles();
    if (!before) return;
    const known = new Set(before.list.map((loss) => loss.id)), gone = new Map(before.list.map((loss) => [loss.id, loss.back_us]));
    const words = lost.list.filter((loss) => !known.has(loss.id)).map((loss) => `Lost ${loss.why}`);
    for (const loss of lost.list) if (loss.back_us && gone.get(loss.id) === 0) words.push(loss.kind === "chip" ? `Chip ${loss.chip} is back` : `The link ${loss.chip} – ${loss.neighbour} is back`);
    if (words.length > 0) setText(at("announce"), words.slice(0, 4).join(". "));
  }

  function onJobs(jobs) {
    const before = new Map(now.jobs.list.map((job) => [job.id, job.state]));
    now.jobs = jobs;
    now.jobOfChip = new Map(jobs.list.flatMap((job) => (job.state === "running" ? job.chips.map((chip) => [chip, job.id]) : [])));
    tables.jobs.update(jobs.list, (job) => job.id);
    if (view === "job") jobView.update(jobShown, jobs);
    const ended = jobs.list.filter((job) => before.has(job.id) && before.get(job.id) !== job.state && job.ended_us > 0);
    if (ended.length > 0) setText(at("announce"), ended.slice(0, 4).map((job) => `${page.nameOf(job)} has ${job.state === "cancelled" ? "been cancelled" : job.state}`).join(". "));
    drawPod();
    drawTiles();
  }

  function onWork(work) {
    now.work = work;
    tables.work.update(work.list, (one) => one.id);
    drawTiles();
  }

  // --- The stream ---

  let source = null, pause = RETRY_MS_MIN;
  function setLive(state, text) {
    at("live").dataset.state = state;
    setText(at("live"), text);
  }

  async function again() {
    try {
      const response = await fetch("/api/pod.json");
      if (response.status === 401 || response.status === 403) {
        setLive("waiting", "signed out");
        at("ended").hidden = false;
        at("ended").replaceChildren("Your session of this page is over: the coordinator was started anew, or your token was taken back. Open the link that ", make("code", {}, "podium status"), " shows.");
        return;
      }
      if (response.ok) {
        const pod = await response.json();
        if (pod.id !== now.pod.id) location.reload();
        connect();
        return;
      }
    } catch {
      // Not there yet.
    }
    pause = Math.min(RETRY_MS_MAX, pause * 1.6);
    setTimeout(again, pause);
  }

  function connect() {
    if (source) source.close();
    source = new EventSource("/events");
    source.addEventListener("open", () => {
      pause = RETRY_MS_MIN;
      setLive("live", "live");
    });
    source.addEventListener("error", () => {
      source.close();
      setLive("waiting", "reconnecting …");
      setTimeout(again, pause);
    });
    for (const [name, take] of [["pod", onPod], ["lost", onLost], ["work", onWork], ["jobs", onJobs]]) {
      source.addEventListener(name, (event) => take(JSON.parse(event.data)));
    }
  }

  // --- The frame ---

  function setTheme(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    setText(at("theme"), `Theme: ${theme}`);
    try {
      localStorage.setItem("podium-theme", theme);
    } catch {
      // It is then forgotten with the page.
    }
  }

  function themeBefore() {
    try {
      return localStorage.getItem("podium-theme") || "system";
    } catch {
      return "system";
    }
  }

  function showAs(isTable) {
    at("as-drawing").setAttribute("aria-pressed", String(!isTable));
    at("as-table").setAttribute("aria-pressed", String(isTable));
    at("torus").hidden = at("key").hidden = isTable;
    at("chips").hidden = !isTable;
    drawPod();
  }

  async function begin() {
    let theme = themeBefore();
    setTheme(theme);
    at("theme").addEventListener("click", () => {
      theme = {system: "light", light: "dark", dark: "system"}[theme] || "system";
      setTheme(theme);
    });
    document.body.classList.add("podium-page");
    const pod = await (await fetch("/api/pod.json")).json();
    now.pod = pod;
    setText(at("title"), `Podium · ${pod.topology} ${pod.kind}`);
    setText(at("subtitle"), pod.device_kind);
    setText(at("who"), `You are ${pod.you || "not named"}${pod.may_administer ? "" : pod.may_run ? ", and see your own work" : ", and see the pod"}`);
    setText(at("version"), `Podium ${pod.version} · ${pod.id}`);
    torus = new page.Torus(at("torus"), pod, showChip);
    const whose = pod.may_run ? "What runs is listed here while it runs." : "Your role sees how much goes on, and not what.";
    tables = {
      work: new page.Table(at("work"), "Executions that the chips have been given", page.workColumns, ["Nothing of yours runs", whose]),
      jobs: new page.Table(at("jobs"), "Jobs, the newest first", page.jobColumns, ["No jobs", pod.may_run ? "podium submit PROGRAM puts one here." : whose]),
      losses: new page.Table(at("losses"), "Losses, the newest first", page.lossColumns(pod), ["Nothing was lost", "since the coordinator was started."]),
      chips: new page.Table(at("chips"), "Chips", page.chipColumns(pod, () => now.state, () => now.jobOfChip, (chip) => torus.choose(chip, false)), ["No chips", ""]),
    };
    jobView = new page.JobView(at("heading-job"), at("job"), at("report"), at("cancel"), pod.may_run);
    at("as-drawing").addEventListener("click", () => showAs(false));
    at("as-table").addEventListener("click", () => showAs(true));
    // A report's own links lead within it; the address stays the job's.
    at("report").addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']"), target = link && at(link.getAttribute("href").slice(1));
      if (!link) return;
      event.preventDefault();
      if (target) {
        target.scrollIntoView();
        target.setAttribute("tabindex", "-1");
        target.focus({preventScroll: true});
      }
    });
    window.addEventListener("hashchange", () => route(false));
    route(true);
    torus.choose(0, false);
    connect();
    setInterval(() => page.refreshTimes(document), 1000);
    setInterval(() => torus.chosen >= 0 && view === "pod" && !document.hidden && showChip(torus.chosen), CHIP_MS);
  }

  begin().catch((error) => {
    setLive("waiting", "not connected");
    at("ended").hidden = false;
    setText(at("ended"), `The page cannot be shown: ${error.message}`);
  });
})();
