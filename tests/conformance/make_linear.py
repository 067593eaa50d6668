#!/usr/bin/env python3
"""Writes linear_*.mlir and open/linear.mlir: what JAX lowers for TPUs (and, in linear_cpu.mlir, for CPUs) of functions of linear algebra, with the values that JAX computes on the CPU.

Usage: make_linear.py FOLDER, with JAX 0.10 and NumPy. Run by hand; the modules are committed, so that no test needs JAX. Signs and
phases that a decomposition leaves open are taken away by the function itself.
"""
import pathlib
import re
import sys

import jax
import jax.export
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")


def qr(a, mode="reduced"):
    q, r = jnp.linalg.qr(a, mode=mode)
    d = jnp.sign(jnp.real(jnp.diagonal(r, axis1=-2, axis2=-1)))
    return jnp.abs(r), q[..., :, : d.shape[-1]] * d[..., None, :]


def eigh(a):
    w, v = jnp.linalg.eigh(a)
    return w, jnp.abs(v)


def svd(a):
    u, s, vt = jnp.linalg.svd(a, full_matrices=False)
    return jnp.abs(u), s, jnp.abs(vt)


def matrices(seed, *shape, dtype=np.float32):
    random = np.random.default_rng(seed)
    a = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        a = a + 1j * random.standard_normal(shape)
    return np.round(a * 8).astype(dtype) / 8


def hermitian(a):
    return (a + np.conj(np.swapaxes(a, -1, -2))) / 2


SQUARE = matrices(1, 4, 4)
GOOD = SQUARE + 4 * np.eye(4, dtype=np.float32)
FILES = {
    "linear_factor": [
        ("qr", qr, [matrices(2, 5, 3)]),
        ("qr of a batch", qr, [matrices(3, 2, 3, 4)]),
        ("qr, all of q", lambda a: qr(a, "complete"), [matrices(4, 4, 2, dtype=np.complex64)]),
        ("qr, raw", lambda a: jnp.linalg.qr(a, mode="raw"), [matrices(5, 4, 3, dtype=np.float64)]),
        ("qr of nothing", lambda a: jnp.linalg.qr(a), [matrices(5, 0, 3)]),
        ("lu", jsl.lu, [matrices(6, 4, 3)]),
        ("lu_factor of a batch", jax.lax.linalg.lu, [matrices(7, 2, 3, 3, dtype=np.complex128)]),
        ("lu of a wide matrix", jax.lax.linalg.lu, [matrices(8, 2, 5)]),
        ("eigh", eigh, [hermitian(SQUARE)]),
        ("eigh of a batch", eigh, [hermitian(matrices(9, 2, 3, 3, dtype=np.complex64))]),
        ("eigh from the upper triangle", lambda a: jnp.linalg.eigh(a, UPLO="U", symmetrize_input=False)[0],
         [matrices(10, 3, 3, dtype=np.float64)]),
        ("householder_product", jax.lax.linalg.householder_product, [matrices(11, 4, 3), matrices(12, 2)]),
    ],
    "linear_cpu": [
        ("qr", qr, [matrices(2, 5, 3)], "cpu"),
        ("qr of a batch", qr, [matrices(3, 2, 3, 4, dtype=np.complex128)], "cpu"),
        ("eigh", eigh, [hermitian(SQUARE)], "cpu"),
        ("eigh of a batch", eigh, [hermitian(matrices(9, 2, 3, 3, dtype=np.complex64))], "cpu"),
        ("lu", jsl.lu, [matrices(6, 4, 3)], "cpu"),
        ("cholesky", jnp.linalg.cholesky, [hermitian(GOOD)], "cpu"),
        ("cholesky of what is not definite", jnp.linalg.cholesky, [-np.eye(2)], "cpu"),
        ("solve", jnp.linalg.solve, [GOOD, matrices(13, 4)], "cpu"),
        ("solve a batch", jnp.linalg.solve, [GOOD[None] * np.float32([1, 2]).reshape(2, 1, 1), matrices(14, 2, 4, 2)], "cpu"),
        ("solve with the conjugate transposed",
         lambda a, b: jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=True, transpose_a=True, conjugate_a=True),
         [matrices(25, 3, 3, dtype=np.complex64) + 4 * np.eye(3, dtype=np.complex64), matrices(26, 3, 2, dtype=np.complex64)], "cpu"),
        ("solve from the right", lambda a, b: jax.lax.linalg.triangular_solve(a, b, unit_diagonal=True),
         [GOOD, matrices(27, 2, 4)], "cpu"),
        ("det", jnp.linalg.det, [SQUARE], "cpu"),
    ],
    "linear_solve": [
        ("solve", jnp.linalg.solve, [GOOD, matrices(13, 4)]),
        ("solve a batch", jnp.linalg.solve, [GOOD[None] * np.float32([1, 2]).reshape(2, 1, 1), matrices(14, 2, 4, 2)]),
        ("inv", jnp.linalg.inv, [GOOD]),
        ("det", jnp.linalg.det, [SQUARE]),
        ("slogdet", jnp.linalg.slogdet, [matrices(15, 3, 3, dtype=np.complex64)]),
        ("the gradient of slogdet", jax.grad(lambda a: jnp.linalg.slogdet(a)[1]), [GOOD]),
        ("cho_solve", lambda a, b: jsl.cho_solve(jsl.cho_factor(a @ a.T), b), [GOOD, matrices(16, 4)]),
        ("tridiagonal_solve", jax.lax.linalg.tridiagonal_solve,
         [np.float32([0, 1, 2]), np.float32([4, 5, 6]), np.float32([1, 2, 0]), matrices(17, 3, 2)]),
        ("matrix_power", lambda a: jnp.linalg.matrix_power(a, -3), [GOOD]),
        ("expm", jsl.expm, [SQUARE]),
    ],
    "linear_spectrum": [
        ("svd", svd, [matrices(20, 4, 3)]),
        ("pinv", jnp.linalg.pinv, [matrices(22, 4, 3)]),
        ("lstsq", lambda a, b: jnp.linalg.lstsq(a, b)[0], [matrices(23, 5, 3), matrices(24, 5)]),
        ("polar", jsl.polar, [GOOD]),
    ],
}


