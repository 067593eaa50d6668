// What a browser makes of reports: every view there and not empty, by mouse, keyboard and print, at any width.
//
// usage: node browser_test.mjs CHROMIUM BIN ROOT, by browser.py. PODIUM_SCREENSHOTS=FOLDER keeps pictures.
import {execFileSync} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import assert from "node:assert/strict";

const {chromium} = createRequire(join(process.env.PODIUM_BROWSER_FOLDER, "here.js"))("playwright-core");
const [executablePath, bin, root] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "podium-report-"));
const WAIT_MS = 60000;
const VIEWS = ["summary", "timeline", "links", "memory", "collectives", "arrays", "roofline"];
const EVIL = "</script><img src=x onerror=window.hacked=1>";

const module_of = (x, y, name, place) => `module @"${name}" attributes {mhlo.num_partitions = ${x * y} : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=${x}, "y"=${y}]>
  func.func public @main(%a: tensor<2048x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
      %b: tensor<2048x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<2048x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16> loc("${place}":3:4)
    %1 = stablehlo.tanh %0 : tensor<2048x2048xbf16>
    return %1 : tensor<2048x2048xbf16>
  }
}
`;

function report(name, program, ...more) {
  const page = join(folder, `${name}.html`);
  execFileSync(join(bin, "podium"), ["simulate", program, "--quiet", "--report", page, ...more], {timeout: WAIT_MS});
  return page;
}
function written(name, text, ...more) {
  const program = join(folder, `${name}.mlir`);
  writeFileSync(program, text);
  return report(name, program, ...more);
}

const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});

// A page of which any error and any request fails the test.
async function open(path, options) {
  const faults = [];
  const page = await browser.newPage({viewport: {width: 1200, height: 900}, ...options});
  page.setDefaultTimeout(WAIT_MS);
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => { if (!request.url().startsWith(`file://${folder}`)) faults.push(`request: ${request.url()}`); });
  await page.goto(`file://${path}`);
  return {page, faults};
}

async function shoot(page, name) {
  if (process.env.PODIUM_SCREENSHOTS) await page.screenshot({path: join(process.env.PODIUM_SCREENSHOTS, `${name}.png`), fullPage: true});
}

async function check_views(page) {
  for (const view of VIEWS) {
    const text = await page.locator(`#${view} .pr-body`).innerText();
    assert.ok(text.length > 20, `${view} is empty`);
  }
  for (const view of ["timeline", "links", "arrays", "roofline"]) {
    assert.ok(await page.locator(`#${view} svg`).first().locator("rect, line, circle").count() > 2, `nothing is drawn in ${view}`);
  }
  assert.ok(await page.locator("#memory tbody tr").count() > 0);
  assert.ok(await page.locator("#collectives tbody tr").count() > 0);
}

