#!/usr/bin/python3
"""A coordinator that is killed again and again while jobs are submitted and run: what was accepted is there once, and succeeds.

Usage: jobs_kill_test.py BIN PROTO [unittest arguments]. PODIUM_SEED repeats the moments of the kills.
"""
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time
import unittest

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"  # Daemons are forked beside its threads, and exec at once.
import grpc
import numpy

import jobs_test
from jobs_test import Pod, User, module

JOBS = 60
KILLS = 6
DEADLINE_S = 420
# What a call may end with when its coordinator is killed, or is not there yet.
AWAY = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.DEADLINE_EXCEEDED}


def kill_often(pod, seed):
    """Kills the coordinator at random moments, and starts it and its workers anew. On the main thread: a daemon ends with
    the thread that has started it."""
    moments = random.Random(seed)
    for _ in range(KILLS):
        time.sleep(moments.uniform(0.05, 1.2))
        pod.end_coordinator(signal.SIGKILL)
        pod.start()


class Submitter(threading.Thread):
    """Does what a user does, and keeps what went wrong."""

    def __init__(self, act):
        super().__init__()
        self.act, self.error = act, None

    def run(self):
        try:
            self.act()
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error


class Client:
    """A user that does not know whether a call got through, and asks again with the same key."""

    def __init__(self, pod, end):
        self.pod, self.end, self.address, self.user = pod, end, None, None

    def until_it_works(self, call):
        while True:
            assert time.monotonic() < self.end, "the pod did not come back"
            try:
                if self.address != self.pod.address:
                    self.address, self.user = self.pod.address, User(self.pod, "anna")
                return call(self.user)
            except grpc.RpcError as error:
                if error.code() not in AWAY:
                    raise
                time.sleep(0.02)


class JobsKillTest(unittest.TestCase):
    def test_every_accepted_job_is_there_once_and_succeeds(self):
        seed = int(os.environ.get("PODIUM_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)
        print(f"PODIUM_SEED={seed}", flush=True)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="jobskill"))
        pod = Pod(folder)
        client = Client(pod, time.monotonic() + DEADLINE_S)
        self.accepted = {}
        submitter = Submitter(lambda: self.submit_all(client))
        try:
            submitter.start()
            kill_often(pod, seed)
            submitter.join()
            if submitter.error is not None:
                raise submitter.error
            attempts = self.check_all(client)
            print(f"{KILLS} kills, {attempts} attempts at {JOBS} jobs")
        except BaseException:
            print((folder / "log").read_text()[-20000:])
            raise
        finally:
            client.end = 0
            submitter.join()
            pod.stop()

    @staticmethod
    def input_of(i):
        return numpy.full(32, float(i + 1), dtype="float32")

    def submit_all(self, client):
        for i in range(JOBS):
            answer = client.until_it_works(
                lambda user, i=i: user.submit(module(2, 2000), self.input_of(i), submission=f"key {i}", retries=3))
            self.assertNotIn(answer.id, self.accepted.values())
            self.accepted[i] = answer.id
            if i % 6 == 5:  # Until some have run, so that kills come at all times of a job's life.
                client.until_it_works(lambda user, job=answer.id: self.ended(user, job))

    def check_all(self, client):
        for i, job in self.accepted.items():
            ended = client.until_it_works(lambda user, job=job: self.ended(user, job))
            self.assertEqual(ended.state, pb.JOB_STATE_SUCCEEDED, ended.message)
            values, _ = client.until_it_works(lambda user, job=job: user.result(job))
            numpy.testing.assert_array_equal(values, 2 * self.input_of(i))
        listed = client.until_it_works(lambda user: user.call("ListJobs", pb.ListJobsRequest()))
        self.assertEqual(sorted(job.id for job in listed.jobs), sorted(self.accepted.values()))
        again = client.until_it_works(
            lambda user: user.submit(module(2, 2000), self.input_of(0), submission="key 0"))
        self.assertEqual((again.id, again.known), (self.accepted[0], True))
        return sum(job.attempts for job in listed.jobs)

    @staticmethod
    def ended(user, job):
        while (seen := user.get(job)).ended_us == 0:
            time.sleep(0.02)
        return seen


if __name__ == "__main__":
    scratch = tempfile.mkdtemp()
    jobs_test.generate(pathlib.Path(scratch))
    from podium.v1 import jobs_pb2 as pb, types_pb2
    jobs_test.pb, jobs_test.types_pb2 = pb, types_pb2
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
