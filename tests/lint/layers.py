#!/usr/bin/env python3
"""Fails when a source file includes a header its module may not use.

Usage: layers.py ROOT. Run by ctest as lint.layers. The table below is the architecture;
change it only together with the README of the module concerned.
"""
import pathlib
import re
import sys

BASE = ["common/base", "common/tensor"]
# What every stage of the compiler may use; the stages stand below in the order in which they build on each other.
STAGE = BASE + ["common/mlir", "server/program", "server/compiler/dialect"]
# A folder that is not listed belongs to the folder above it.
MAY_USE = {  # module: the modules whose headers it may include
    "common/base": [],
    "common/digest": ["common/base"],
    "common/certificates": ["common/base", "common/digest"],
    "common/access": ["common/base", "common/digest"],
    "common/shared": ["common/base"],
    "common/tensor": ["common/base"],
    "common/metrics": ["common/base"],
    "common/report": ["common/base"],
    "common/mlir": BASE,
    "common/http": ["common/base"],
    "common/rpc": ["common/base", "common/http", "proto"],
    "server/program": BASE,
    "server/chip": BASE + ["server/program"],
    "server/collective": BASE + ["server/program", "server/chip"],
    "server/collective/algorithms": ["common/base", "server/collective"],
    "server/ici": BASE + ["common/digest", "server/program", "server/chip", "server/collective"],
    "server/compiler/dialect": BASE + ["common/mlir", "server/program"],
    "server/compiler/verify": STAGE,
    "server/compiler/simplify": STAGE,
    "server/compiler/legalize": STAGE + ["server/compiler/verify"],
    "server/compiler/partition": STAGE + ["server/compiler/verify"],
    "server/compiler/placement": STAGE + ["server/compiler/simplify"],
    "server/compiler/lower": STAGE + ["server/compiler/verify", "server/compiler/partition", "server/compiler/placement"],
    "server/compiler/pallas": STAGE + ["server/chip"],
    "server/compiler/schedule": STAGE + ["server/compiler/verify", "server/compiler/partition",
                                         "server/compiler/placement", "server/compiler/lower", "server/chip", "server/collective", "server/simulator"],
    "server/compiler/collectives": STAGE + ["server/compiler/placement", "server/compiler/lower", "server/simulator", "server/compiler/partition", "server/compiler/schedule", "server/compiler/simplify", "server/chip"],
    "server/compiler": STAGE + ["server/compiler/collectives", "server/compiler/verify", "server/compiler/simplify", "server/compiler/legalize",
                                "server/compiler/partition", "server/compiler/placement", "server/compiler/lower",
                                "server/compiler/pallas", "server/compiler/schedule", "server/chip", "server/collective",
                                "server/simulator"],
    "server/simulator": BASE + ["server/program", "server/chip", "server/collective"],
    "server/wire": BASE + ["proto", "server/program", "server/chip", "server/simulator"],
    "server/worker/kernels/loops": BASE + ["server/program", "server/worker/kernels"],
    "server/worker/kernels/region": BASE + ["server/program", "server/worker/kernels", "server/worker/kernels/loops"],
    "server/worker/kernels/linear": BASE + ["server/program", "server/worker/kernels", "server/worker/kernels/loops"],
    "server/worker/kernels/product": BASE + ["server/program", "server/worker/kernels", "server/worker/kernels/loops"],
    "server/worker/kernels": BASE + ["server/program", "server/worker/kernels/loops", "server/worker/kernels/region",
                                     "server/worker/kernels/product", "server/worker/kernels/linear"],
    "server/daemon": ["common/base", "common/rpc"],
    "server/worker": BASE + ["common/access", "common/digest", "server/daemon", "common/rpc", "common/shared", "proto", "server/program", "server/chip",
                             "server/collective", "server/ici",
                             "server/wire", "server/worker/kernels"],
    "server/jobs": ["common/base", "common/digest"],
    # podium-job, a program of its own: the one client of the pod that stands with the server, whose store it writes to.
    "server/jobs/runner": BASE + ["client/lib", "client/profile", "server/jobs"],
    "server/host": BASE + ["server/daemon", "common/access", "common/http", "common/metrics", "common/rpc"],
    "server/coordinator/core": BASE + ["common/digest", "server/program", "server/chip", "server/compiler"],
    "server/coordinator/compiling": BASE + ["proto", "server/program", "server/chip", "server/compiler", "server/wire"],
    "server/coordinator": BASE + ["common/access", "common/http", "common/metrics", "server/daemon", "common/digest", "common/rpc", "proto", "server/program", "server/chip", "server/compiler",
                                  "server/jobs", "server/simulator", "server/wire", "server/coordinator/core", "server/coordinator/compiling",
                                  "server/coordinator/page"],
    "server/coordinator/page": BASE + ["common/access", "common/digest", "common/http", "common/metrics", "common/report", "common/rpc", "proto",
                                       "server/program", "server/chip", "server/coordinator", "server/coordinator/core", "server/coordinator/services"],
    "server/coordinator/services": BASE + ["common/access", "common/metrics", "common/digest", "common/rpc", "proto", "server/program", "server/chip",
                                           "server/compiler", "server/jobs", "server/wire", "server/coordinator",
                                           "server/coordinator/core"],
    "client/lib": BASE + ["common/access", "common/digest", "common/rpc", "common/shared", "proto"],
    "client/profile": BASE + ["common/report", "client/lib", "proto"],
    "client/pjrt": BASE + ["common/digest", "client/lib", "client/profile", "proto"],
    "client/launch": ["common/base"],
    "client/cli": BASE + ["common/certificates", "client/launch", "common/mlir", "common/report", "client/lib", "client/profile", "proto"],
}
MAY_USE_LIBRARY = {  # third-party header: the modules that may include it
    r"uv\.h": ["common/rpc"],
    r"nghttp2/": ["common/rpc"],
    r"nng/": ["server/ici"],
    r"openssl/": ["common/digest", "common/certificates", "common/rpc", "server/ici"],
    r"protobuf-c/": ["common/rpc"],
    r"(oneapi/)?dnnl": ["server/worker"],
    r"omp\.h": ["server/worker"],
    r"(cblas|lapacke)": ["server/worker/kernels/linear"],
    r"cjson/": ["client/cli"],
    r"zlib\.h": ["client/cli"],
    r"sqlite3\.h": ["server/jobs"],
}
# Besides these only libc and POSIX; anything else in angle brackets is a library that the table does not know.
LIBC = re.compile(
    r"(a(rgp|ssert)|byteswap|ctype|dirent|dlfcn|elf|endian|errno|fcntl|features|fenv|float|ftw|getopt|glob|grp|immintrin|inttypes"
    r"|limits|linux/\w+|locale|malloc|math|net/\w+|netdb|netinet/\w+|poll|pthread|pwd|sched|semaphore|setjmp|signal|spawn"
    r"|std(align|arg|atomic|bool|def|int|io|lib|noreturn)|string|strings|sys/\w+|syslog|termios|time|unistd|wchar"
    r"|x86intrin|complex|arpa/inet|cpuid)\.h$")