const tests = {
  async "a report of 2x2 has every view"() {
    const {page, faults} = await open(report("small", join(root, "tests/programs/matmul_allgather_overlapped_bidi.4.mlir")));
    await check_views(page);
    assert.equal(await page.locator("#links [data-chip]").count(), 4);
    assert.equal(await page.locator("#links [data-link]").count(), 8);
    await shoot(page, "2x2");
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "a report of 16x16 has every view, and every link of the torus"() {
    const {page, faults} = await open(written("pod", module_of(16, 16, "pod", "a.py"), "--topology", "16x16", "--chip", "v5e"));
    await check_views(page);
    assert.equal(await page.locator("#links [data-chip]").count(), 256);
    assert.equal(await page.locator("#links [data-link]").count(), 1024);
    await shoot(page, "16x16");
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "a torus of three dimensions is drawn plane by plane"() {
    const {page, faults} = await open(written("planes", module_of(8, 8, "planes", "a.py"), "--topology", "4x4x4", "--chip", "v5p"));
    assert.equal(await page.locator("#links figure").count(), 4);
    assert.equal(await page.locator("#links [data-link]").count(), 64 * 6);
    await shoot(page, "4x4x4");
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "the timeline is used by keyboard: choose, zoom, move, all"() {
    const {page, faults} = await open(join(folder, "small.html"));
    const place = page.locator("#timeline .pr-note").first(), details = page.locator("#timeline .pr-details");
    const whole = await place.textContent();
    await page.locator(".pr-timeline").focus();
    await page.keyboard.press("ArrowRight");
    const first = await details.innerText();
    assert.match(first, /On the core from/);
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await details.innerText(), first);
    await page.keyboard.press("ArrowDown");
    assert.match(await details.innerText(), /Under way from .*\n.*(waited|did not wait)/s);
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    const near = await place.textContent();
    assert.match(near, /25% of the step/);
    await page.keyboard.press("Shift+ArrowRight");
    assert.notEqual(await place.textContent(), near);
    await page.keyboard.press("Enter");
    assert.match(await place.textContent(), /of the step/);
    await page.keyboard.press("0");
    assert.equal(await place.textContent(), whole);
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "all that can be used is reached by Tab, and has a name"() {
    const {page, faults} = await open(join(folder, "small.html"));
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, [tabindex], a")]
      .filter((node) => !node.hidden && !(node.textContent.trim() || node.getAttribute("aria-label") || node.labels?.length)).map((node) => node.outerHTML.slice(0, 120)));
    assert.deepEqual(nameless, []);
    const pictures = await page.evaluate(() => [...document.querySelectorAll("svg")].filter((node) => !node.getAttribute("aria-label")).length);
    assert.equal(pictures, 0);
    const reached = new Set();
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement.className?.baseVal ?? document.activeElement.textContent));
    }
    assert.ok(reached.has("pr-timeline"));
    assert.ok(reached.has("Print"));
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "the mouse chooses what it clicks"() {
    const {page, faults} = await open(join(folder, "small.html"));
    await page.locator("#timeline rect[data-row]").nth(3).click();
    assert.match(await page.locator("#timeline .pr-details").innerText(), /On the core from/);
    // The smallest, which others must not cover.
    await page.locator("#roofline circle[data-point]").last().click();
    assert.match(await page.locator("#roofline .pr-details").innerText(), /of the roof there/);
    await page.getByRole("button", {name: "Bytes", exact: true}).click();
    assert.equal(await page.getByRole("button", {name: "Bytes", exact: true}).getAttribute("aria-pressed"), "true");
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "it fits a phone"() {
    const {page, faults} = await open(join(folder, "pod.html"), {viewport: {width: 360, height: 740}, hasTouch: true, isMobile: true});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360);
    await check_views(page);
    await shoot(page, "phone");
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "it is dark where people want it dark, and the button changes that"() {
    const {page, faults} = await open(join(folder, "small.html"), {colorScheme: "dark"});
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await paper();
    assert.equal(dark, "rgb(20, 23, 26)");
    await shoot(page, "dark");
    await page.getByRole("button", {name: "Light"}).click();
    assert.notEqual(await paper(), dark);
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "it prints"() {
    const {page, faults} = await open(join(folder, "small.html"));
    const pdf = await page.pdf({path: join(folder, "small.pdf"), format: "A4"});
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    assert.ok(pdf.length > 20000, `a PDF of ${pdf.length} bytes`);
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "paper is light, also for those whose screen is dark"() {
    const {page, faults} = await open(join(folder, "small.html"), {colorScheme: "dark"});
    const button = page.getByRole("button", {name: "Light"});
    await button.click();
    await page.getByRole("button", {name: "Dark"}).click();
    await page.emulateMedia({media: "print", colorScheme: "dark"});
    const of = (selector, property) => page.evaluate(([s, p]) => getComputedStyle(document.querySelector(s))[p], [selector, property]);
    assert.equal(await of("body", "backgroundColor"), "rgb(255, 255, 255)");
    assert.equal(await of("h1", "color"), "rgb(28, 33, 38)");
    assert.equal(await of(".pr-box", "backgroundColor"), "rgb(255, 255, 255)");
    assert.equal(await of(".pr-nav", "display"), "none");
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "an explanation shows why a collective is there, what hides it, and how each value lies"() {
    const path = join(folder, "why.html");
    execFileSync(join(bin, "podium"), ["explain", join(root, "tests/programs/layerwise_matmul.4.mlir"), "--quiet", "--report", path], {timeout: WAIT_MS});
    const {page, faults} = await open(path);
    await check_views(page);
    assert.match(await page.locator(".pr-kicker").innerText(), /^Explained/);
    const rows = page.locator("#collectives tbody tr.pr-over");
    assert.equal(await rows.count(), 4);
    const text = await page.locator("#collectives").innerText();
    assert.match(text, /Because an argument of @main lies .* and is wanted whole as operand 1 of dot_general/);
    assert.match(text, /hidden behind/);
    assert.match(await rows.nth(1).innerText(), /dot_general\.0/);
    assert.ok(await page.evaluate(() => { const box = document.querySelector("#collectives .pr-scroll"); return box.scrollWidth <= box.clientWidth; }));
    const values = page.locator("#arrays .pr-array", {hasText: "within the program"});
    assert.ok(await values.count() >= 4);
    assert.ok(await values.first().locator("svg rect").count() >= 4);
    await shoot(page, "explain");
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "names out of programs stay text"() {
    const {page, faults} = await open(written("evil", module_of(2, 2, EVIL, EVIL)));
    assert.equal(await page.locator("h1").textContent(), EVIL);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    await page.locator(".pr-timeline").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator("img").count(), 0);
    await page.close();
    assert.deepEqual(faults, []);
  },
  async "4,096 chips stay usable"() {
    const began = Date.now();
    const {page, faults} = await open(written("many", module_of(64, 64, "many", "a.py"), "--chip", "v5p", "--topology", "16x16x16", "--slow", "chip=9:1.5"));
    await check_views(page);
    assert.equal(await page.locator("#links [data-chip]").count(), 4096);
    console.log(`     4,096 chips: ${Date.now() - began} ms to simulate, load and draw`);
    await shoot(page, "16x16x16");
    await page.close();
    assert.deepEqual(faults, []);
  },
};

let failed = 0;
try {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok   ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAIL ${name}\n${error.stack}`);
    }
  }
} finally {
  await browser.close();
  rmSync(folder, {recursive: true});
}
process.exit(failed === 0 ? 0 : 1);
