#!/usr/bin/env python3
"""Writes programs of JAX as bytecode, and as the text that MLIR prints of the same bytecode.

Usage: generate.py FOLDER. Needs JAX (0.10 is what the files beside this were written with); for every program NAME the
files are NAME.mlirbc and NAME.mlir, which `golden.bytecode` compares.
"""
import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir
from jax import export, lax
from jax.sharding import NamedSharding, PartitionSpec as P
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

F32 = jnp.float32
DTYPES = ["bool", "int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4", "uint8", "uint16", "uint32", "uint64",
          "bfloat16", "float16", "float32", "float64", "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e4m3fnuz",
          "float8_e4m3b11fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn", "complex64", "complex128"]
PROGRAMS = {}


def program(*arguments):
    def enter(function):
        PROGRAMS[function.__name__] = (function, arguments)
        return function
    return enter


def shaped(*sizes, dtype=F32):
    return jax.ShapeDtypeStruct(sizes, dtype)


@program(shaped(4, 8), shaped(8, 3))
def matmul(x, y):
    return jnp.sin(x) @ y, jnp.argmax(x, axis=0), x[::2], jax.nn.softmax(x)


@program(shaped(3))
def constants(x):
    splat = jnp.full((70,), True)
    bits = jnp.asarray(np.arange(37) % 3 == 0)
    few = jnp.asarray(np.array([True, False, True]))
    return (splat, bits, few, jnp.asarray(np.arange(60, dtype=np.float32).reshape(5, 12) / 7), jnp.asarray([1 + 2j, 3 - 1j]),
            jnp.asarray(np.array([np.nan, np.inf, -0.0], np.float32)) + x, jnp.zeros((0, 4)), jnp.asarray(np.array(-7, np.int16)),
            jnp.asarray(np.array([-3, 7, -8], jnp.int4)), jnp.asarray(np.array([3, 15], jnp.uint4)),
            jnp.asarray(np.array([0.5, -448, np.nan], jnp.float8_e4m3fn)), jnp.asarray(np.arange(4).astype(jnp.bfloat16)))


@program(*[shaped(3, dtype=jnp.dtype(name)) for name in DTYPES])
def dtypes(*arguments):
    values = tuple(jnp.asarray(np.asarray([1, 0, 1]).astype(jnp.dtype(name))) for name in DTYPES)
    return arguments, values


@program(shaped(5), shaped(dtype=jnp.int32))
def control(x, n):
    looped = lax.fori_loop(0, n, lambda i, c: jnp.tanh(c) * i, x)
    chosen = lax.switch(n, [jnp.sin, jnp.cos, lambda v: -v], looped)
    scanned, ys = lax.scan(lambda c, v: (c + v, jnp.exp(c)), jnp.float32(0), x)
    return lax.cond(n > 2, lambda: chosen, lambda: ys), scanned, lax.while_loop(lambda c: jnp.sum(c) < 10, lambda c: c + 1, x)


@program(shaped(2, 9, 9, 4), shaped(3, 3, 2, 6))
def convolutions(x, k):
    a = lax.conv_general_dilated(x, k, (2, 1), [(1, 0), (2, 1)], (1, 2), (2, 1), ("NHWC", "HWIO", "NHWC"), feature_group_count=2)
    b = lax.conv_general_dilated(x, jnp.ones((3, 3, 4, 2)).astype(F32), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NCHW"),
                                 precision=lax.Precision.HIGHEST)
    return a, b, lax.conv_transpose(x, jnp.ones((2, 2, 4, 3), F32), (2, 2), "VALID")


