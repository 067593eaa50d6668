#!/usr/bin/env python3
"""Turns files into a C source with their bytes, one after the other, and the digest of the whole.

Usage: embed.py OUT.c HEADER TYPE NAME=FILE[,FILE…]…. Each NAME becomes `const TYPE NAME = {bytes, size, hash}`, as
HEADER declares it; the hash is that of a Content-Security-Policy.
"""
import base64
import hashlib
import pathlib
import sys


def c_bytes(data):
    rows = (data[at : at + 20] for at in range(0, len(data), 20))
    return "\n".join("  " + ",".join(str(byte) for byte in row) + "," for row in rows)


def generate(header, kind, assets):
    yield f'#include "{header}"\n'
    for asset in assets:
        name, _, files = asset.partition("=")
        data = b"".join(pathlib.Path(file).read_bytes() for file in files.split(","))
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        # char may be signed; the bytes of UTF-8 are above 127.
        yield f"static const unsigned char {name}_bytes[] = {{\n{c_bytes(data)}\n  0,\n}};"
        yield f'const {kind} {name} = {{(const char *){name}_bytes, {len(data)}, "sha256-{digest}"}};'


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text("\n".join(generate(sys.argv[2], sys.argv[3], sys.argv[4:])) + "\n")