def module_of(path):
    """The innermost folder of `path` that the table has; its first two names when it has none."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "proto":
        return "proto"
    for length in range(len(parts) - 1, 1, -1):
        if "/".join(parts[:length]) in MAY_USE:
            return "/".join(parts[:length])
    return "/".join(parts[:2])


def check(root):
    for path in sorted(p for p in root.rglob("*.[ch]") if p.relative_to(root).parts[0] in ("common", "server", "client")):
        relative = path.relative_to(root).as_posix()
        module = module_of(relative)
        if module not in MAY_USE:
            yield f"{relative}:1: folder {module} is not in the table of tests/lint/layers.py"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            own = re.match(r'#include "([^"]+)"', line)
            if own and "/" not in own[1] and (path.parent / own[1]).is_file():
                continue  # A public header names its neighbour as it stands where both are installed.
            if own and module_of(own[1]) not in [module, *MAY_USE[module]]:
                yield f"{relative}:{number}: {module} may not include {module_of(own[1])}"
            foreign = re.match(r"#include <([^>]+)>", line)
            if not foreign:
                continue
            users = [users for library, users in MAY_USE_LIBRARY.items() if re.match(library, foreign[1])]
            if users and not any(f"{module}/".startswith(f"{user}/") for user in users[0]):
                yield f"{relative}:{number}: only {', '.join(users[0])} may include <{foreign[1]}>"
            if not users and not LIBC.match(foreign[1]):
                yield f"{relative}:{number}: <{foreign[1]}> is of no library that the table knows"


if __name__ == "__main__":
    errors = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(errors) or "layers: ok")
    sys.exit(bool(errors))
