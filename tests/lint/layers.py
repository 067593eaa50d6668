#!/usr/bin/env python3
"""Fails when a source file includes a header its module may not use.

Usage: layers.py ROOT. Run by ctest as lint.layers. The table below is the architecture;
change it only together with the README of the module concerned.
"""
import pathlib
import re
import sys

MAY_USE = {  # module: the modules whose headers it may include
    "common/base": [],
    "common/digest": ["common/base"],
    "common/tensor": ["common/base"],
    "common/mlir": ["common/base", "common/tensor"],
    "common/rpc": ["common/base", "proto"],
    "server/chip": ["common/base", "common/tensor"],
    "server/collective": ["common/base", "common/tensor", "server/chip"],
    "server/ici": ["common/base", "common/tensor", "server/chip", "server/collective"],
    "server/compiler": ["common/base", "common/tensor", "common/mlir", "server/chip", "server/collective"],
    "server/simulator": ["common/base", "common/tensor", "server/chip", "server/collective"],
    "server/wire": ["common/base", "common/tensor", "proto", "server/chip", "server/simulator"],
    "server/worker": ["common/base", "common/tensor", "common/rpc", "proto", "server/chip", "server/collective",
                      "server/ici", "server/wire"],
    "server/coordinator": ["common/base", "common/digest", "common/tensor", "common/rpc", "proto", "server/chip", "server/collective",
                           "server/compiler", "server/simulator", "server/wire"],
    "client/lib": ["common/base", "common/digest", "common/tensor", "common/rpc", "proto"],
    "client/cli": ["common/base", "common/tensor", "common/mlir", "client/lib", "proto"],
}
MAY_USE_LIBRARY = {  # third-party header: the modules that may include it
    r"uv\.h": ["common/rpc"],
    r"nghttp2/": ["common/rpc"],
    r"nng/": ["server/ici"],
    r"openssl/": ["common/digest"],
    r"protobuf-c/": ["common/rpc"],
    r"(oneapi/)?dnnl": ["server/worker"],
    r"omp\.h": ["server/worker"],
    r"cjson/": ["client/cli"],
    r"zlib\.h": ["client/cli"],
}
# Besides these only libc and POSIX; anything else in angle brackets is a library that the table does not know.
LIBC = re.compile(
    r"(a(rgp|ssert)|byteswap|ctype|dirent|dlfcn|elf|endian|errno|fcntl|features|fenv|float|getopt|glob|grp|immintrin|inttypes"
    r"|limits|linux/\w+|locale|malloc|math|net/\w+|netdb|netinet/\w+|poll|pthread|pwd|sched|semaphore|setjmp|signal|spawn"
    r"|std(align|arg|atomic|bool|def|int|io|lib|noreturn)|string|strings|sys/\w+|syslog|termios|time|unistd|wchar"
    r"|x86intrin|complex|arpa/inet|cpuid)\.h$")


def module_of(path):
    parts = pathlib.PurePosixPath(path).parts
    return "proto" if parts[0] == "proto" else "/".join(parts[:2])


def check(root):
    for path in sorted(p for p in root.rglob("*.[ch]") if p.relative_to(root).parts[0] in ("common", "server", "client")):
        relative = path.relative_to(root).as_posix()
        module = module_of(relative)
        if module not in MAY_USE:
            yield f"{relative}:1: folder {module} is not in the table of tests/lint/layers.py"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            own = re.match(r'#include "([^"]+)"', line)
            if own and module_of(own[1]) not in [module, *MAY_USE[module]]:
                yield f"{relative}:{number}: {module} may not include {module_of(own[1])}"
            foreign = re.match(r"#include <([^>]+)>", line)
            if not foreign:
                continue
            users = [users for library, users in MAY_USE_LIBRARY.items() if re.match(library, foreign[1])]
            if users and module not in users[0]:
                yield f"{relative}:{number}: only {', '.join(users[0])} may include <{foreign[1]}>"
            if not users and not LIBC.match(foreign[1]):
                yield f"{relative}:{number}: <{foreign[1]}> is of no library that the table knows"


if __name__ == "__main__":
    errors = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(errors) or "layers: ok")
    sys.exit(bool(errors))
