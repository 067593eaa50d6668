#!/usr/bin/env python3
"""Writes the modules of this folder: Pallas kernels as jax.export hands them to a TPU, which needs none for it.

Usage: kernels.py FOLDER [NAME…]      with the Python of tests/jax/environment.py

The bytes depend on the version of JAX (tests/jax/requirements.txt) and on the lines of this file, whose names and places
kernels carry with them; what tests expect of them does not.
"""
import functools
import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import export
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu import flash_attention as flash
from jax.experimental.pallas.ops.tpu.megablox import gmm
from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks
from jax.sharding import PartitionSpec

WRITERS = {}


def kernel(write):
    WRITERS[write.__name__] = write
    return write


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def loss(f):
    return lambda *arguments: f(*arguments).astype(jnp.float32).sum()


# --- The product of JAX's matmul.ipynb, whose times are published ---


def product_kernel(x_ref, y_ref, z_ref, acc_ref, *, nsteps):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == nsteps - 1)
    def _():
        z_ref[...] = acc_ref[...].astype(z_ref.dtype)


def product(x, y, bm, bk, bn, cost=None, semantics=("parallel", "parallel", "arbitrary"), **more):
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        functools.partial(product_kernel, nsteps=k // bk),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=0,
            in_specs=[pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)), pl.BlockSpec((bk, bn), lambda i, j, k: (k, j))],
            out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
            scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
            grid=(m // bm, n // bn, k // bk)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        cost_estimate=cost,
        compiler_params=pltpu.CompilerParams(dimension_semantics=semantics, **more))(x, y)


def square(size, *blocks, **more):
    return lambda x, y: product(x, y, *blocks, **more), (array(size, size), array(size, size))


@kernel
def product_8192_128():
    return square(8192, 128, 128, 128)


@kernel
def product_4096_128():
    return square(4096, 128, 128, 128)


@kernel
def product_8192_512():
    return square(8192, 512, 1024, 1024)


@kernel
def product_4096_512():
    return square(4096, 512, 1024, 1024)


@kernel
def product_sequential():
    """No dimension that two cores could share."""
    return square(4096, 512, 1024, 1024, semantics=("arbitrary", "arbitrary", "arbitrary"))


@kernel
def product_too_large():
    """Blocks that no VMEM of 16 MiB holds twice."""
    return square(8192, 2048, 2048, 1024)


@kernel
def product_with_limit():
    """The same, with a limit of its own."""
    return square(8192, 2048, 2048, 1024, vmem_limit_bytes=64 << 20)


@kernel
def product_in_scan():
    def f(x, ys):
        return jax.lax.scan(lambda x, y: (product(x, y, 256, 256, 256), None), x, ys)[0]
    return f, (array(512, 512), array(6, 512, 512))


# --- In place ---


@kernel
def in_place():
    def add_one(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    def f(x):
        return pl.pallas_call(
            add_one, grid=(16,), in_specs=[pl.BlockSpec((256, 1024), lambda i: (i, 0))],
            out_specs=pl.BlockSpec((256, 1024), lambda i: (i, 0)), out_shape=array(4096, 1024, dtype=jnp.float32),
            input_output_aliases={0: 0})(x * 2)
    return f, (array(4096, 1024, dtype=jnp.float32),)


# --- Between chips ---


def remote_copy(cost):
    def copy(x_ref, o_ref, send_sem, recv_sem):
        to = jax.lax.rem(jax.lax.axis_index("x") + 1, 4)
        transfer = pltpu.make_async_remote_copy(src_ref=x_ref, dst_ref=o_ref, send_sem=send_sem, recv_sem=recv_sem,
                                                device_id=(to,), device_id_type=pl.DeviceIdType.MESH)
        transfer.start()
        transfer.wait()

    def f(x):
        return pl.pallas_call(
            copy, in_specs=[pl.BlockSpec(memory_space=pl.ANY)], out_specs=pl.BlockSpec(memory_space=pl.ANY),
            scratch_shapes=[pltpu.SemaphoreType.DMA] * 2, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
            cost_estimate=cost)(x)
    return f


def over_four(f, shape):
    mesh = jax.sharding.AbstractMesh((4,), ("x",))
    spec = PartitionSpec("x")
    return jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False), (array(*shape),)


@kernel
def remote():
    return over_four(remote_copy(None), (1024, 1024))


@kernel
def remote_with_estimate():
    cost = pl.CostEstimate(flops=0, transcendentals=0, bytes_accessed=1 << 20, remote_bytes_transferred=1 << 19)
    return over_four(remote_copy(cost), (1024, 1024))


