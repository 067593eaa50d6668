#!/usr/bin/env python3
"""Makes a wheel of Podium: the plugin, the daemons, the command line, and the libraries that they need.

Usage: make.py BUILD FOLDER    Prints the path of the wheel that it has written to FOLDER.

What is installed by `cmake --install BUILD` goes into the package podium_tpu, and with it every shared library that is not the C
library's own; all find each other by paths relative to themselves (patchelf). So the wheel works on any Linux of this
architecture whose C library is not older than this machine's, after `pip install` and without anything else. It is written
by hand, since a wheel is a zip file with three texts (PEP 427), and needs nothing from PyPI.
"""
import base64
import hashlib
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("podium", "podium-coordinator", "podium-host", "podium-job", "podium-worker")
# Of the C library: its loader and parts must be those of the machine.
NOT_BUNDLED = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|mvec)\.so.*|linux-vdso.*)$")


def run(*command):
    return subprocess.run(list(map(str, command)), check=True, text=True, stdout=subprocess.PIPE).stdout


def libraries(binary):
    """Yields (name, path) of all that the loader would take for `binary`."""
    for line in run("ldd", binary).splitlines():
        found = re.match(r"\s*(\S+) => (\S+)", line)
        if found and not NOT_BUNDLED.match(found[1]):
            if found[2] == "not":
                raise SystemExit(f"{binary}: {found[1]} is not found")
            yield found[1], pathlib.Path(found[2])


def gather(build, package):
    with tempfile.TemporaryDirectory() as prefix:
        run("cmake", "--install", build, "--prefix", prefix, "--strip")
        prefix = pathlib.Path(prefix)
        (package / "bin").mkdir(parents=True)
        (package / "lib").mkdir()
        for name in PROGRAMS:
            shutil.copy2(prefix / "bin" / name, package / "bin")
        (plugin,) = prefix.rglob("libpodium_pjrt.so")
        shutil.copy2(plugin, package / "lib")
    for binary in [*(package / "bin").iterdir(), package / "lib/libpodium_pjrt.so"]:
        for name, path in libraries(binary):
            if not (package / "lib" / name).exists():
                shutil.copy2(path.resolve(), package / "lib" / name)
    for binary in (package / "bin").iterdir():
        run("patchelf", "--set-rpath", "$ORIGIN/../lib", binary)
    for library in (package / "lib").iterdir():
        library.chmod(0o755)
        run("patchelf", "--set-rpath", "$ORIGIN", library)
    shutil.copy2(HERE / "podium_tpu.py", package / "__init__.py")


def tag():
    _, version = platform.libc_ver()
    return f"py3-none-manylinux_{version.replace('.', '_')}_{platform.machine()}"


def texts(version):
    name = f"podium_tpu-{version}.dist-info"
    yield f"{name}/METADATA", (f"Metadata-Version: 2.1\nName: podium-tpu\nVersion: {version}\n"
                               "Summary: A pod of simulated TPU chips for JAX\nLicense: Apache-2.0\nRequires-Python: >=3.10\n")
    yield f"{name}/WHEEL", f"Wheel-Version: 1.0\nGenerator: podium\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    yield f"{name}/entry_points.txt", "[console_scripts]\npodium = podium_tpu:main\n\n[jax_plugins]\npodium = podium_tpu\n"


def write(folder, package, version):
    wheel = folder / f"podium_tpu-{version}-{tag()}.whl"
    record = []

    def add(archive, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")

    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(p for p in package.rglob("*") if p.is_file()):
            add(archive, f"podium_tpu/{path.relative_to(package)}", path.read_bytes(), path.stat().st_mode & 0o777)
        for name, text in texts(version):
            add(archive, name, text.encode())
        name = f"podium_tpu-{version}.dist-info/RECORD"
        archive.writestr(name, "".join(record) + f"{name},,\n")
    return wheel


def main(build, folder):
    folder.mkdir(parents=True, exist_ok=True)
    version = run(build / "bin/podium", "version").split()[1]
    with tempfile.TemporaryDirectory() as staging:
        package = pathlib.Path(staging, "podium_tpu")
        gather(build, package)
        print(write(folder, package, version))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
