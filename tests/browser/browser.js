// What the tests of pages share: a pod, a browser, and checks that hold for any page.
"use strict";
const assert = require("node:assert");
const {spawn, execFileSync} = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const {createRequire} = require("node:module");
const installed = createRequire(path.join(process.env.PODIUM_BROWSER_FOLDER, "here.js"));
const {chromium} = installed("playwright-core");
const executablePath = process.argv[2];

const shots = path.join(process.env.PODIUM_BROWSER_FOLDER, "shots");
fs.mkdirSync(shots, {recursive: true});
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what, check, ms = 30000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value) return value;
    assert(Date.now() < end, `within ${ms} ms: ${what}`);
    await pause(20);
  }
}

const TOKENS = {administer: "a".repeat(32), read: "r".repeat(32), run: "u".repeat(32)};

// A coordinator with a page and a worker for each chip, on ports that the kernel chooses; in a folder that goes with them.
class Pod {
  constructor(bin, chip, topology, count) {
    Object.assign(this, {bin, chip, topology, count, children: [], workers: []});
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "podium-browser-"));
    fs.writeFileSync(this.file("tokens"), Object.entries(TOKENS).map(([role, token]) => `${role} ${role}er ${token}\n`).join(""), {mode: 0o600});
  }

  file(name) {
    return path.join(this.folder, name);
  }

  spawn(name, ...args) {
    const log = fs.openSync(this.file(`${name}.log`), "w");
    const child = spawn(path.join(this.bin, `podium-${name.replace(/-\d+$/, "")}`), args, {stdio: ["ignore", "ignore", log], env: {...process.env, XDG_RUNTIME_DIR: this.folder}});
    fs.closeSync(log);
    this.children.push(child);
    return child;
  }

  async startCoordinator(listen = "127.0.0.1:0", pageListen = "127.0.0.1:0") {
    fs.rmSync(this.file("port"), {force: true});
    this.coordinator = this.spawn("coordinator", "--chip", this.chip, "--topology", this.topology, "--listen", listen, "--page-listen", pageListen,
      "--tokens-file", this.file("tokens"), "--port-file", this.file("port"), "--jobs", this.file("jobs"));
    const log = () => fs.readFileSync(this.file("coordinator.log"), "utf8");
    const found = await until(`the coordinator serves its page: ${log()}`, () => /the page is at (\S+)/.exec(log()));
    this.url = found[1];
    this.address = fs.readFileSync(this.file("port"), "utf8").trim();
  }

  startWorker(index) {
    this.workers[index] = this.spawn(`worker-${index}`, "--coordinator", this.address);
  }

  async start() {
    await this.startCoordinator();
    for (let i = 0; i < this.count; i++) this.startWorker(i);
  }

  podium(...args) {
    return execFileSync(path.join(this.bin, "podium"), args, {encoding: "utf8", env: {...process.env, XDG_RUNTIME_DIR: this.folder, PODIUM_POD: this.address}});
  }

  link(role) {
    return `${this.url}?token=${TOKENS[role]}`;
  }

  async stop() {
    for (const child of this.children) if (child.exitCode === null) child.kill("SIGKILL");
    await until("the daemons end", () => this.children.every((child) => child.exitCode !== null || child.signalCode !== null));
    fs.rmSync(this.folder, {recursive: true, force: true});
  }
}

// A page that watches itself: what it asked for elsewhere, and what it complained about.
async function open(browser, url, options = {}) {
  const context = await browser.newContext({viewport: {width: 1360, height: 860}, ...options});
  const page = await context.newPage();
  const origin = new URL(url).origin;
  page.troubles = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) page.troubles.push(`asked for ${request.url()}`);
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.troubles.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => page.troubles.push(`thrown: ${error.message}`));
  page.answer = await page.goto(url);
  return page;
}

async function checkAccessible(page, name) {
  // Into the page's own world by the debugger: a script element would be refused, as it should be.
  await page.evaluate(fs.readFileSync(installed.resolve("axe-core/axe.min.js"), "utf8"));
  const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ["violations"]}));
  const said = violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  assert.deepStrictEqual(said, [], `axe on ${name}`);
}

const shot = (page, name) => page.screenshot({path: path.join(shots, `${name}.png`), fullPage: true});

// Without letters, in small shades of grey: what stays the same whatever the fonts.
async function shades(page, locator, width, height) {
  const hidden = await page.addStyleTag({content: ""}).catch(() => null);
  await hidden?.evaluate((node) => node.remove());
  const png = (await locator.screenshot({animations: "disabled"})).toString("base64");
  return page.evaluate(async ([data, w, h]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), {width: w, height: h});
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, w, h);
    const {data: pixels} = context.getImageData(0, 0, w, h);
    return Array.from({length: w * h}, (_, i) => Math.round((pixels[4 * i] + pixels[4 * i + 1] + pixels[4 * i + 2]) / 3));
  }, [png, width, height]);
}

// Runs the tests by name, all of them, and says how they went.
async function runAll(tests, world) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(world);
      console.log(`ok      ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  return failed;
}

const launch = () => chromium.launch({executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"]});

module.exports = {Pod, TOKENS, open, until, pause, checkAccessible, shot, shades, runAll, launch};
