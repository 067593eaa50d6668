#!/usr/bin/env python3
"""Turns a FileDescriptorSet (protoc --descriptor_set_out --include_imports) into C tables.

Usage: embed_descriptors.py SET OUT.c. Reads the wire format itself, so that the build needs
no protobuf package for Python. The tables are declared in proto/descriptors.h.
"""
import pathlib
import sys

# Field numbers of descriptor.proto. A symbol is a named thing inside a file.
FILE_NAME, FILE_PACKAGE, FILE_IMPORT = 1, 2, 3
FILE_MESSAGE, FILE_ENUM, FILE_SERVICE = 4, 5, 6
MESSAGE_FIELD, MESSAGE_NESTED, MESSAGE_ENUM, MESSAGE_ONEOF = 2, 3, 4, 8
ENUM_VALUE, SERVICE_METHOD = 2, 2


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The length-delimited fields of a message, as (number, bytes); others are skipped."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            _, at = varint(data, at)
        elif kind == 1:
            at += 8
        elif kind == 5:
            at += 4
        elif kind == 2:
            size, at = varint(data, at)
            yield key >> 3, data[at : at + size]
            at += size
        else:
            raise ValueError(f"wire type {kind} in a descriptor")


def texts(data, number):
    return [value.decode() for field, value in fields(data) if field == number]


def join(scope, name):
    return f"{scope}.{name}" if scope else name


def members(data, scope, number):
    for field, value in fields(data):
        if field == number:
            yield join(scope, texts(value, 1)[0])


def enum_symbols(data, scope):
    yield join(scope, texts(data, 1)[0])
    # C++ scoping: the values of an enum are siblings of it.
    yield from members(data, scope, ENUM_VALUE)


def message_symbols(data, scope):
    name = join(scope, texts(data, 1)[0])
    yield name
    yield from members(data, name, MESSAGE_FIELD)
    yield from members(data, name, MESSAGE_ONEOF)
    for field, value in fields(data):
        if field == MESSAGE_NESTED:
            yield from message_symbols(value, name)
        elif field == MESSAGE_ENUM:
            yield from enum_symbols(value, name)


def file_symbols(data):
    package = (texts(data, FILE_PACKAGE) or [""])[0]
    for field, value in fields(data):
        if field == FILE_MESSAGE:
            yield from message_symbols(value, package)
        elif field == FILE_ENUM:
            yield from enum_symbols(value, package)
        elif field == FILE_SERVICE:
            name = join(package, texts(value, 1)[0])
            yield name
            yield from members(value, name, SERVICE_METHOD)


def c_bytes(data):
    rows = (data[at : at + 20] for at in range(0, len(data), 20))
    return "\n".join("  " + ",".join(str(byte) for byte in row) + "," for row in rows)


def generate(descriptor_set):
    files = [value for number, value in fields(descriptor_set) if number == 1]
    names = [texts(data, FILE_NAME)[0] for data in files]
    yield '#include "proto/descriptors.h"\n'
    rows, symbols = [], []
    for index, data in enumerate(files):
        imports = [names.index(name) for name in texts(data, FILE_IMPORT)]
        yield f"static const uint8_t data_{index}[] = {{\n{c_bytes(data)}\n}};"
        yield f"static const size_t imports_{index}[] = {{{', '.join(map(str, [*imports, 0]))}}};"
        rows.append(f'  {{"{names[index]}", data_{index}, {len(data)}, imports_{index}, {len(imports)}}},')
        symbols += [(name, index) for name in file_symbols(data)]
    yield "const proto_file_t proto_files[] = {\n" + "\n".join(rows) + "\n};"
    yield f"const size_t proto_file_count = {len(files)};"
    yield "const proto_symbol_t proto_symbols[] = {"
    for name, index in sorted(symbols):
        yield f'  {{"{name}", {index}}},'
    yield f"}};\nconst size_t proto_symbol_count = {len(symbols)};"


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1]).read_bytes()
    pathlib.Path(sys.argv[2]).write_text("\n".join(generate(source)) + "\n")
