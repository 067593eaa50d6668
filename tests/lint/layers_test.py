#!/usr/bin/env python3
"""The layer check is itself checked: a tree with one bad include of each kind must fail.

Usage: layers_test.py. Run by ctest as lint.layers_test.
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import layers

BAD = {
    "common/base/up.c": '#include "server/chip/spec.h"\n',
    "server/worker/across.c": '#include "server/compiler/compiler.h"\n',
    "client/lib/server.c": '#include "server/chip/spec.h"\n',
    "server/compiler/partition/later.c": '#include "server/compiler/schedule/clusters.h"\n',
    "server/compiler/verify/top.c": '#include "server/compiler/compiler.h"\n',
    "server/compiler/lower/chip.c": '#include "server/chip/cost.h"\n',
    "server/coordinator/core/loop.c": '#include "common/rpc/loop.h"\n',
    "server/coordinator/nng.c": "#include <nng/nng.h>\n",
    "server/worker/uv.c": "#include <uv.h>\n",
    "common/base/unknown.c": "#include <zlib.h>\n",
    "server/mystery/new.c": "#include <stdio.h>\n",
}
GOOD = {
    "server/worker/good.c": '#include <stdio.h>\n#include "server/ici/ici.h"\n#include "common/base/status.h"\n',
    "server/compiler/schedule/good.c": '#include "server/compiler/partition/partition.h"\n',
    "server/worker/kernels/product/good.c": "#include <dnnl.h>\n",
    "common/rpc/good.c": "#include <uv.h>\n#include <nghttp2/nghttp2.h>\n",
}

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for path, text in {**BAD, **GOOD}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    found = {error.split(":")[0] for error in layers.check(root)}
missed, wrong = set(BAD) - found, found - set(BAD)
for path in sorted(missed):
    print(f"not caught: {path}")
for path in sorted(wrong):
    print(f"caught by mistake: {path}")
sys.exit(bool(missed or wrong))
