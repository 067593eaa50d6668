#!/usr/bin/env python3
"""Runs JAX's own test files on a pod, and says what passed, what failed, and for which reasons.

Usage: suite.py CHECKOUT FILE… [--backend pod|cpu] [--jobs N] [-k TEXT] [--timeout SECONDS] [--cases N] [--json FILE]
                [--baseline FILE] [--failed-in FILE] [--minutes N] [--failures N]
                [--logs FOLDER]

CHECKOUT is a work tree of jax-ml/jax at the version that requirements.txt pins; FILE a file of its tests folder, such as lax_test
or lax_test.py. Run it by the environment's Python (environment.py run). Tests that JAX does not run on TPUs it skips itself, since
the devices say that they are TPUs.

Each file is run by N processes, each with a pod of its own (PODIUM_CHIP, PODIUM_TOPOLOGY: backend.py). A test that takes
longer than --timeout is killed with its process, and a crash ends a process; another one goes on behind that test. --cases is
how many of the generated cases of a test JAX tries (its own number is 10). --json keeps every test's outcome, and --baseline takes
such a file, usually of `--backend cpu`, and shows what fails here and not there; --failed-in takes one and runs only what failed in
it. The exit status is 1 when a test fails that does not in the baseline.
"""
import argparse
import collections
import json
import os
import pathlib
import queue
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time

import backend

WORKER = pathlib.Path(__file__).resolve().parent / "suite_worker.py"
LOAD_TIMEOUT_S = 180  # From the start of a process to its first test: JAX's import, the pod, and the making of cases.
OUTCOMES = ("passed", "failed", "crashed", "timed out", "skipped")
BAD = ("failed", "crashed", "timed out")
GIVE_UP = 8  # So many tests in a row that crash or take too long: the others would as well.


def normalised(reason):
    """The first line of a reason that says something, without what differs from case to case."""
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    if not lines:
        return "no reason"
    line = lines[0]
    if re.fullmatch(r"\w*:?", line) and len(lines) > 1:  # "AssertionError:", and what was asserted behind it.
        line = f"{line} {lines[1]}"
    if line.startswith("AssertionError: Not equal to tolerance"):
        line = "AssertionError: Not equal to tolerance" + ("; " + lines[1] if len(lines) > 1 and "ismatch" not in lines[1] else "")
    line = re.sub(r"(?:\S*:|-:|<\w+>:)\d+:\d+:?", "AT:", line)
    line = re.sub(r"tensor<[^>]*>", "tensor<…>", line)
    line = re.sub(r"\b(bf16|[fsuic]\d+|pred|bool|u?int\d+|float\d+|complex\d+|bfloat16)\[[^\]]*\]", r"\1[…]", line)
    line = re.sub(r"0x[0-9a-f]+", "#", line)
    line = re.sub(r"%\w+", "%…", line)
    line = re.sub(r"\[[-\d, .e+]*\]|\([-\d, .e+]*\)", "[…]", line)
    line = re.sub(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])", "#", line)
    return line[:220]


class Shard:
    """A process that runs some of the tests of a file, started again as often as one of them ends it."""

    def __init__(self, file, shard, options, folder):
        self.file, self.shard, self.options = file, shard, options
        self.log = folder / f"{file.stem}.{shard}.log"
        self.tests = {}  # name: (outcome, reason, trace, seconds)
        self.notes = []
        self.done = 0
        self.finished = False

    def run(self):
        while not self.finished:
            self.attempt()
            last = [outcome for outcome, *_ in self.tests.values()][-GIVE_UP:]
            if not self.finished and len(last) == GIVE_UP and set(last) <= {"crashed", "timed out"}:
                self.notes.append(("failed", f"given up after {GIVE_UP} tests in a row that crashed or took too long"))
                return

    def start(self, pipe):
        more = {"JAX_NUM_GENERATED_CASES": str(self.options.cases), "JAX_TRACEBACK_FILTERING": "off",
                # XLA's own: what is compiled differs from run to run no more than the tests do.
                "PYTHONHASHSEED": "0", "JAX_SKIP_SLOW_TESTS": "1"}
        command = [sys.executable, "-B", str(WORKER), str(self.file), str(pipe), str(self.shard), str(self.options.jobs),
                   self.options.k, str(self.done), str(self.options.failed_in or "")]
        with open(self.log, "ab") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[pipe],
                                    start_new_session=True, cwd=self.file.parents[1],
                                    env=backend.environment(self.options.backend, **more))

    def attempt(self):
        reading, writing = os.pipe()
        process = self.start(writing)
        os.close(writing)
        current, began, received = None, time.monotonic(), b""
        limit = LOAD_TIMEOUT_S
        late = False
        with selectors.DefaultSelector() as selector:
            selector.register(reading, selectors.EVENT_READ)
            while True:
                if time.monotonic() > self.options.until:
                    self.notes.append(("skipped", f"the rest of {self.file.name}: --minutes are over"))
                    self.finished = True
                    break
                remaining = began + limit - time.monotonic()
                if remaining <= 0 or not selector.select(remaining):
                    late = True
                    break
                piece = os.read(reading, 1 << 16)
                if not piece:
                    break
                *lines, received = (received + piece).split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    if "start" in event:
                        current, limit = event["start"], self.options.timeout
                    elif "end" in event:
                        self.note(event["end"], event["outcome"], event["reason"], event["trace"], time.monotonic() - began)
                        current, limit = None, max(self.options.timeout, LOAD_TIMEOUT_S)
                    else:
                        self.take(event)
                    began = time.monotonic()
        os.close(reading)
        self.reap(process)
        if not self.finished:
            self.interrupted(current, late, process.returncode)

    def reap(self, process):
        if self.finished and time.monotonic() < self.options.until:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        process.wait()

    def take(self, event):
        if "finished" in event:
            self.finished = True
        elif "unloadable" in event:
            outcome = "skipped" if event.get("skipped") else "failed"
            self.notes.append((outcome, f"the file cannot be loaded: {event['unloadable']}"))
            self.finished = True
        elif "fixture" in event:
            if "skipped" in event:
                self.notes.append(("skipped", f"{event['fixture']}: {event['skipped']}"))
            else:
                self.notes.append(("failed", f"{event['fixture']}: {event['reason']}"))

    def note(self, name, outcome, reason, trace, seconds):
        self.tests[name] = (outcome, reason, trace, round(seconds, 2))
        self.done += 1

    def interrupted(self, current, late, status):
        """A process that ended, or had to be ended, before its last test."""
        if current is None:
            how = "nothing was heard of it" if late else f"it ended with {status}"
            self.notes.append(("failed", f"the process of {self.file.name} ran no test: {how}; see {self.log}"))
            self.finished = True
        elif late:
            self.note(current, "timed out", f"longer than {self.options.timeout:g} s", "", self.options.timeout)
        else:
            name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
            tail = self.log.read_text(errors="replace").splitlines()
            said = [line for line in tail[-60:] if re.search(r"[Cc]heck failed|Assert|assert|FATAL|ERROR: |Fatal Python", line)]
            self.note(current, "crashed", f"{name}: {said[0] if said else ''}", "\n".join(tail[-60:]), 0)


