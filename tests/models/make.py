#!/usr/bin/env python3
"""Writes the modules of the published training runs: one for each row of tests/bench/fidelity/models.csv, in portable bytecode.

Usage: make.py FOLDER [ID…]

No chip is needed: JAX lowers for the platform tpu with as many CPU devices as the run had chips, and computes nothing.
"""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=512"
os.environ["JAX_PLATFORMS"] = "cpu"

import argparse
import csv
import pathlib
import re

import jax

import decoder

# Places in the modules are those of this folder's files, wherever it lies.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
jax.config.update("jax_traceback_in_locations_limit", 1)

TABLE = pathlib.Path(__file__).resolve().parent.parent / "bench/fidelity/models.csv"
# What of a run's configuration is no column of the table. W1 was measured in April 2023 (MaxText 281e04bf3), when attention had
# no kernel; it had a bias by relative position in place of RoPE, which costs about as much.
OF_2023 = {"embeds_by_product": False, "attention": "dot_product", "norms_queries": True}
MORE = {
    "W1": OF_2023,
    "W1-52B": OF_2023,
    "W6": {"remat": "minimal"},
    "W6-64B": {"remat": "minimal"},
    "W6-128B": {"remat": "minimal"},
    "W9": {"remat": "offload", "is_parallel": False, "attention_block": 2048, "rope_theta": 500_000.0},
}


def rows():
    with open(TABLE, encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def chip_count(row):
    count = 1
    for extent in row["topology"].split("x"):
        count *= int(extent)
    return count


def config_of(row, **more):
    numbers = {name: int(row[name]) for name in ("layers", "d_model", "d_ff", "heads", "kv_heads", "head_dim", "vocab", "seq")}
    batch = int(row["batch_per_chip"]) * chip_count(row)
    fields = {**numbers, "batch": batch, "is_gated": row["mlp"].startswith("gated"), **MORE.get(row["id"], {}), **more}
    return decoder.Config(**fields)


def module_of(row, **more):
    """The module of a row's step as bytes; `more` replaces fields of its configuration."""
    config = config_of(row, **more)
    over_tensor = re.search(r"tensor (\d+)", row["sharding"])
    tensor, chips = int(over_tensor[1]) if over_tensor else 1, chip_count(row)
    mesh = jax.make_mesh((chips // tensor, tensor), ("fsdp", "tensor"), devices=jax.devices()[:chips],
                         axis_types=(jax.sharding.AxisType.Auto,) * 2)
    exported = jax.export.export(decoder.train_step(config, mesh), platforms=["tpu"],
                                 disabled_checks=[jax.export.DisabledSafetyCheck.custom_call("tpu_custom_call")])
    return exported(*decoder.arguments(config)).mlir_module_serialized


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("ids", nargs="*", metavar="ID")
    options = parser.parse_args()
    table = rows()
    for name in options.ids or table:
        module = module_of(table[name])
        (options.folder / f"{name}.mlirbc").write_bytes(module)
        print(f"{name}: {len(module)} bytes")


if __name__ == "__main__":
    main()
