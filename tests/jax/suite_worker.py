"""Runs the tests of one of JAX's test files in this process, and tells each test's start and end on a pipe, a line of JSON each.

Usage: suite_worker.py FILE PIPE SHARD SHARDS PATTERN DONE [OUTCOMES]

Of the tests whose names contain PATTERN, and that did not pass in the file OUTCOMES, if one is given, it runs every SHARDSth from
SHARD on, except the first DONE of those. Started by suite.py, which kills it when a test takes too long, and starts it again behind
the test that ended it.
"""
import importlib.util
import json
import os
import pathlib
import sys
import traceback
import unittest


def load(path):
    """The tests of a file, in its order, loaded as the main program would be: absl's flags without arguments."""
    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    from absl import flags
    if not flags.FLAGS.is_parsed():
        flags.FLAGS(sys.argv[:1])
    return list(flattened(unittest.defaultTestLoader.loadTestsFromModule(module)))


def flattened(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flattened(test)
        else:
            yield test


def reason(exception):
    """The kind of an exception and what it says."""
    kind, value, _ = exception
    try:
        return f"{kind.__name__}: {value}"
    except Exception as broken:  # What a test raises may fail to print itself.
        return f"{kind.__name__}, whose text cannot be had: {broken!r}"


class Told(unittest.TestResult):
    """Writes what becomes of each test. A test with several failures (subtests) fails with the first."""

    def __init__(self, pipe):
        super().__init__()
        self.pipe = pipe
        self.outcome = None

    def tell(self, **event):
        os.write(self.pipe, (json.dumps(event) + "\n").encode())

    def startTest(self, test):
        super().startTest(test)
        self.outcome = ("passed", "", "")
        self.tell(start=test.id())

    def stopTest(self, test):
        super().stopTest(test)
        outcome, why, trace = self.outcome
        self.tell(end=test.id(), outcome=outcome, reason=why[:4000], trace=trace[-6000:])

    def fail(self, test, exception):
        why = reason(exception)
        trace = "".join(traceback.format_exception(*exception))
        if not isinstance(test, unittest.TestCase):  # setUpModule or setUpClass: no test was started, and none will be.
            self.tell(fixture=str(test), reason=why[:4000], trace=trace[-6000:])
        elif self.outcome is None or self.outcome[0] != "failed":
            self.outcome = ("failed", why, trace)

    def addError(self, test, err):
        self.fail(test, err)

    def addFailure(self, test, err):
        self.fail(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.fail(test, err)

    def addSkip(self, test, reason):
        if not isinstance(test, unittest.TestCase):
            self.tell(fixture=str(test), skipped=reason)
        else:
            self.outcome = ("skipped", reason, "")

    def addExpectedFailure(self, test, err):
        self.outcome = ("passed", "", "")

    def addUnexpectedSuccess(self, test):
        self.outcome = ("failed", "a failure was expected", "")


def bad_in(outcomes):
    """A function that says whether a test is wanted: all are when there is no such file."""
    if not outcomes:
        return lambda name: True
    bad = {name for name, (outcome, *_) in json.loads(pathlib.Path(outcomes).read_text()).items()
           if outcome not in ("passed", "skipped")}
    return bad.__contains__


def main(file, pipe, shard, shards, pattern, done, outcomes=""):
    is_wanted = bad_in(outcomes)
    result = Told(int(pipe))
    try:
        tests = load(pathlib.Path(file))
    except unittest.SkipTest as skip:
        result.tell(unloadable=f"skipped as a whole: {skip}", skipped=True)
        return
    except BaseException:
        kind, value, _ = sys.exc_info()
        result.tell(unloadable=f"{kind.__name__}: {value}", trace=traceback.format_exc()[-6000:])
        return
    chosen = [test for test in tests if pattern in test.id() and is_wanted(test.id())][int(shard)::int(shards)][int(done):]
    result.tell(count=len(chosen))
    # What tests print belongs to the log, not to the report.
    unittest.TestSuite(chosen).run(result)
    result.tell(finished=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
    # Threads of a backend that hang at its end are nobody's test.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
