#!/usr/bin/python3
"""Runs a script of Playwright's with Debian's Chromium.

Usage: browser.py FOLDER SCRIPT ARGUMENTS...   FOLDER, in the build folder, gets playwright-core and axe-core of the versions below
from npm, once. The script is run as `node SCRIPT CHROMIUM ARGUMENTS...` with NODE_PATH such that `createRequire(FOLDER)` finds it: its
folder is in PODIUM_BROWSER_FOLDER. Without Node, npm's registry or Chromium it says "skipped: why" and ends with 77, which
ctest knows; with PODIUM_REQUIRE_BROWSER=1, as in CI, with 1.
"""
import os
import pathlib
import shutil
import subprocess
import sys

PACKAGES = ["playwright-core@1.65.1", "axe-core@4.14.1"]
INSTALL_S = 120


def why_not(folder):
    """Why there is no browser to test with; None when there is."""
    for program in ("node", "npm", "chromium"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if all((folder / "node_modules" / package.split("@")[0] / "package.json").exists() for package in PACKAGES):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}\n')
    try:
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", *PACKAGES], cwd=folder, text=True, timeout=INSTALL_S,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return f"npm did not install {PACKAGES} within {INSTALL_S} s"
    return None if done.returncode == 0 else f"npm could not install {PACKAGES}: {done.stdout[-500:]}"


def main(folder, script, *arguments):
    reason = why_not(pathlib.Path(folder))
    if reason is not None:
        is_required = os.environ.get("PODIUM_REQUIRE_BROWSER", "") not in ("", "0")
        print(f"PODIUM_REQUIRE_BROWSER is set, and {reason}" if is_required else f"skipped: {reason}")
        return 1 if is_required else 77
    return subprocess.run(["node", script, shutil.which("chromium"), *arguments],
                          env=dict(os.environ, PODIUM_BROWSER_FOLDER=folder), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
