#!/usr/bin/python3
"""What a pod tells who watches it: /metrics of coordinator and podium-host, read by Debian's Prometheus with the rules and the dashboard
of deploy/prometheus; and logs as JSON.

Usage: prometheus_test.py BIN PROTO DEPLOY PROGRAMS [unittest arguments]. BIN has the daemons, PROTO the .proto files, DEPLOY
deploy/prometheus. Without the package prometheus what needs it is skipped, and said so (77). Every wait has a deadline; every process
dies with the test.
"""
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

BIN, PROTO, DEPLOY, PROGRAMS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
WAIT_S = 60
PROCESS_DIES_WITH_US = 1  # PR_SET_PDEATHSIG
NEEDS_PROMETHEUS = unittest.skipUnless(shutil.which("prometheus") and shutil.which("promtool"),
                                       "Debian's package prometheus is not installed (apt-get install prometheus)")


def die_with_parent():
    ctypes.CDLL(None).prctl(PROCESS_DIES_WITH_US, signal.SIGKILL)


def wait_for(condition, what):
    deadline = time.monotonic() + WAIT_S
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, f"{WAIT_S} s have passed, and not: {what}"
        time.sleep(0.05)


def get(url):
    with urllib.request.urlopen(url, timeout=WAIT_S) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def samples(text):
    """{'name{labels}': value}"""
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#")}


# A program of its own: gRPC's threads and the forks of a test do not go together.
FAILING_CALLS = """
import sys
import grpc
from podium.v1 import podium_pb2, podium_pb2_grpc
with grpc.insecure_channel(sys.argv[1]) as channel:
    stub = podium_pb2_grpc.PodiumStub(channel)
    stream = stub.OpenSession(podium_pb2.OpenSessionRequest(client='a "b"\\nc'), timeout=60)
    session = next(stream).session
    for shown in sys.argv[2:]:
        try:
            stub.Execute(podium_pb2.ExecuteRequest(session=session, executable=12345), timeout=60, metadata=[("traceparent", shown)])
        except grpc.RpcError as error:
            print(error.code().name)
    stream.cancel()
"""