@kernel
def sharded_product():
    def f(x, y):
        return product(x, y, 256, 256, 256)
    mesh = jax.sharding.AbstractMesh((4,), ("x",))
    sharded = jax.shard_map(f, mesh=mesh, in_specs=(PartitionSpec("x"), PartitionSpec()), out_specs=PartitionSpec("x"),
                            check_vma=False)
    return sharded, (array(2048, 512), array(512, 512))


# --- Attention ---

HEADS, LENGTH, SIZE = 8, 2048, 128
BLOCKS = flash.BlockSizes(
    block_q=512, block_k_major=512, block_k=512, block_b=1, block_q_major_dkv=512, block_k_major_dkv=512,
    block_k_dkv=512, block_q_dkv=512, block_k_major_dq=512, block_k_dq=512, block_q_dq=512)


def flash_attention(causal, blocks=BLOCKS):
    return functools.partial(flash.flash_attention, causal=causal, sm_scale=0.1, block_sizes=blocks)


def batch(batch_size=1):
    return (array(batch_size, HEADS, LENGTH, SIZE),) * 3


@kernel
def flash_full():
    return flash_attention(False), batch()


def blocks_of(size):
    return flash.BlockSizes(block_q=size, block_k_major=size, block_k=size, block_b=1)


@kernel
def flash_512_128():
    """In the default blocks, whose times are published (jax-ml/jax, issue 24633)."""
    return flash_attention(False, blocks_of(128)), [array(8, 16, 512, 128)] * 3


@kernel
def flash_4096_128():
    return flash_attention(False, blocks_of(128)), [array(8, 16, 4096, 128)] * 3


@kernel
def flash_4096_512():
    return flash_attention(False, blocks_of(512)), [array(8, 16, 4096, 128)] * 3


@kernel
def flash_causal():
    return flash_attention(True), batch()


@kernel
def flash_causal_grad():
    return jax.grad(loss(flash_attention(True)), (0, 1, 2)), batch()


def splash_attention(mask, fused=True):
    blocks = splash.BlockSizes(
        block_q=512, block_kv=512, block_kv_compute=512, block_q_dkv=512, block_kv_dkv=512, block_kv_dkv_compute=512,
        block_q_dq=None if fused else 512, block_kv_dq=None if fused else 512, use_fused_bwd_kernel=fused)
    return splash.make_splash_mha(mask=masks.MultiHeadMask([mask] * HEADS), head_shards=1, q_seq_shards=1,
                                  block_sizes=blocks)


@kernel
def splash_causal():
    return splash_attention(masks.CausalMask((LENGTH, LENGTH))), (array(HEADS, LENGTH, SIZE),) * 3


@kernel
def splash_local():
    """Only what is at most 511 before."""
    mask = masks.LocalMask((LENGTH, LENGTH), window_size=(511, 0), offset=0)
    return splash_attention(mask), (array(HEADS, LENGTH, SIZE),) * 3


@kernel
def splash_causal_grad():
    attention = splash_attention(masks.CausalMask((LENGTH, LENGTH)), fused=False)
    return jax.grad(loss(jax.vmap(attention)), (0, 1, 2)), batch(2)


@kernel
def paged():
    """A step of decoding for 32 sequences out of a cache of 1024 pages of 16."""
    def f(q, k, v, lengths, pages):
        return paged_attention(q, k, v, lengths, pages, pages_per_compute_block=8)
    pages = array(8, 1024, 16, 128)
    return f, (array(32, 32, 128), pages, pages, array(32, dtype=jnp.int32), array(32, 128, dtype=jnp.int32))


# --- Products of groups, as a mixture of experts has them ---


def grouped(lhs, rhs, sizes):
    return gmm(lhs, rhs, sizes, preferred_element_type=jnp.bfloat16, tiling=(512, 1024, 1024))


GROUPED = (array(4096, 2048), array(8, 2048, 4096), array(8, dtype=jnp.int32))


@kernel
def megablox():
    return grouped, GROUPED


@kernel
def megablox_grad():
    return jax.grad(loss(grouped), (0, 1)), GROUPED


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or WRITERS:
        function, arguments = WRITERS[name]()
        exported = export.export(jax.jit(function), platforms=["tpu"],
                                 disabled_checks=[export.DisabledSafetyCheck.custom_call("tpu_custom_call")])(*arguments)
        (folder / f"{name}.mlir").write_text(exported.mlir_module(), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