def run_all(files, options, folder):
    """{file: [Shard]}, run by as many processes at a time as `jobs` says. A line is printed as each file ends."""
    shards = {file: [Shard(file, i, options, folder) for i in range(options.jobs)] for file in files}
    waiting = queue.Queue()
    for file in files:
        for shard in shards[file]:
            waiting.put(shard)
    left = {file: options.jobs for file in files}
    lock = threading.Lock()

    def work():
        while True:
            try:
                shard = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                shard.run()
            except Exception as error:  # The other files shall be run all the same.
                shard.notes.append(("failed", f"suite.py: {error!r}"))
            with lock:
                left[shard.file] -= 1
                if left[shard.file] == 0:
                    print(line_of(shard.file.stem, shards[shard.file]), flush=True)

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return shards


def counts(shards):
    count = collections.Counter(outcome for shard in shards for outcome, *_ in shard.tests.values())
    count.update(outcome for outcome, _ in {note for shard in shards for note in shard.notes})
    return count


def line_of(name, shards):
    count = counts(shards)
    return f"{name:38}" + "".join(f"{count[outcome]:10}" for outcome in OUTCOMES)


def reasons(shards_by_file, baseline, wanted):
    """[(how often, outcome, normalised reason, an example's name, its reason)], the most frequent first."""
    groups = collections.defaultdict(list)
    for file, shards in shards_by_file.items():
        for shard in shards:
            for name, (outcome, reason, *_) in shard.tests.items():
                if outcome in wanted and baseline.get(name, ["passed"])[0] not in BAD:
                    groups[outcome, normalised(reason)].append((name, reason))
        for outcome, reason in {note for shard in shards for note in shard.notes}:
            if outcome in wanted:
                groups[outcome, normalised(reason)].append((file.stem, reason))
    return sorted(((len(members), *key, *members[0]) for key, members in groups.items()), key=lambda group: -group[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--backend", choices=backend.BACKENDS, default="pod")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-k", default="", metavar="TEXT", help="only tests whose names contain TEXT")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a test")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no test begins after so many")
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--baseline", type=pathlib.Path)
    parser.add_argument("--failed-in", type=pathlib.Path)
    parser.add_argument("--failures", type=int, default=40, help="how many reasons are shown")
    parser.add_argument("--logs", type=pathlib.Path)
    options = parser.parse_args()
    options.until = time.monotonic() + 60 * options.minutes
    files = []
    for name in options.files:
        path = options.checkout.resolve() / "tests" / (name if name.endswith(".py") else f"{name}.py")
        if not path.exists():
            parser.error(f"{path} does not exist")
        files.append(path)
    baseline = json.loads(options.baseline.read_text()) if options.baseline else {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.logs or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{'file':38}" + "".join(f"{outcome:>10}" for outcome in OUTCOMES), flush=True)
        shards = run_all(files, options, folder)
    print(line_of("all", [shard for of_file in shards.values() for shard in of_file]))
    if options.json:
        options.json.write_text(json.dumps({name: test for of_file in shards.values() for shard in of_file
                                            for name, test in shard.tests.items()}, indent=1))
    bad = reasons(shards, baseline, BAD)
    for title, groups in ((f"failures{' that the baseline does not have' if baseline else ''}", bad),
                          ("skipped", reasons(shards, {}, ("skipped",)))):
        print(f"\n{title}, by reason" if groups else f"\n{title}: none")
        for count, outcome, reason, name, _ in groups[:options.failures]:
            print(f"{count:6}  {outcome if outcome != title else ''} {reason}\n        e.g. {' '.join(name.split())[:160]}")
        if len(groups) > options.failures:
            print(f"        and {len(groups) - options.failures} other reasons")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