def number(x):
    if np.iscomplexobj(x):
        return f"({number(x.real)}, {number(x.imag)})"
    return str(x) if np.issubdtype(x.dtype, np.integer) else repr(float(x)) if np.isfinite(x) else {4: "0x7FC00000", 8: "0x7FF8000000000000"}[x.itemsize]


def dense(x):
    names = {"f": "f", "i": "i", "u": "ui"}
    part = names[np.zeros(1, x.dtype).real.dtype.kind] + str(np.zeros(1, x.dtype).real.dtype.itemsize * 8)
    kind = "x".join([*map(str, x.shape), f"complex<{part}>" if np.iscomplexobj(x) else part])

    def lists(y):
        return number(y[()]) if y.ndim == 0 else "[" + ", ".join(map(lists, y)) + "]"

    return f"dense<{lists(x) if x.size else ''}> : tensor<{kind}>", f"tensor<{kind}>"


def module(title, function, arguments, platform="tpu"):
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=(platform,)).as_text()
    expected = [np.asarray(x) for x in jax.tree.leaves(jax.jit(function)(*arguments))]
    text = re.sub(r" \{jax.result_info = \"[^\"]*\"\}", "", text).replace("func.func public @main(", "func.func private @tested(")
    lines = [f"  // {title}", "  func.func public @main() {"]
    types = []
    for i, argument in enumerate(arguments):
        value, kind = dense(np.asarray(argument))
        types.append(kind)
        lines.append(f"    %a{i} = stablehlo.constant {value}")
    values = [dense(x) for x in expected]
    names = ", ".join(f"%a{i}" for i in range(len(arguments)))
    lines.append(f"    %r:{len(expected)} = func.call @tested({names}) : ({', '.join(types)}) -> ({', '.join(k for _, k in values)})")
    for i, (value, kind) in enumerate(values):
        check = "expect_almost_eq" if expected[i].dtype.kind in "fc" else "expect_eq"
        lines.append(f"    %e{i} = stablehlo.constant {value}")
        lines.append(f"    check.{check} %r#{i}, %e{i} : {kind}, {kind}")
    head, rest = text.split("\n", 1)
    return "\n".join([head, *lines, "    return", "  }", rest])


def of_open_sizes(a):
    """How far Q R and A are apart, and a product of two types and the same of one."""
    x = a[:, :, None] * a[:, None, :] + 4 * jnp.eye(8, dtype=a.dtype)
    q, r = jnp.linalg.qr(x)
    whole = jnp.arange(16, dtype=jnp.int32).reshape(8, 2)
    product = jax.lax.dot_general(a, whole, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)
    return jnp.abs(q @ r - x).max(), jnp.abs(product - a @ whole.astype(jnp.float32)).max()


def open_module():
    batch = jax.export.symbolic_shape("b, 8")
    checks = [jax.export.DisabledSafetyCheck.custom_call(name) for name in ("Qr", "ProductOfElementaryHouseholderReflectors")]
    exported = jax.export.export(jax.jit(of_open_sizes), platforms=["tpu"], disabled_checks=checks)(
        jax.ShapeDtypeStruct(batch, np.float32))
    text = re.sub(r" \{jax.result_info = \"[^\"]*\"\}| loc\((?:[^()]|\([^()]*\))*\)|#loc.*\n", "", str(exported.mlir_module()))
    head, rest = text.replace("func.func public @main(", "func.func private @tested(").split("\n", 1)
    return "\n".join([
        "// Written by make_linear.py: JAX's linear algebra as exported for TPUs with a batch of any size.", head,
        "  func.func public @main(%a: tensor<?x8xf32>) {",
        "    %r:2 = func.call @tested(%a) : (tensor<?x8xf32>) -> (tensor<f32>, tensor<f32>)",
        "    %zero = stablehlo.constant dense<0.0> : tensor<f32>",
        "    check.expect_almost_eq %r#0, %zero : tensor<f32>, tensor<f32>",
        "    check.expect_almost_eq %r#1, %zero : tensor<f32>, tensor<f32>", "    return", "  }", rest])


def main():
    pathlib.Path(sys.argv[1], "open", "linear.mlir").write_text(open_module())
    for name, cases in FILES.items():
        modules = [module(*case) for case in cases]
        text = f"// Written by make_linear.py: JAX's linear algebra as lowered for {'CPUs' if name.endswith('cpu') else 'TPUs'}.\n" + "\n// -----\n\n".join(modules)
        pathlib.Path(sys.argv[1], f"{name}.mlir").write_text(text)


if __name__ == "__main__":
    main()
