#!/usr/bin/python3
"""Jobs on a 4x2 pod of real daemons, by a stock gRPC client: slices, order, retries, restarts, who sees what.

Usage: jobs_test.py BIN PROTO [unittest arguments]. Every call has a deadline; every process dies with the test.
"""
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"  # Daemons are forked beside its threads, and exec at once.
import grpc
import numpy

BIN = pathlib.Path(sys.argv[1])
PROTO = pathlib.Path(sys.argv[2])
WAIT_S = 120
PROCESS_DIES_WITH_US = 1  # PR_SET_PDEATHSIG
PRINCIPALS = {"boss": "administer", "anna": "run", "bob": "run"}


def token(name):
    return f"{name}-{'0123456789abcdef' * 2}"


def generate(folder):
    # Not those of gRPC itself, which would hide the package grpc.
    files = sorted(str(f.relative_to(PROTO)) for f in (PROTO / "podium").rglob("*.proto"))
    subprocess.run(["protoc", f"-I{PROTO}", f"--python_out={folder}", f"--grpc_python_out={folder}",
                    "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *files], check=True)
    sys.path.insert(0, str(folder))


def spawn(arguments, log):
    return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                            preexec_fn=lambda: ctypes.CDLL(None).prctl(PROCESS_DIES_WITH_US, signal.SIGKILL))


# Twice its argument, gathered over x: every chip of the slice hears of the others. %rounds: how long it takes.
def module(devices, rounds=0):
    return f"""module @twice attributes {{mhlo.num_partitions = {devices} : i32}} {{
  sdy.mesh @mesh = <["x"={devices}]>
  func.func public @main(%arg0: tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}})
      -> (tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{}}]>, jax.result_info = "twice"}}) {{
    %zero = stablehlo.constant dense<0> : tensor<i64>
    %0:2 = stablehlo.while(%i = %zero, %v = %arg0) : tensor<i64>, tensor<8x4xf32>
     cond {{
      %rounds = stablehlo.constant dense<{rounds}> : tensor<i64>
      %less = stablehlo.compare LT, %i, %rounds, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }} do {{
      %one = stablehlo.constant dense<1> : tensor<i64>
      %next = stablehlo.add %i, %one : tensor<i64>
      %same = stablehlo.negate %v : tensor<8x4xf32>
      %back = stablehlo.negate %same : tensor<8x4xf32>
      stablehlo.return %next, %back : tensor<i64>, tensor<8x4xf32>
    }}
    %1 = stablehlo.add %0#1, %0#1 : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }}
}}
""".encode()


LONG = 1 << 40


class Pod:
    """A 4x2 pod that keeps jobs, and may be started again with them; logs are shown when a test fails."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        self.arguments = arguments
        self.log = open(folder / "log", "a+")
        self.channels = []
        tokens = folder / "tokens"
        tokens.write_text("".join(f"{role} {name} {token(name)}\n" for name, role in PRINCIPALS.items()))
        tokens.chmod(0o600)
        self.workers = []
        self.start()

    def start(self):
        port_file = self.folder / "address"
        port_file.unlink(missing_ok=True)
        self.coordinator = spawn(
            [BIN / "podium-coordinator", "--port-file", port_file, "--topology", "4x2", "--heartbeat-ms", "100",
             "--timeout-ms", "10000", "--tokens-file", self.folder / "tokens", "--jobs", self.folder / "jobs",
             *self.arguments], self.log)
        deadline = time.monotonic() + WAIT_S
        while not port_file.exists():
            assert time.monotonic() < deadline and self.coordinator.poll() is None, "the coordinator did not start"
            time.sleep(0.005)
        self.address = port_file.read_text().strip()
        self.start_workers(8)

    def start_workers(self, count):
        self.workers += [spawn([BIN / "podium-worker", "--coordinator", self.address], self.log) for _ in range(count)]

    def stubs(self):
        from podium.v1 import jobs_pb2_grpc, podium_pb2_grpc
        channel = grpc.insecure_channel(self.address)
        self.channels.append(channel)
        return jobs_pb2_grpc.JobsStub(channel), podium_pb2_grpc.PodiumStub(channel)

    def end(self, process, sign):
        process.send_signal(sign)
        return process.wait(WAIT_S)

    def end_coordinator(self, sign):
        status = self.end(self.coordinator, sign)
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.workers = []
        return status

    def stop(self):
        for channel in self.channels:
            channel.close()
        self.end_coordinator(signal.SIGTERM if self.coordinator.poll() is None else signal.SIGKILL)
        self.log.close()


class User:
    def __init__(self, pod, name):
        self.stub, self.podium = pod.stubs()
        self.metadata = [("authorization", f"Bearer {token(name)}")]

    def call(self, method, request):
        return getattr(self.stub, method)(request, timeout=WAIT_S, metadata=self.metadata)

    def submit(self, text, data=None, traceparent=None, **header):
        data = numpy.arange(32, dtype="float32") if data is None else data
        shape = types_pb2.Shape(dtype=types_pb2.DTYPE_F32, dims=[8, 4])
        first = pb.JobHeader(file_name="twice.mlir", module_bytes=len(text),
                             inputs=[pb.JobArray(name="arg0", shape=shape)], **header)
        messages = [pb.SubmitJobRequest(header=first), pb.SubmitJobRequest(data=text[:100]),
                    pb.SubmitJobRequest(data=text[100:] + data.tobytes())]
        traced = [("traceparent", traceparent)] if traceparent else []
        return self.stub.SubmitJob(iter(messages), timeout=WAIT_S, metadata=self.metadata + traced)

    def pod(self):
        from podium.v1 import podium_pb2
        return self.podium.GetPod(podium_pb2.GetPodRequest(), timeout=WAIT_S, metadata=self.metadata)

    def get(self, job):
        return self.call("GetJob", pb.GetJobRequest(id=job))

    def wait(self, *jobs):
        """Each as it has ended, in the order of their ends."""
        ended = {}
        for job in self.call("WatchJobs", pb.WatchJobsRequest(ids=jobs)):
            if job.ended_us > 0:
                ended.setdefault(job.id, job)
        return list(ended.values())

    def wait_until(self, job, is_so):
        """The job when it is so; watches until then."""
        watch = self.call("WatchJobs", pb.WatchJobsRequest(ids=[job]))
        for seen in watch:
            if is_so(seen):
                watch.cancel()
                return seen
        raise AssertionError(f"job {job} has ended before: {seen}")

    def wait_running(self, job):
        """Until its chips have been given it: the runner says that it runs when it asks for them."""
        seen = self.wait_until(job, lambda seen: seen.state == pb.JOB_STATE_RUNNING and seen.progress == "running")
        deadline = time.monotonic() + WAIT_S
        while self.pod().devices[seen.chips[0]].running != f"job {job}":
            assert time.monotonic() < deadline, f"job {job} does not run"
            time.sleep(0.005)
        return seen

    def result(self, job, index=0):
        parts = list(self.call("FetchResult", pb.FetchResultRequest(id=job, index=index)))
        data = b"".join(part.data for part in parts)
        assert len(data) == parts[0].size_bytes
        return numpy.frombuffer(data, dtype="float32"), parts[0].array

    def log(self, job, follow=False):
        return b"".join(p.data for p in self.call("ReadJobLog", pb.ReadJobLogRequest(id=job, follow=follow))).decode()


def runners_of(pod):
    """Processes that the coordinator has started as podium-job."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "comm").read_text().strip() == "podium-job":
                if int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1]) == pod.coordinator.pid:
                    found.append(int(folder.name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


class JobsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jobs"))
        self.pod = Pod(self.folder)
        self.anna, self.bob, self.boss = User(self.pod, "anna"), User(self.pod, "bob"), User(self.pod, "boss")

    def tearDown(self):
        self.pod.stop()
        if any(error for _, error in getattr(self._outcome, "errors", []) or []) or self._outcome.result.failures:
            print((self.folder / "log").read_text()[-20000:])

    def expect_code(self, code, function, *arguments, **named):
        with self.assertRaises(grpc.RpcError) as caught:
            answer = function(*arguments, **named)
            list(answer) if hasattr(answer, "cancel") else None
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return caught.exception.details()

    def wait_ready(self):
        """Until then a job may get a lesser box than the best one, whose links are not up yet."""
        deadline = time.monotonic() + WAIT_S
        while not self.anna.pod().ready:
            self.assertLess(time.monotonic(), deadline, "the pod is not ready")
            time.sleep(0.01)

    def test_a_job_gives_what_the_program_gives(self):
        self.wait_ready()
        submitted = self.anna.submit(module(4), name="first")
        self.assertEqual(submitted.id, 1)
        self.assertFalse(submitted.known)
        (ended,) = self.anna.wait(1)
        self.assertEqual(ended.state, pb.JOB_STATE_SUCCEEDED, ended.message)
        self.assertEqual((ended.device_count, ended.given_slice, ended.principal, ended.attempts),
                         (4, "2x2", "token anna", 1))
        values, array = self.anna.result(1)
        numpy.testing.assert_array_equal(values, 2 * numpy.arange(32, dtype="float32"))
        self.assertEqual(list(array.shape.dims), [8, 4])
        self.assertIn("compiled", self.anna.log(1))

    def test_two_slices_run_at_once(self):
        first = self.anna.submit(module(4, LONG), slice="2x2").id
        second = self.anna.submit(module(4, LONG), slice="2x2").id
        third = self.anna.submit(module(4), slice="2x2").id
        chips = [set(self.anna.wait_running(job).chips) for job in (first, second)]
        self.assertEqual(len(chips[0] | chips[1]), 8)
        waiting = self.anna.get(third)
        self.assertEqual(waiting.state, pb.JOB_STATE_QUEUED)
        self.assertEqual(waiting.waits_for, "for a free slice of 2x2")
        begun = time.monotonic()
        self.anna.call("CancelJob", pb.CancelJobRequest(id=first))
        self.assertLess(time.monotonic() - begun, 2)
        (ended,) = self.anna.wait(third)
        self.assertEqual(ended.state, pb.JOB_STATE_SUCCEEDED, ended.message)
        self.assertEqual(set(ended.chips), chips[0])
        self.assertEqual(self.anna.call("CancelJob", pb.CancelJobRequest(id=second)).state, pb.JOB_STATE_CANCELLED)

    def test_results_of_neighbours_do_not_mix(self):
        inputs = [numpy.full(32, float(i), dtype="float32") for i in range(8)]
        jobs = [self.anna.submit(module(2), data).id for data in inputs]
        for ended in self.anna.wait(*jobs):
            self.assertEqual(ended.state, pb.JOB_STATE_SUCCEEDED, ended.message)
        for job, data in zip(jobs, inputs):
            numpy.testing.assert_array_equal(self.anna.result(job)[0], 2 * data)

    def test_priority_then_fairness_then_order(self):
        first = self.anna.submit(module(8, LONG)).id
        self.anna.wait_running(first)
        later = self.anna.submit(module(8)).id
        of_bob = self.bob.submit(module(8)).id
        self.expect_code(grpc.StatusCode.PERMISSION_DENIED, self.anna.submit, module(8), priority=1)
        modest = self.anna.submit(module(8), priority=-1).id
        urgent = self.boss.submit(module(8), priority=5).id
        self.anna.call("CancelJob", pb.CancelJobRequest(id=first))
        self.boss.wait(modest, later, of_bob, urgent)
        starts = {job: self.boss.get(job).started_us for job in (modest, later, of_bob, urgent)}
        self.assertEqual(sorted(starts, key=starts.get), [urgent, of_bob, later, modest])

    def test_who_had_most_before_a_restart_waits_behind_others_after_it(self):
        first = self.anna.submit(module(8, LONG)).id
        self.anna.wait_running(first)
        later = self.anna.submit(module(8)).id
        of_bob = self.bob.submit(module(8)).id
        urgent = self.boss.submit(module(8, LONG), priority=5).id
        self.anna.call("CancelJob", pb.CancelJobRequest(id=first))
        self.boss.wait_running(urgent)
        self.pod.end_coordinator(signal.SIGKILL)
        self.pod.start()
        boss = User(self.pod, "boss")
        boss.wait_running(urgent)
        boss.call("CancelJob", pb.CancelJobRequest(id=urgent))
        boss.wait(later, of_bob)
        starts = {job: boss.get(job).started_us for job in (later, of_bob)}
        self.assertLess(starts[of_bob], starts[later])

    def test_a_chain_runs_in_order_and_ends_with_its_first_failure(self):
        first = self.anna.submit(module(2)).id
        second = self.anna.submit(module(2), after=[first]).id
        self.assertEqual([job.id for job in self.anna.wait(first, second)], [first, second])
        blocker = self.anna.submit(module(8, LONG)).id
        third = self.anna.submit(module(2), after=[blocker, second]).id
        fourth = self.anna.submit(module(2), after=[third]).id
        self.assertEqual(self.anna.get(third).waits_for, f"for job {blocker}")
        self.anna.call("CancelJob", pb.CancelJobRequest(id=blocker))
        for ended in self.anna.wait(third, fourth):
            self.assertEqual(ended.state, pb.JOB_STATE_FAILED)
        self.assertEqual(self.anna.get(third).message, f"job {blocker}, which it comes after, was cancelled")
        self.assertEqual(self.anna.get(fourth).message, f"job {third}, which it comes after, has failed")
        self.expect_code(grpc.StatusCode.NOT_FOUND, self.anna.submit, module(2), after=[99])

    def test_a_lost_chip_is_a_retry_on_what_is_left(self):
        job = self.anna.submit(module(4, LONG), slice="2x2", retries=2).id
        doomed = self.anna.submit(module(4, LONG), slice="2x2").id
        chips = self.anna.wait_running(job).chips
        lost = self.anna.wait_running(doomed).chips
        self.assertFalse(set(chips) & set(lost))
        pod = self.anna.pod()
        os.kill(pod.devices[lost[0]].pid, signal.SIGKILL)
        (ended,) = self.anna.wait(doomed)
        self.assertEqual((ended.state, ended.code), (pb.JOB_STATE_FAILED, grpc.StatusCode.UNAVAILABLE.value[0]))
        again = self.anna.submit(module(4, LONG), slice="2x2", retries=1).id
        self.assertEqual(self.anna.get(job).attempts, 1)  # Its chips were others.
        self.anna.call("CancelJob", pb.CancelJobRequest(id=job))
        chips = self.anna.wait_running(again).chips
        os.kill(pod.devices[chips[0]].pid, signal.SIGKILL)
        queued = self.anna.wait_until(again, lambda seen: seen.state == pb.JOB_STATE_QUEUED)
        self.assertIn("attempt 1 failed", queued.message)
        self.pod.start_workers(2)
        self.assertEqual(self.anna.wait_until(again, lambda seen: seen.attempts == 2).state, pb.JOB_STATE_RUNNING)
        self.anna.call("CancelJob", pb.CancelJobRequest(id=again))

    def test_a_runner_that_dies_is_told_in_a_sentence(self):
        crashed = self.anna.submit(module(2, LONG), retries=3).id
        self.anna.wait_running(crashed)
        (runner,) = runners_of(self.pod)
        os.kill(runner, signal.SIGABRT)  # Which no sanitizer takes for its own.
        (ended,) = self.anna.wait(crashed)
        self.assertEqual((ended.state, ended.code), (pb.JOB_STATE_FAILED, grpc.StatusCode.INTERNAL.value[0]))
        self.assertIn("the job's runner ended by signal 6", ended.message)
        killed = self.anna.submit(module(2, LONG), retries=1).id
        self.anna.wait_running(killed)
        os.kill(runners_of(self.pod)[0], signal.SIGKILL)
        self.anna.wait_until(killed, lambda seen: seen.attempts == 2 and seen.progress == "running")
        os.kill(runners_of(self.pod)[0], signal.SIGKILL)
        (ended,) = self.anna.wait(killed)
        self.assertEqual((ended.state, ended.code), (pb.JOB_STATE_FAILED, grpc.StatusCode.UNAVAILABLE.value[0]))

    def test_others_do_not_see_it(self):
        job = self.anna.submit(module(2, LONG), name="secret").id
        self.anna.wait_running(job)
        not_found = grpc.StatusCode.NOT_FOUND
        for method, request in (("GetJob", pb.GetJobRequest(id=job)), ("CancelJob", pb.CancelJobRequest(id=job)),
                                ("RemoveJob", pb.RemoveJobRequest(id=job)),
                                ("ReadJobLog", pb.ReadJobLogRequest(id=job)),
                                ("FetchResult", pb.FetchResultRequest(id=job)),
                                ("WatchJobs", pb.WatchJobsRequest(ids=[job]))):
            self.expect_code(not_found, self.bob.call, method, request)
        self.expect_code(not_found, self.bob.submit, module(2), after=[job])
        listed = self.bob.call("ListJobs", pb.ListJobsRequest())
        self.assertEqual((len(listed.jobs), listed.others_running), (0, 1))
        self.assertNotIn("secret", str(listed))
        self.assertEqual([at.id for at in self.boss.call("ListJobs", pb.ListJobsRequest()).jobs], [job])
        ended = self.boss.call("CancelJob", pb.CancelJobRequest(id=job))
        self.assertEqual((ended.state, ended.message), (pb.JOB_STATE_CANCELLED, "cancelled by token boss"))

    def test_a_restarted_coordinator_has_all_of_it(self):
        done = self.anna.submit(module(4)).id
        self.anna.wait(done)
        running = self.anna.submit(module(8, LONG), submission="once").id
        queued = self.anna.submit(module(4), numpy.full(32, 3, dtype="float32")).id
        self.anna.wait_running(running)
        runner = runners_of(self.pod)[0]
        self.pod.end_coordinator(signal.SIGKILL)
        deadline = time.monotonic() + 10
        while pathlib.Path(f"/proc/{runner}").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(pathlib.Path(f"/proc/{runner}").exists())
        self.pod.start()
        anna = User(self.pod, "anna")
        numpy.testing.assert_array_equal(anna.result(done)[0], 2 * numpy.arange(32, dtype="float32"))
        again = anna.wait_running(running)
        self.assertEqual(again.attempts, 2)
        known = anna.submit(module(8, LONG), submission="once")
        self.assertEqual((known.id, known.known), (running, True))
        anna.call("CancelJob", pb.CancelJobRequest(id=running))
        anna.wait(queued)
        numpy.testing.assert_array_equal(anna.result(queued)[0], numpy.full(32, 6))
        self.assertEqual(anna.submit(module(4)).id, queued + 1)

    def test_draining_puts_what_runs_back_into_the_queue(self):
        running = self.anna.submit(module(8, LONG)).id
        self.anna.wait_running(running)
        begun = time.monotonic()
        self.assertEqual(self.pod.end_coordinator(signal.SIGTERM), 0)
        self.assertLess(time.monotonic() - begun, 8)
        self.pod.start()
        anna = User(self.pod, "anna")
        self.assertEqual(anna.wait_running(running).attempts, 2)
        self.assertIn("attempt 2", anna.log(running))

    def test_what_cannot_run_is_refused_at_once(self):
        wrong = grpc.StatusCode.INVALID_ARGUMENT
        self.assertIn("twice.mlir:1", self.expect_code(wrong, self.anna.submit, b"module {" + b" " * 200))
        self.assertIn("4x2", self.expect_code(wrong, self.anna.submit, module(4), slice="3x3"))
        self.expect_code(wrong, self.anna.submit, module(4), slice="2x1")
        self.expect_code(wrong, self.anna.submit, module(4), numpy.zeros(31, dtype="float32"))
        self.expect_code(wrong, self.anna.submit, module(4), numpy.zeros(33, dtype="float32"))
        self.expect_code(wrong, self.anna.submit, module(4), priority=100000)
        self.assertEqual(self.anna.submit(module(4)).id, 1)

    def test_a_removed_job_is_gone(self):
        job = self.anna.submit(module(2)).id
        self.anna.wait(job)
        log = self.folder / "jobs" / "logs" / f"{job}.1.log"
        self.assertTrue(log.exists())
        self.anna.call("RemoveJob", pb.RemoveJobRequest(id=job))
        self.expect_code(grpc.StatusCode.NOT_FOUND, self.anna.get, job)
        deadline = time.monotonic() + WAIT_S
        while log.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(log.exists())
        self.expect_code(grpc.StatusCode.NOT_FOUND, self.anna.result, job)

    def test_the_submitters_trace_goes_on_to_the_execution(self):
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        job = self.anna.submit(module(2), traceparent=trace, profile=True).id
        (ended,) = self.anna.wait(job)
        self.assertEqual((ended.state, ended.traceparent), (pb.JOB_STATE_SUCCEEDED, trace), ended.message)
        parts = self.anna.call("FetchResult", pb.FetchResultRequest(id=job, report=True))
        self.assertIn(trace, b"".join(part.data for part in parts).decode())

    def test_a_profile_is_kept_where_it_is_asked_for(self):
        job = self.anna.submit(module(2), profile=True).id
        (ended,) = self.anna.wait(job)
        self.assertTrue(ended.has_profile, ended.message)
        parts = list(self.anna.call("FetchResult", pb.FetchResultRequest(id=job, profile=True)))
        data = b"".join(part.data for part in parts)
        from podium.v1 import profile_pb2
        size = int.from_bytes(data[:4], "little")
        self.assertGreater(profile_pb2.ProfilePart.FromString(data[4:4 + size]).ByteSize(), 0)
        parts = self.anna.call("FetchResult", pb.FetchResultRequest(id=job, report=True))
        self.assertIn("program", json.loads(b"".join(part.data for part in parts)))


if __name__ == "__main__":
    scratch = tempfile.mkdtemp()
    generate(pathlib.Path(scratch))
    from podium.v1 import jobs_pb2 as pb, types_pb2
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
