#!/usr/bin/env python3
"""The Python environment in which JAX runs: made once in the build folder, of the versions that requirements.txt pins.

Usage: environment.py make FOLDER           makes FOLDER/venv, unless it is there and its requirements are those of today
       environment.py header FOLDER         brings the official header of the PJRT C API to FOLDER/include
       environment.py run FOLDER SCRIPT…    runs a script by the environment's Python, in place of this process;
       environment.py run-with-header FOLDER SCRIPT…    one that needs the header as well

Where it cannot be made, most likely because no package index is in reach, `make` says why, and `run` says it again for the
test that needs it: "skipped: why", with exit status 77, which ctest knows. With PODIUM_REQUIRE_JAX=1, as in CI, both fail.
Any number may run at once: one makes, under a lock, the others wait.
"""
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
# The only package of an index that ships the header in C. It is large, so that only the header is kept of it.
HEADER_PACKAGE = "tensorflow-cpu==2.21.0"
HEADER_PREFIX = "tensorflow/include/"
HEADER_FOLDERS = ("xla/pjrt/c/", "xla/backends/profiler/plugin/")
SKIPPED = 77  # ctest's SKIP_RETURN_CODE
MAKE_TIMEOUT_S = 900


class Unavailable(Exception):
    """The environment cannot be made here; the text says why."""


def call(command, **more):
    """Runs a command whose output is shown only when it fails: then its last line that names an error is the reason."""
    try:
        done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=MAKE_TIMEOUT_S, check=False, **more)
    except subprocess.TimeoutExpired as late:
        raise Unavailable(f"'{' '.join(map(str, command))}' did not end within {MAKE_TIMEOUT_S} s") from late
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()] or lines or ["it printed nothing"]
        raise Unavailable(f"'{' '.join(map(str, command))}' failed: {errors[-1].strip()}")


def wanted():
    """What the environment was made of: a digest of all that decides what is in it."""
    return hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()


def wanted_header():
    return f"{HEADER_PACKAGE}: {' '.join(HEADER_FOLDERS)}"


def is_made(stamp, content):
    return stamp.exists() and stamp.read_text() == content


def make_venv(folder):
    if is_made(folder / "venv.made", wanted()):
        return
    (folder / "venv.made").unlink(missing_ok=True)
    shutil.rmtree(folder / "venv", ignore_errors=True)
    print(f"making {folder / 'venv'}", flush=True)
    call([sys.executable, "-m", "venv", folder / "venv"])
    call([folder / "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "2", "--no-deps",
          "--requirement", REQUIREMENTS])
    (folder / "venv.made").write_text(wanted())


def make_header(folder):
    if is_made(folder / "include.made", wanted_header()):
        return
    shutil.rmtree(folder / "include", ignore_errors=True)
    print(f"bringing the header of {HEADER_PACKAGE}", flush=True)
    with tempfile.TemporaryDirectory(dir=folder) as download:
        call([folder / "venv/bin/pip", "download", "--quiet", "--disable-pip-version-check", "--retries", "2", "--no-cache-dir",
              "--no-deps", "--dest", download, HEADER_PACKAGE])
        wheel, = pathlib.Path(download).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                path = name.removeprefix(HEADER_PREFIX)
                if path.startswith(HEADER_FOLDERS) and path.endswith(".h"):
                    target = folder / "include" / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(name))
    (folder / "include.made").write_text(wanted_header())


def locked(folder, make, reason):
    """Makes something under the folder's lock; what hinders it is kept in the file `reason`, for `run`."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        reason.unlink(missing_ok=True)
        try:
            make(folder)
        except Unavailable as why:
            reason.write_text(str(why))
            raise


def is_required():
    return os.environ.get("PODIUM_REQUIRE_JAX", "") not in ("", "0")


def main(what, folder, *arguments):
    folder = pathlib.Path(folder).resolve()
    try:
        if what == "make":
            locked(folder, make_venv, folder / "unavailable")
        elif what == "header":
            locked(folder, make_venv, folder / "unavailable")
            locked(folder, make_header, folder / "unavailable.header")
        elif what in ("run", "run-with-header"):
            for reason in ("unavailable", *(["unavailable.header"] if what == "run-with-header" else [])):
                if (folder / reason).exists():
                    raise Unavailable((folder / reason).read_text())
            locked(folder, make_venv, folder / "unavailable")
            os.execv(folder / "venv/bin/python", [folder / "venv/bin/python", "-B", *arguments])
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except Unavailable as why:
        if is_required():
            print(f"PODIUM_REQUIRE_JAX is set, and there is no environment for JAX: {why}", file=sys.stderr)
            return 1
        print(f"skipped: no environment for JAX could be made: {why}")
        return SKIPPED
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
