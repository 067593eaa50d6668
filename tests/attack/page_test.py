#!/usr/bin/python3
"""The coordinator's page, asked by those who shall and those who shall not: roles, cookies, hosts, TLS; and what others notice of
peers that drip, that crowd, that stop reading, that say too much.

Usage: page_test.py BIN [unittest arguments]. Every wait has a deadline; every process dies with the test.
"""
import ctypes
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

BIN = pathlib.Path(sys.argv[1]).resolve()
WAIT_S = 60
PROCESS_DIES_WITH_US = 1  # PR_SET_PDEATHSIG
TOKENS = {"administer": "a" * 32, "run": "u" * 32, "read": "r" * 32}
ANSWER_S = 2  # What a bystander may wait, on a loaded machine; it takes milliseconds.


def die_with_parent():
    ctypes.CDLL(None).prctl(PROCESS_DIES_WITH_US, signal.SIGKILL)


class Coordinator:
    def __init__(self, folder, *arguments, topology="2x2", listen="127.0.0.1:0"):
        self.folder = pathlib.Path(folder)
        self.tokens = self.folder / "tokens"
        self.write_tokens(TOKENS)
        self.log = self.folder / "log"
        self.log_file = open(self.log, "w")
        self.process = subprocess.Popen(
            [BIN / "podium-coordinator", "--topology", topology, "--page-listen", listen, "--tokens-file", self.tokens, *arguments],
            stderr=self.log_file, preexec_fn=die_with_parent, env=dict(os.environ, XDG_RUNTIME_DIR=str(folder)))
        self.url = self.wait_for(r"the page is at (https?://\S+)")
        self.host, self.port = re.fullmatch(r"https?://(.*):(\d+)/", self.url).groups()
        self.port = int(self.port)

    def write_tokens(self, tokens):
        self.tokens.write_text("".join(f"{role} {role}er {token}\n" for role, token in tokens.items()))
        self.tokens.chmod(0o600)

    def wait_for(self, pattern):
        until = time.monotonic() + WAIT_S
        while (found := re.search(pattern, self.log.read_text())) is None:
            assert time.monotonic() < until and self.process.poll() is None, self.log.read_text()
            time.sleep(0.005)
        return found[1] if found.groups() else found[0]

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_S)
        self.log_file.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S)

    def ask(self, path, method="GET", role=None, **headers):
        """Status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        if role is not None:
            headers["Authorization"] = f"Bearer {TOKENS[role]}"
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def read_events(self, role, count=4):
        """The first events of the stream, by name."""
        with self.connect() as peer:
            peer.sendall(f"GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKENS[role]}\r\n\r\n".encode())
            data = b""
            while data.count(b"\n\n") < count:
                more = peer.recv(1 << 16)
                assert more, data
                data += more
        return dict((name, json.loads(text)) for name, text in re.findall(r"event: (\w+)\ndata: (.*)\n", data.decode()))


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.pod = Coordinator(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.pod.stop()
        cls.folder.cleanup()

    def test_who_is_not_known_sees_nothing_of_the_pod(self):
        for path in ["/", "/events", "/api/pod.json", "/api/chip/0", "/api/report/1"]:
            for headers in [{}, {"Authorization": "Bearer " + "x" * 32}, {"Cookie": f"podium_{self.pod.port}=" + "0" * 64}]:
                status, answer, body = self.pod.ask(path, **headers)
                self.assertEqual((status, answer["WWW-Authenticate"]), (401, "Bearer"), path)
                self.assertNotIn(b"v5e", body)

    def test_only_the_pages_own_script_of_who_may_cancels(self):
        ours, own = {"X-Podium-Page": "1"}, f"http://127.0.0.1:{self.pod.port}"
        cookie = self.pod.ask(f"/?token={TOKENS['run']}")[1]["Set-Cookie"].split(";")[0]
        # There are no jobs here: 404 is the answer of who is heard.
        for headers in [{}, {"Origin": own}, {"Origin": own, "Sec-Fetch-Site": "same-origin"}]:
            self.assertEqual(self.pod.ask("/api/cancel/1", "POST", Cookie=cookie, **ours, **headers)[0], 404, headers)
        # Another port of this host is the same site, whose requests have the cookie.
        for headers in [{}, {"Content-Type": "text/plain"}, dict(ours, Origin="http://127.0.0.1:1"), dict(ours, Origin="null"),
                        dict(ours, Origin="https://evil.example"), dict(ours, Origin=own + ".evil.example"),
                        {"Origin": own, "X-Podium-Page": "1", "Sec-Fetch-Site": "same-site"}, {"Origin": own}]:
            self.assertEqual(self.pod.ask("/api/cancel/1", "POST", Cookie=cookie, **headers)[0], 403, headers)
        self.assertEqual(self.pod.ask("/api/cancel/1", "POST", **ours)[0], 401)
        self.assertEqual(self.pod.ask("/api/cancel/1", "POST", role="read", **ours)[0], 403)
        self.assertEqual(self.pod.ask("/api/cancel/x", "POST", role="run", **ours)[0], 404)
        self.assertEqual(self.pod.ask("/api/cancel/1", "GET", role="run", **ours)[0], 405)
        # What a browser asks before another origin may send the header: it is told nothing that allows it.
        status, answer, _ = self.pod.ask("/api/cancel/1", "OPTIONS", Origin="http://127.0.0.1:1", **{"Access-Control-Request-Method": "POST"})
        self.assertGreaterEqual(status, 400)
        self.assertFalse([name for name in answer if name.lower().startswith("access-control")])

    def test_a_link_makes_a_session_that_is_not_its_token(self):
        status, answer, body = self.pod.ask(f"/?token={TOKENS['read']}")
        self.assertEqual((status, answer["Location"], body), (303, "/", b""))
        cookie = answer["Set-Cookie"]
        self.assertRegex(cookie, r"^podium_\d+=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Max-Age=\d+$")
        self.assertNotIn(TOKENS["read"], cookie)
        status, _, body = self.pod.ask("/api/pod.json", Cookie="other=1; " + cookie.split(";")[0])
        self.assertEqual((status, json.loads(body)["you"]), (200, "token reader"))
        self.assertEqual(self.pod.ask("/?token=" + "x" * 32)[0], 401)
        self.assertEqual(self.pod.ask("/?token=" + "x" * 5000)[0], 401)

    def code(self, token, seconds=600):
        begin = f"{int(time.time()) + seconds:016x}" + os.urandom(16).hex()
        return begin + hmac.new(hashlib.sha256(token.encode()).digest(), b"podium page " + begin.encode(), "sha256").hexdigest()

    def test_a_code_makes_one_session_within_minutes(self):
        code = self.code(TOKENS["run"])
        status, answer, body = self.pod.ask(f"/?code={code}")
        self.assertEqual((status, answer["Location"], body), (303, "/", b""))
        cookie = answer["Set-Cookie"].split(";")[0]
        self.assertEqual(json.loads(self.pod.ask("/api/pod.json", Cookie=cookie)[2])["you"], "token runer")
        self.assertEqual(self.pod.ask(f"/?code={code}")[0], 401)
        wrong = [self.code("x" * 32), self.code(TOKENS["run"], -1), self.code(TOKENS["run"], 3600), "", "x" * 112, "f" * 112,
                 "x" * 5000, code[:16] + self.code(TOKENS["run"])[16:48] + code[48:]]
        for text in wrong:
            self.assertEqual(self.pod.ask(f"/?code={text}")[0], 401, text)

    def test_roles_see_what_is_theirs(self):
        for role, may_run in [("read", False), ("run", True), ("administer", True)]:
            status, _, body = self.pod.ask("/api/pod.json", role=role)
            self.assertEqual((status, json.loads(body)["may_run"]), (200, may_run))
            events = self.pod.read_events(role)
            self.assertEqual(set(events), {"pod", "lost", "work", "jobs"})
            self.assertEqual(events["pod"]["states"], "mmmm")
            self.assertEqual(self.pod.ask("/api/report/1", role=role)[0], 404 if may_run else 403)

    def test_answers_guard_browsers_and_change_nothing(self):
        for path in ["/", "/web/page.js", "/web/page.css", "/web/report.js", "/web/icon.svg", "/nothing"]:
            _, answer, _ = self.pod.ask(path, role="read")
            policy = answer["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(answer["X-Content-Type-Options"], "nosniff")
            self.assertIsNone(answer["Access-Control-Allow-Origin"])
        for method in ["POST", "PUT", "DELETE", "OPTIONS"]:
            self.assertEqual(self.pod.ask("/api/pod.json", method, role="administer")[0], 405)
        page = self.pod.ask("/", role="read")[2].decode()
        self.assertNotRegex(page, r"<script>|<style|style=|\son\w+=|https?://")

    def test_files_are_sent_once(self):
        status, answer, body = self.pod.ask("/web/page.js")
        self.assertEqual((status, answer["Cache-Control"]), (200, "no-cache"))
        again = self.pod.ask("/web/page.js", **{"If-None-Match": answer["ETag"]})
        self.assertEqual((again[0], again[2]), (304, b""))
        head = self.pod.ask("/web/page.js", "HEAD")
        self.assertEqual((int(head[1]["Content-Length"]), head[2]), (len(body), b""))
        for path in ["/web/index.html", "/web/..", "/web/", "/web/page.js/", "/web/%2e%2e/main.c"]:
            self.assertEqual(self.pod.ask(path, role="read")[0], 404, path)

    def test_names_of_other_sites_that_lead_here_are_refused(self):
        for host, status in [("evil.example", 421), (f"evil.example:{self.pod.port}", 421), ("127.0.0.1.evil", 421), ("localhost", 200),
                             ("[::1]:80", 200), ("127.0.0.1", 200), (socket.gethostname(), 200)]:
            self.assertEqual(self.pod.ask("/api/pod.json", role="read", Host=host)[0], status, host)

    def test_a_chip_is_described_and_none_that_is_not(self):
        status, _, body = self.pod.ask("/api/chip/3", role="read")
        self.assertEqual((status, json.loads(body)["coords"]), (200, [1, 1, 0]))
        for path in ["4", "-1", "", "x", "0x", "99999999999999999999", "0/", "%30%00"]:
            self.assertIn(self.pod.ask(f"/api/chip/{path}", role="read")[0], (400, 404), path)


class TokensTest(unittest.TestCase):
    def test_a_token_that_is_taken_back_ends_its_sessions(self):
        with tempfile.TemporaryDirectory() as folder:
            pod = Coordinator(folder)
            cookie = pod.ask(f"/?token={TOKENS['read']}")[1]["Set-Cookie"].split(";")[0]
            self.assertEqual(pod.ask("/api/pod.json", Cookie=cookie)[0], 200)
            reader = pod.connect()
            reader.sendall(f"GET /events HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n".encode())
            heard = b""
            while b"event: pod" not in heard:
                heard += reader.recv(1 << 16)
            pod.write_tokens({"administer": "b" * 32})
            pod.process.send_signal(signal.SIGHUP)
            pod.wait_for("--tokens-file: read again")
            while reader.recv(1 << 16):
                pass
            reader.close()
            self.assertEqual(pod.ask("/api/pod.json", Cookie=cookie)[0], 401)
            pod.stop()


class OpenTest(unittest.TestCase):
    def test_no_port_is_opened_to_others_in_the_clear(self):
        result = subprocess.run([BIN / "podium-coordinator", "--page-listen", "0.0.0.0:0"], capture_output=True, text=True,
                                timeout=WAIT_S, check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the page at 0.0.0.0:0 could be reached from other hosts", result.stderr)

    def test_with_certificates_it_speaks_tls(self):
        with tempfile.TemporaryDirectory() as folder:
            base = pathlib.Path(folder) / "keys"
            subprocess.run([BIN / "podium", "certificates", base], check=True, timeout=WAIT_S, stdout=subprocess.DEVNULL)
            certificate = base / "coordinator.crt"
            pod = Coordinator(folder, "--tls-certificate", certificate, "--tls-key", certificate.with_suffix(".key"), "--tls-ca",
                              base / "ca.crt")
            self.assertTrue(pod.url.startswith("https://"))
            context = ssl.create_default_context(cafile=base / "ca.crt")
            context.set_alpn_protocols(["h2", "http/1.1"])
            connection = http.client.HTTPSConnection("127.0.0.1", pod.port, context=context, timeout=WAIT_S)
            connection.request("GET", f"/?token={TOKENS['read']}")
            answer = connection.getresponse()
            answer.read()
            self.assertIn("; Secure", answer.headers["Set-Cookie"])
            for _ in range(3):  # Over the same connection.
                connection.request("GET", "/web/report.js", headers={"Cookie": answer.headers["Set-Cookie"].split(";")[0]})
                script = connection.getresponse()
                self.assertEqual((script.status, len(script.read())), (200, int(script.headers["Content-Length"])))
            connection.close()
            with pod.connect() as plain:
                plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertIn(b"this port speaks TLS", plain.recv(4096))
            pod.stop()


class CrowdTest(unittest.TestCase):
    """What a bystander notices: a reader that has its stream, and one that asks anew."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.pod = Coordinator(self.folder.name, "--chip", "v3", topology="32x32")
        self.peers = []

    def tearDown(self):
        for peer in self.peers:
            peer.close()
        self.pod.stop()
        self.folder.cleanup()

    def crowd(self, count, text):
        for _ in range(count):
            peer = self.pod.connect()
            try:
                peer.sendall(text)
            except OSError:
                pass  # Turned away.
            self.peers.append(peer)

    def check_bystander(self, tries=20):
        slowest = 0
        for _ in range(tries):
            begun = time.monotonic()
            until = begun + WAIT_S
            while True:  # Whom no place is left tries again: places are given up after a second.
                try:
                    status, _, body = self.pod.ask("/api/pod.json", role="read")
                    break
                except (ConnectionError, http.client.HTTPException):
                    self.assertLess(time.monotonic(), until)
                    time.sleep(0.05)
            self.assertEqual((status, json.loads(body)["topology"]), (200, "32x32"))
            slowest = max(slowest, time.monotonic() - begun)
        return slowest

    def check_stream(self):
        begun = time.monotonic()
        events = self.pod.read_events("read")
        self.assertEqual(len(events["pod"]["states"]), 1024)
        return time.monotonic() - begun

    def test_a_thousand_that_say_nothing(self):
        reader = self.pod.connect()
        reader.sendall(f"GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKENS['read']}\r\n\r\n".encode())
        self.assertIn(b"200 OK", reader.recv(1 << 16))
        self.crowd(1000, b"")
        self.check_bystander()
        reader.settimeout(WAIT_S)
        self.assertTrue(reader.recv(1 << 16))  # Its stream goes on.
        self.peers.append(reader)

    def test_those_that_drip(self):
        self.crowd(120, b"GET / HTTP/1.1\r\nHo")
        for _ in range(20):
            for peer in self.peers:
                try:
                    peer.send(b"s")
                except OSError:
                    pass
            self.assertLess(self.check_bystander(1), ANSWER_S + 2)
        self.assertLess(self.check_stream(), ANSWER_S + 2)

    def test_heads_without_end_are_refused(self):
        for text in [b"GET /" + b"a" * 100000, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000]:
            with self.pod.connect() as peer:
                try:
                    peer.sendall(text)
                except OSError:
                    pass
                try:
                    self.assertIn(b" 431 ", peer.recv(4096))
                except ConnectionResetError:
                    pass  # More was under way than the linger reads.
        self.assertLess(self.check_bystander(), ANSWER_S)

    def test_readers_that_stop_get_no_more_and_harm_nobody(self):
        request = f"GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKENS['read']}\r\n\r\n".encode()
        self.crowd(63, request)  # They never read.
        self.assertLess(self.check_stream(), ANSWER_S)
        self.crowd(1, request)
        time.sleep(0.2)
        self.assertEqual(self.pod.ask("/events", role="read")[0], 503)
        self.assertLess(self.check_bystander(), ANSWER_S)

    def test_many_requests_at_once(self):
        request = f"GET /api/chip/7 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKENS['read']}\r\n\r\n".encode()
        self.crowd(50, request * 60)
        self.assertLess(self.check_bystander(), ANSWER_S)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
