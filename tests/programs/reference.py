#!/usr/bin/env python3
"""Inputs and the expected result of square(In) @ W, computed by NumPy and not by Podium.

Usage: reference.py FOLDER BATCH D F. Writes in.npy [BATCH, D], w.npy [D, F] and expected.npy [BATCH, F], all bf16 as
ml_dtypes stores it (two raw bytes an element).
"""
import sys

import numpy


def to_bf16(values):
    """Rounds to nearest even; returns the bit patterns."""
    bits = numpy.asarray(values, numpy.float32).view(numpy.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)


def to_float(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


def save(path, bits):
    numpy.save(path, bits.view("V2"))


def main(folder, batch, d, f):
    generator = numpy.random.default_rng(2048)
    x = to_bf16(generator.uniform(-1, 1, (batch, d)))
    w = to_bf16(generator.uniform(-1, 1, (d, f)))
    squared = to_float(to_bf16(to_float(x) ** 2))
    expected = squared.astype(numpy.float64) @ to_float(w).astype(numpy.float64)
    save(f"{folder}/in.npy", x)
    save(f"{folder}/w.npy", w)
    save(f"{folder}/expected.npy", to_bf16(expected))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