@program(shaped(2, 8, 8, 3))
def windows(x):
    pooled = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
    summed = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), [(0, 0), (1, 2), (0, 1), (0, 0)], window_dilation=(1, 2, 1, 1))
    return pooled, summed, lax.cumsum(x, 1), jax.grad(lambda v: jnp.sum(lax.reduce_window(
        v, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")))(x)


@program(shaped(5, 7), shaped(4, dtype=jnp.int32), shaped(4, 2))
def gathers(x, i, u):
    return (x[i], x.at[i, 1:3].add(u), x[:, i, None], jnp.take_along_axis(x, i[None, :].repeat(5, 0), 1), jax.vmap(lambda r: r[i])(x),
            x.at[i].set(1.0, unique_indices=True, indices_are_sorted=True), lax.dynamic_slice(x, (i[0], i[1]), (2, 3)),
            lax.dynamic_update_slice(x, u[:, :1], (i[0], i[1])))


@program(shaped(4, 4), shaped(4, 4, dtype=jnp.complex64))
def algebra(x, z):
    return (jnp.linalg.cholesky(x), lax.linalg.triangular_solve(x, x, left_side=True, lower=True, transpose_a=True), jnp.fft.fft(z),
            jnp.fft.irfft(jnp.fft.rfft(x)), z.real, jnp.abs(z), jnp.linalg.qr(x)[1], lax.dot_general(
                x, x, (((1,), (0,)), ((), ())), precision=lax.DotAlgorithmPreset.BF16_BF16_F32_X3))


@program(shaped(6), shaped(6, dtype=jnp.int32), shaped(6, dtype=jnp.uint8))
def elementwise(x, i, u):
    return (lax.erf(x), lax.erf_inv(x), lax.digamma(x), jnp.cbrt(x), lax.round(x), lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
            lax.population_count(i), lax.clz(i), lax.bitcast_convert_type(x, jnp.int32), lax.convert_element_type(x, jnp.bfloat16),
            lax.reduce_precision(x, 5, 10), lax.nextafter(x, -x), lax.is_finite(x), lax.shift_right_logical(i, i), ~u, u ^ u,
            jnp.clip(x, 0, 1), jnp.where(i > 2, x, 0), lax.rem(i, i), lax.pow(x, x), lax.atan2(x, x), lax.logistic(x),
            lax.exp(x, accuracy=lax.AccuracyMode.HIGHEST), lax.tan(x, accuracy=lax.Tolerance(1e-5, 0.0, 2)), lax.top_k(x, 2),
            lax.sort((x, i), num_keys=1), lax.rev(x, (0,)), lax.pad(x, F32(0), [(1, 2, 3)]), lax.concatenate([x, x], 0),
            lax.optimization_barrier((x, i)))


@program(shaped(2, dtype=jnp.uint32))
def random(key):
    return jax.random.normal(key, (4,)), lax.rng_bit_generator(jnp.zeros(4, jnp.uint32), (3,)), jax.random.permutation(key, 5)


@program(shaped(4, 6))
def calls(x):
    @jax.jit
    def inner(v):
        return jnp.sum(v) * v

    @jax.custom_jvp
    def special(v):
        return jnp.exp(v)
    special.defjvp(lambda p, t: (special(p[0]), special(p[0]) * t[0]))
    return inner(x), jax.checkpoint(lambda v: jnp.sin(inner(v)))(x), jax.grad(lambda v: jnp.sum(special(v)))(x)


def effects_module():
    return """module @effects {
  func.func public @main(%a: tensor<4xf32>, %t: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
    %0 = stablehlo.custom_call @target(%a) {api_version = 4 : i32, backend_config = {n = 3 : i64, s = "x"}, has_side_effect = true,
      operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
      operand_tuple_indices = []>], called_computations = [@helper]} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.send"(%0, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}>
      : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %2:2 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}>
      : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %3 = stablehlo.tuple %2#0, %0 : tuple<tensor<4xf32>, tensor<4xf32>>
    %4 = stablehlo.get_tuple_element %3[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %5 = stablehlo.composite "my.op" %4 {composite_attributes = {n = 1 : i64}, decomposition = @helper, version = 2 : i32}
      : (tensor<4xf32>) -> tensor<4xf32>
    %6 = "stablehlo.all_reduce"(%5) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %6, %2#1 : tensor<4xf32>, !stablehlo.token
  }
  func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
  func.func private @target(tensor<4xf32>) -> tensor<4xf32>
}"""


def types_module():
    return """module @types {
  func.func public @main(%a: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %b: tensor<4x!quant.uniform<i8:f32, 0.5:2>>,
      %c: tensor<2x3x!quant.uniform<u8<1:250>:f32:1, {0.5:2, 0.25, 1.5:7}>>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>> {
    %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
    %f = stablehlo.uniform_dequantize %b : (tensor<4x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<4xf32>
    return %a : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  }
}"""


def plain_module():
    return """module @plain attributes {test.list = [1 : i8, 2.5 : bf16, unit, @a::@b, i32, {k = array<i1: true, false>}, array<f32: 1.0, 2.0>,
    dense<[[1, -2]]> : tensor<1x2xi4>, dense<true> : tensor<9xi1>, affine_map<(d0) -> (d0)>, "text", complex<f32>, 7 : index]} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @other = <["x"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"y":(2)2}>},
      %b: tensor<f32>) -> tensor<8x16xf32> {
    %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %1 = chlo.broadcast_compare %a, %0 {comparison_direction = #chlo<comparison_direction LT>, compare_type = #chlo<comparison_type FLOAT>}
      : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>
    %2 = stablehlo.constant dense_resource<blob> : tensor<8x16xf32>
    %3 = stablehlo.select %1, %0, %2 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=8, j=16}>,
      sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
      : tensor<8x16xi1>, tensor<8x16xf32>
    %4 = stablehlo.convolution(%3, %3) dim_numbers = [b, f]x[o, i]->[f, b], window = {} {batch_group_count = 1 : i64,
      feature_group_count = 1 : i64} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
    %5 = sdy.all_gather [{"x"}, {}] %3 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %6 = sdy.all_to_all [{"x"}: 0->1] %3 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x16xf32>
    %7 = sdy.reshard %5 <@mesh, [{}, {?}], unreduced={"x"}> : tensor<8x16xf32>
    %8 = sdy.manual_computation(%7) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (
        %c: tensor<4x16xf32>) {
      sdy.return %c : tensor<4x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %8 : tensor<8x16xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x04000000""" + np.arange(128, dtype=np.float32).tobytes().hex().upper() + """"
    }
  }
#-}"""


def write_plain(folder):
    with mlir.make_ir_context():
        module = ir.Module.parse(plain_module())
        with open(folder / "plain.mlirbc", "wb") as file:
            module.operation.write_bytecode(file)
        (folder / "plain.mlir").write_text(module.operation.get_asm(enable_debug_info=True))


def write(folder, name, artifact):
    with mlir.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        text = module.operation.get_asm(enable_debug_info=True, large_elements_limit=None)
    (folder / f"{name}.mlirbc").write_bytes(artifact)
    (folder / f"{name}.mlir").write_text(text)


def sharded():
    mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)

    def at(*spec):
        return NamedSharding(mesh, P(*spec))

    def step(a, w):
        h = lax.with_sharding_constraint(jnp.square(a) @ w, at("x", None))
        return h.sum(0)

    def body(a, w):
        return lax.psum(lax.all_gather(a, "y", axis=1, tiled=True) @ w, "x"), lax.ppermute(a, "x", [(0, 1), (1, 0)]), lax.axis_index("y")

    mapped = jax.shard_map(body, mesh=mesh, in_specs=(P("x", "y"), P(None, None)), out_specs=(P(None, None), P("x", "y"), P()),
                           check_vma=False)
    args = shaped(8, 16), shaped(16, 4)
    yield "sharded_jit", jax.jit(step, in_shardings=(at("x", "y"), at("y", None)), out_shardings=at("x")), args
    yield "sharded_map", jax.jit(mapped), args


def main():
    folder = pathlib.Path(sys.argv[1])
    exported = {}
    for name, (function, arguments) in PROGRAMS.items():
        exported[name] = export.export(jax.jit(function), platforms=["tpu" if name == "random" else "cpu"],
                                       disabled_checks=[export.DisabledSafetyCheck.custom_call("x")])(*arguments)
    for name, function, arguments in sharded():
        exported[name] = export.export(function)(*arguments)
    (folder / "matmul.export").write_bytes(exported["matmul"].serialize(vjp_order=1))
    sizes = export.symbolic_shape("b, 2*b")
    exported["symbolic"] = export.export(jax.jit(lambda x, y: jnp.concatenate([x, x]) + y))(shaped(sizes[0], 4), shaped(sizes[1], 4))
    for name, module in exported.items():
        write(folder, name, module.mlir_module_serialized)
    write_plain(folder)
    versions = [stablehlo.get_current_version(), "1.8.0", "1.0.0", "0.20.0", "0.17.0", "0.13.0", "0.12.0", "0.11.0", "0.9.0"]
    for version in versions:
        for name, text in (("matmul", str(exported["matmul"].mlir_module())), ("gathers", str(exported["gathers"].mlir_module())),
                           ("effects", effects_module()), ("types", types_module())):
            try:
                write(folder, f"{name}.v{version}", stablehlo.serialize_portable_artifact_str(text, version))
            except Exception as error:  # The version has no such operation or type.
                print(f"{name} {version}: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