class Watched(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="podium-prometheus-test-"))
        cls.processes = []
        port_file = cls.folder / "address"
        cls.spawn("coordinator", BIN / "podium-coordinator", "--insecure", "--port-file", port_file, "--topology", "2x2",
                  "--metrics-listen", "127.0.0.1:0", "--log-format", "json", "--log-level", "debug")
        wait_for(port_file.exists, "the coordinator listens")
        cls.address = port_file.read_text().strip()
        cls.host = cls.spawn("host", BIN / "podium-host", "--coordinator", cls.address, "--chips", "4", "--metrics-listen",
                             "127.0.0.1:0", "--log-format", "json", "--", "--insecure")
        cls.pages = {name: wait_for(lambda name=name: cls.find_page(name), f"{name} says where its metrics are")
                     for name in ("coordinator", "host")}
        wait_for(lambda: cls.value("coordinator", "podium_pod_ready") == 1, "the pod is ready")
        subprocess.run([BIN / "podium", "run", sorted(PROGRAMS.glob("all_gather*.mlir"))[0], "--pod", cls.address], check=True,
                       stdout=subprocess.DEVNULL, timeout=WAIT_S)

    @classmethod
    def tearDownClass(cls):
        for process in reversed(cls.processes):
            process.terminate()
            try:
                process.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(cls.folder)

    @classmethod
    def spawn(cls, log, *arguments):
        with open(cls.folder / f"{log}.log", "w") as file:
            cls.processes.append(subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                                  preexec_fn=die_with_parent))
        return cls.processes[-1]

    @classmethod
    def lines(cls, name):
        """Every line of the log, parsed; the last one may not be whole yet."""
        return [json.loads(line) for line in (cls.folder / f"{name}.log").read_text().splitlines(True) if line.endswith("\n")]

    @classmethod
    def find_page(cls, name):
        return next((found[1] for line in cls.lines(name) if (found := re.search("metrics at (http://.*)", line["message"]))), None)

    @classmethod
    def value(cls, page, series):
        return samples(get(cls.pages[page])[1])[series]

    def test_what_has_happened_is_counted(self):
        kind, text = get(self.pages["coordinator"])
        self.assertEqual(kind, "text/plain; version=0.0.4; charset=utf-8")
        seen = samples(text)
        for operation in "execute", "compile", "put", "fetch":
            self.assertGreaterEqual(seen[f'podium_operations_ended_total{{operation="{operation}",code="OK"}}'], 1, operation)
            self.assertGreater(seen[f'podium_operation_seconds_sum{{operation="{operation}"}}'], 0, operation)
        self.assertGreater(seen['podium_operation_bytes_sum{operation="put"}'], 0)
        self.assertEqual(seen["podium_executions_running"] + seen["podium_executions_waiting"], 0)
        self.assertGreaterEqual(seen["podium_worker_joins_total"], 4)
        self.assertGreater(seen["process_resident_memory_bytes"], 1 << 20)
        links = [series for series in seen if series.startswith("podium_link_bytes_total")]
        self.assertEqual(len(links), 8)  # 2x2: four links, each told by both ends.
        wait_for(lambda: any(self.value("coordinator", link) > 0 for link in links), "heartbeats tell what went over links")
        self.assertLess(abs(seen["process_start_time_seconds"] - time.time()), 3600)
        for name in (f"worker-{i}" for i in range(4)):
            self.assertGreater(self.value("host", f'podium_host_daemon_resident_memory_bytes{{of="{name}"}}'), 1 << 20)

    def test_the_pages_are_for_this_machine_only(self):
        for program in ([BIN / "podium-coordinator"], [BIN / "podium-host", "--coordinator", self.address, "--chips", "1"]):
            ended = subprocess.run([*program, "--metrics-listen", "0.0.0.0:0"], capture_output=True, text=True, timeout=WAIT_S)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("FAILED_PRECONDITION: --metrics-listen 0.0.0.0:0 could be reached from other hosts", ended.stderr)
        base = self.pages["coordinator"].removesuffix("/metrics")
        with self.assertRaises(urllib.error.HTTPError) as caught:
            get(base + "/")
        self.assertEqual(caught.exception.code, 404)

    def test_json_lines_have_ids_codes_and_the_callers_trace(self):
        generated = self.folder / "generated"
        generated.mkdir()
        files = sorted(str(f.relative_to(PROTO)) for f in (PROTO / "podium").rglob("*.proto"))
        subprocess.run(["protoc", f"-I{PROTO}", f"--python_out={generated}", f"--grpc_python_out={generated}",
                        "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *files], check=True)
        ended = next(line for line in self.lines("coordinator") if line.get("event") == "execution")
        self.assertEqual((ended["level"], ended["code"], ended["client"]), ("debug", "OK", "podium run"))
        self.assertGreater(ended["duration_ns"], ended["chips_ns"])
        self.assertIn("execution", ended)
        self.assertEqual(sorted(line["chip"] for line in self.lines("coordinator") if line.get("event") == "join")[:4], [0, 1, 2, 3])
        self.assertEqual({line["daemon"] for line in self.lines("host")}, {"host", "worker"})
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        called = subprocess.run([sys.executable, "-c", FAILING_CALLS, self.address, trace, "00-nonsense\"-01", trace.upper()],
                                env=dict(os.environ, PYTHONPATH=str(generated)), check=True, capture_output=True, text=True, timeout=WAIT_S)
        self.assertEqual(called.stdout.split(), ["NOT_FOUND"] * 3)
        failed = wait_for(lambda: (found if len(found := [line for line in self.lines("coordinator") if line.get("code") == "NOT_FOUND"])
                                   == 3 else None), "three executions that failed are in the log")
        self.assertEqual([line.get("traceparent") for line in failed], [trace, None, None])
        self.assertEqual((failed[0]["level"], failed[0]["client"]), ("info", "a \"b\"\\nc"))

    @NEEDS_PROMETHEUS
    def test_promtool_accepts_metrics_rules_and_configuration(self):
        for page in self.pages.values():
            checked = subprocess.run(["promtool", "check", "metrics"], input=get(page)[1], capture_output=True, text=True, timeout=WAIT_S)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))
        for what, name in ("rules", "rules.yml"), ("config", "prometheus.yml"):
            checked = subprocess.run(["promtool", "check", what, DEPLOY / name], capture_output=True, text=True, timeout=WAIT_S)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def start_prometheus(self):
        """Its address. The configuration is deploy's, with the ports of this pod and less patience."""
        text = (DEPLOY / "prometheus.yml").read_text().replace("15s", "1s").replace("rules.yml", str(DEPLOY / "rules.yml"))
        for name, port in ("coordinator", 9470), ("host", 9471):
            self.assertIn(f'"127.0.0.1:{port}"', text)
            text = text.replace(f'"127.0.0.1:{port}"', json.dumps(urllib.parse.urlparse(self.pages[name]).netloc))
        (self.folder / "prometheus.yml").write_text(text)
        self.spawn("prometheus", "prometheus", f"--config.file={self.folder}/prometheus.yml",
                   f"--storage.tsdb.path={self.folder}/data", "--web.listen-address=127.0.0.1:0")
        return wait_for(lambda: (found := re.search(r'"Listening on" address=(\S+)', (self.folder / "prometheus.log").read_text()))
                        and found[1], "Prometheus listens")

    @staticmethod
    def ask(prometheus, expression):
        query = urllib.parse.urlencode({"query": expression})
        try:
            answer = json.loads(get(f"http://{prometheus}/api/v1/query?{query}")[1])
        except urllib.error.HTTPError as error:
            if error.code != 503:  # It listens before it is ready.
                raise
            return []
        return answer["data"]["result"]

    @NEEDS_PROMETHEUS
    def test_prometheus_scrapes_the_pod_and_sees_a_worker_die(self):
        prometheus = self.start_prometheus()
        wait_for(lambda: len(self.ask(prometheus, 'up{job=~"podium-.*"} == 1')) == 2, "Prometheus scrapes both")
        self.assertEqual(self.ask(prometheus, "podium_pod_ready")[0]["value"][1], "1")
        expressions = [panel_target["expr"] for panel in json.loads((DEPLOY / "dashboard.json").read_text())["panels"]
                       for panel_target in panel["targets"]]
        self.assertGreater(len(expressions), 20)
        for expression in expressions:
            self.ask(prometheus, expression.replace("$pod", ".*").replace("$__rate_interval", "1m"))  # HTTP 400 where it is wrong.
        groups = wait_for(lambda: json.loads(get(f"http://{prometheus}/api/v1/rules")[1])["data"]["groups"], "the rules are loaded")
        rules = groups[0]["rules"]
        known = set(re.findall(r"^# TYPE (\S+)", "".join(get(page)[1] for page in self.pages.values()), re.M)) | {"up"}
        for expression in expressions + [rule["query"] for rule in rules]:
            for name in re.findall(r"\b(?:podium|process)_\w+", expression):
                self.assertTrue(name in known or re.sub("_(bucket|sum|count)$", "", name) in known, name)
        children = pathlib.Path(f"/proc/{self.host.pid}/task/{self.host.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        wait_for(lambda: self.ask(prometheus, "podium_worker_losses_total > 0"), "the loss is seen")
        wait_for(lambda: self.ask(prometheus, "podium_host_daemon_starts_total > 1"), "the start anew is seen")
        wait_for(lambda: self.ask(prometheus, "podium_pod_ready == 1 and podium_worker_joins_total > 4"), "the pod is ready again")


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1] + sys.argv[5:], exit=False).result
    for test, why in result.skipped:
        print(f"skipped: {test.id()}: {why}")
    sys.exit(77 if result.wasSuccessful() and result.skipped else not result.wasSuccessful())
