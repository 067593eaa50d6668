#!/usr/bin/env python3
"""Compares what `golden.bytecode` reads of modules as bytecode and as text.

Usage: compare.py GOLDEN_BYTECODE [FOLDER]. Every module of text under FOLDER, or PODIUM_STABLEHLO_TESTDATA, is written as bytecode by jaxlib: as it is,
and as portable artifacts of the present version and an old one where they can say what it says. Without jaxlib or without
FOLDER nothing is compared, which is said; the exit status is 77 then, which ctest takes for skipped.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    binary = sys.argv[1]
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("PODIUM_STABLEHLO_TESTDATA", "no folder"))
    try:
        from jax._src.interpreters import mlir
        from jaxlib.mlir import ir
        from jaxlib.mlir.dialects import stablehlo
    except ImportError as error:
        print(f"not run: {error}")
        return 77
    paths = sorted(folder.rglob("*.mlir")) if folder.is_dir() else []
    if not paths:
        print(f"not run: no modules in {folder}")
        return 77
    context = mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    versions = [stablehlo.get_current_version(), "1.0.0"]
    unread = written = failed = 0
    with tempfile.TemporaryDirectory() as temporary, context:
        batch = []

        def add(name, bytecode, module):
            batch.append(pathlib.Path(temporary) / f"{name}.mlirbc")
            batch[-1].write_bytes(bytecode)
            batch[-1].with_suffix(".mlir").write_text(module.operation.get_asm(enable_debug_info=True))

        def flush(least):
            nonlocal failed, batch
            if len(batch) > least:
                failed += subprocess.run([binary, *batch], stdout=subprocess.DEVNULL).returncode != 0
                for path in batch:
                    path.unlink()
                    path.with_suffix(".mlir").unlink()
                batch = []

        for path in paths:
            try:
                module = ir.Module.parse(path.read_text())
            except Exception:  # Of a dialect that jaxlib does not have.
                unread += 1
                continue
            with tempfile.TemporaryFile() as file:
                module.operation.write_bytecode(file)
                file.seek(0)
                add(f"{path.stem}", file.read(), module)
            for version in versions:
                try:
                    artifact = stablehlo.serialize_portable_artifact_str(str(module), version)
                    add(f"{path.stem}.{version}", artifact, stablehlo.deserialize_portable_artifact(context, artifact))
                    written += 1
                except Exception:  # What the version cannot say.
                    pass
            flush(100)
        flush(0)
    print(f"{len(paths) - unread} modules of {len(paths)}, {written} artifacts; {failed} batches differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
