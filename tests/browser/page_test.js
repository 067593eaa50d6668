// The coordinator's page in a real browser.
//
// usage: node page_test.js CHROMIUM BIN SOURCE, by tests/report/browser.py
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const {Pod, TOKENS, open, until, checkAccessible, shot, shades, runAll, launch} = require("./browser.js");

const [bin, source] = process.argv.slice(3);
const VIEWS = ["pod", "work", "jobs", "losses"];
const LOST_MS = 2000;
// Counts to its argument.
const TURNS = `module @turns {
  func.func public @main(%arg0: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.while(%i = %zero) : tensor<i32> cond {
      %c = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n : tensor<i32>
    }
    return %0 : tensor<i32>
  }
}
`;
const text = (page, selector) => page.locator(selector).innerText();
const ready = (page) => page.waitForFunction(() => document.getElementById("live").dataset.state === "live" && document.querySelector("#torus [data-state=r]"));
const enter = async (world, role = "administer", options = {}) => {
  const page = await open(world.browser, world.pod.link(role), options);
  await ready(page);
  return page;
};
const leave = async (page) => {
  assert.deepStrictEqual(page.troubles, []);
  await page.context().close();
};

const tests = {
  async "who is not known is told how to be"({browser, pod}) {
    for (const url of [pod.url, `${pod.url}?token=${"x".repeat(40)}`]) {
      const page = await open(browser, url);
      assert.strictEqual(page.answer.status(), 401);
      assert.match(await text(page, "main"), /podium status/);
      await checkAccessible(page, "the refusal");
      assert.deepStrictEqual(page.troubles.filter((one) => !one.includes("401")), []);
      await page.context().close();
    }
  },

  async "a token becomes a cookie that no script sees, and leaves the address"(world) {
    const page = await enter(world);
    assert.strictEqual(page.url(), world.pod.url);
    const [cookie] = await page.context().cookies();
    assert(cookie.httpOnly && cookie.sameSite === "Strict" && !cookie.value.includes(TOKENS.administer));
    assert.strictEqual(await page.evaluate(() => document.cookie), "");
    await page.reload();
    await ready(page);
    await leave(page);
  },

  async "all chips become ready before one's eyes"(world) {
    const page = await enter(world);
    await page.waitForFunction((count) => document.querySelectorAll("#torus .chip[data-state=r]").length === count, world.pod.count);
    assert.match(await text(page, "[data-name=Chips]"), /8\s+of 8 ready/);
    assert.match(await text(page, "[data-name=Links]"), /10\s+of 10 up/);
    await leave(page);
  },

  async "every view opens, and a screen reader can tell all of it"(world) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await enter(world, "administer", {colorScheme});
      for (const view of VIEWS) {
        await page.click(`nav a[data-view=${view}]`);
        await page.waitForSelector(`#view-${view}:not([hidden]) h2`, {state: "attached"});
        assert.strictEqual(await page.locator(".view:not([hidden])").count(), 1);
        assert.strictEqual(await page.getAttribute(`nav a[data-view=${view}]`, "aria-current"), "page");
        await checkAccessible(page, `${view}, ${colorScheme}`);
        await shot(page, `${view}-${colorScheme}`);
      }
      await page.click("nav a[data-view=pod]");
      await page.click("#as-table");
      await page.waitForSelector("#chips tbody tr");
      assert.strictEqual(await page.locator("#chips tbody tr").count(), world.pod.count);
      await checkAccessible(page, `the table, ${colorScheme}`);
      await leave(page);
    }
  },

  async "the drawing looks as it did"(world) {
    const page = await enter(world);
    await page.waitForFunction((count) => document.querySelectorAll("#torus .chip[data-state=r]").length === count, world.pod.count);
    await page.evaluate(() => document.querySelectorAll("#torus text, #torus .level").forEach((node) => node.style.setProperty("visibility", "hidden")));
    const seen = await shades(page, page.locator("#torus svg"), 48, 27), file = path.join(__dirname, "torus.json");
    if (process.env.POD_UPDATE_GOLDEN) fs.writeFileSync(file, `${JSON.stringify(seen)}\n`);
    const expected = JSON.parse(fs.readFileSync(file, "utf8"));
    const off = seen.map((shade, i) => Math.abs(shade - expected[i])), mean = off.reduce((sum, one) => sum + one, 0) / off.length;
    assert(mean < 3, `shades differ by ${mean.toFixed(2)} in the mean; build/browser/shots shows what is drawn`);
    await leave(page);
  },

  async "it is used by the keyboard alone"(world) {
    const page = await enter(world), focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.dataset.view || document.activeElement.dataset.chip || document.activeElement.className);
    const seen = [];
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      seen.push(await focused());
    }
    assert.deepStrictEqual(seen.slice(0, 9), ["skip", ...VIEWS, "theme", "as-drawing", "as-table", "0"]);
    await page.locator(".chip[data-chip='0']").focus();
    for (const [key, chip] of [["ArrowRight", 1], ["ArrowDown", 5], ["ArrowLeft", 4], ["ArrowLeft", 4], ["End", 7], ["Home", 0]]) {
      await page.keyboard.press(key);
      assert.strictEqual(await focused(), String(chip), key);
      assert.strictEqual(await page.getAttribute(`.chip[data-chip='${chip}']`, "aria-selected"), "true");
    }
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.getElementById("chip-title").textContent === "Chip 1");
    assert.match(await page.getAttribute(".chip[data-chip='1']", "aria-label"), /^chip 1 at 1, 0, 0, ready, HBM .* of 15\.8/);
    await page.locator("nav a[data-view=losses]").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#view-losses:not([hidden])");
    assert.strictEqual(await focused(), "main");
    await leave(page);
  },

  async "it fits a phone"(world) {
    const page = await enter(world, "administer", {viewport: {width: 360, height: 740}, deviceScaleFactor: 2, isMobile: true, hasTouch: true});
    for (const view of VIEWS) {
      await page.tap(`nav a[data-view=${view}]`);
      await page.waitForSelector(`#view-${view}:not([hidden])`);
      const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert(wide <= screen, `${view}: ${wide} px on a screen of ${screen}`);
      await shot(page, `${view}-phone`);
    }
    await page.tap("nav a[data-view=pod]");
    await page.tap(".chip[data-chip='6']");
    await page.waitForFunction(() => document.getElementById("chip-title").textContent === "Chip 6");
    await leave(page);
  },

  async "who asks for less motion sees none"(world) {
    const page = await enter(world, "administer", {reducedMotion: "reduce"});
    assert.strictEqual(await page.evaluate(() => getComputedStyle(document.querySelector(".link")).transitionDuration), "0s");
    await leave(page);
  },

  async "bytes on links are seen"(world) {
    const page = await enter(world);
    const run = world.pod.podium("run", path.join(source, "tests/programs/square_matmul.2x2.mlir"));
    assert.match(run, /result/);
    await page.waitForFunction(() => document.querySelector("#chip-body")?.textContent.includes("KiB"), null, {timeout: 20000});
    await leave(page);
  },

  async "a job is seen from its submission to its report"(world) {
    const page = await enter(world);
    await page.click("nav a[data-view=jobs]");
    const id = world.pod.podium("submit", "-q", "--profile", path.join(source, "tests/programs/square_matmul.2x2.mlir")).trim().match(/\d+/)[0];
    await page.waitForSelector(`#jobs a[href='#job/${id}']`);
    await page.waitForFunction(() => /succeeded/.test(document.getElementById("jobs").textContent), null, {timeout: 60000});
    await checkAccessible(page, "jobs");
    await shot(page, "jobs-light");
    await page.click(`#jobs a[href='#job/${id}']`);
    await page.waitForSelector("#job .state");
    await page.waitForSelector("#report .podium-report svg", {timeout: 20000});
    await shot(page, "job-light");
    const link = page.locator("#report a[href^='#']").nth(1);
    await link.click();  // Within the report: the view stays.
    assert.strictEqual(new URL(page.url()).hash, `#job/${id}`);
    assert(await page.isVisible("#view-job"));
    await leave(page);
  },

  async "a job is cancelled from the page, when one says so twice"(world) {
    const page = await enter(world), program = path.join(world.pod.folder, "turns.mlir");
    fs.writeFileSync(program, TURNS);
    const submit = () => world.pod.podium("submit", "-q", "-i", "0=const:2000000000", program).trim().match(/\d+/)[0];
    const id = submit();
    await page.goto(`${world.pod.url}#job/${id}`);
    await page.waitForFunction(() => /running/.test(document.getElementById("job").textContent));
    await page.click("#cancel-ask");
    assert.strictEqual(await page.evaluate(() => document.activeElement.id), "cancel-sure");
    await checkAccessible(page, "the question");
    await shot(page, "cancel-light");
    await page.getByRole("button", {name: "Keep it"}).click();
    assert.strictEqual(await page.evaluate(() => document.activeElement.id), "cancel-ask");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /cancelled/.test(document.querySelector("#job .state").textContent), null, {timeout: 20000});
    await page.waitForFunction(() => document.getElementById("cancel").textContent.trim() === "");
    assert.match(world.pod.podium("jobs", "--json"), /cancelled by token administer/);
    // It ends by another hand while one is asked.
    const other = submit();
    await page.goto(`${world.pod.url}#job/${other}`);
    await page.click("#cancel-ask");
    world.pod.podium("cancel", other);
    await page.waitForFunction(() => document.getElementById("cancel").textContent.trim() === "");
    await leave(page);
    const reader = await enter(world, "read");
    await reader.goto(`${world.pod.url}#job/${id}`);
    await reader.waitForSelector("#job .empty");
    assert.strictEqual((await text(reader, "#cancel")).trim(), "");
    await leave(reader);
  },

  async "roles see what is theirs"(world) {
    for (const [role, sees] of [["read", false], ["run", false], ["administer", true]]) {
      const page = await enter(world, role);
      await page.click("nav a[data-view=jobs]");
      await page.waitForFunction(() => document.querySelector("[data-name=Jobs]"));
      assert.strictEqual(await page.locator("#jobs tbody tr").count() > 0, sees, role);
      const answer = await page.evaluate(async () => (await fetch("/api/report/1")).status);
      assert.strictEqual(answer, {read: 403, run: 404, administer: 200}[role]);
      page.troubles = page.troubles.filter((one) => !/40[34]/.test(one));
      await leave(page);
    }
  },

  async "a chip that is killed is told within two seconds, and so is its return"(world) {
    const page = await enter(world);
    await page.evaluate(() => {
      window.said = [];
      new MutationObserver(() => window.said.push(document.getElementById("announce").textContent)).observe(document.getElementById("announce"), {childList: true, characterData: true, subtree: true});
    });
    const begun = Date.now();
    world.pod.workers[3].kill("SIGKILL");
    await page.waitForSelector("#alarm:not([hidden])", {timeout: LOST_MS});
    console.log(`        a loss is seen after ${Date.now() - begun} ms`);
    const lost = (await text(page, "#alarm")).match(/chip (\d+)/)[1];
    assert.strictEqual(await page.getAttribute(`.chip[data-chip='${lost}']`, "data-state"), "l");
    assert.match((await page.evaluate(() => window.said)).join(), new RegExp(`Lost chip ${lost} `));
    await checkAccessible(page, "a loss");
    await shot(page, "lost-light");
    await page.click("nav a[data-view=losses]");
    assert.match(await text(page, "#losses tbody"), new RegExp(`chip ${lost} .*gone`, "s"));
    world.pod.startWorker(3);
    await page.waitForFunction(() => /back after/.test(document.getElementById("losses").textContent), null, {timeout: 30000});
    await page.waitForSelector("#alarm", {state: "hidden"});
    await leave(page);
  },

  async "a coordinator that was away is found again, and asks who one is"(world) {
    const {pod} = world, page = await enter(world), [address, url] = [pod.address, new URL(pod.url).host];
    pod.coordinator.kill("SIGKILL");
    await page.waitForFunction(() => document.getElementById("live").textContent.startsWith("reconnecting"));
    await pod.startCoordinator(address, url);
    await page.waitForSelector("#ended:not([hidden])", {timeout: 60000});
    assert.match(await text(page, "#ended"), /podium status/);
    page.troubles = page.troubles.filter((one) => !/ERR_|401/.test(one));
    await leave(page);
  },
};

(async () => {
  const pod = new Pod(bin, "v5e", "4x2", 8);
  const browser = await launch();
  let failed = 1;
  try {
    await pod.start();
    failed = await runAll(tests, {pod, browser});
  } finally {
    await browser.close();
    await pod.stop();
  }
  process.exit(failed > 0 ? 1 : 0);
})();
