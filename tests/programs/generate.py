#!/usr/bin/env python3
"""Writes the programs of the field as StableHLO modules, as jax.jit(f).lower(...).as_text() prints them.

Usage: generate.py FOLDER   writes every module; generate.py --check FOLDER   says which files differ.

Each function below follows the source named with it, line by line, with a small tracer in the place of JAX's: an operation
here emits what JAX's lowering rule of it emits. What stands in NAME.4ring.mlir is the same program on a mesh in the order
of the physical ring of a 2x2, (0, 1, 3, 2). JAX gives that order to the compiler beside the text, as the device assignment;
here the text says it with Shardy's device_ids, so that the pairs of a permutation are device ids and the index along the
axis is looked up.
"""
import pathlib
import sys


class Mesh:
    def __init__(self, device_ids=None, **axes):
        self.axes = axes
        self.size = 1
        for size in axes.values():
            self.size *= size
        self.device_ids = device_ids

    def attribute(self):
        axes = ", ".join(f'"{name}"={size}' for name, size in self.axes.items())
        ids = f", device_ids={self.device_ids}" if self.device_ids else ""
        return f"<[{axes}]{ids}>"

    def stablehlo(self):
        axes = ", ".join(f'<name = "{name}", size = {size}>' for name, size in self.axes.items())
        ids = f", device_ids=dense<{self.device_ids}> : tensor<{self.size}xi64>" if self.device_ids else ""
        return f"#stablehlo.mesh<axes=[{axes}]{ids}>"

    def device(self, position):
        return self.device_ids[position] if self.device_ids else position

    def stride(self, axis):
        names = list(self.axes)
        stride = 1
        for name in names[names.index(axis) + 1:]:
            stride *= self.axes[name]
        return stride


def spec_text(spec):
    return "[" + ", ".join("{" + (f'"{axis}"' if axis else "") + "}" for axis in spec) + "]"


def type_text(shape, dtype):
    return "tensor<" + "x".join([*map(str, shape), dtype]) + ">"


class Value:
    def __init__(self, trace, name, shape, dtype):
        self.trace, self.name, self.shape, self.dtype = trace, name, tuple(shape), dtype

    @property
    def type(self):
        return type_text(self.shape, self.dtype)

    def binary(self, op, other):
        other = self.trace.constant(other, self.dtype) if isinstance(other, int) else other
        return self.trace.emit(f"stablehlo.{op} {self.name}, {other.name} : {self.type}", self.shape, self.dtype)

    def __add__(self, other):
        return self.binary("add", other)

    def __sub__(self, other):
        return self.binary("subtract", other)

    def __mul__(self, other):
        return self.binary("multiply", other)

    def __mod__(self, other):
        return self.trace.call_remainder(self, other)

    def __matmul__(self, other):
        shape = (self.shape[0], other.shape[1])
        return self.trace.emit(
            f"stablehlo.dot_general {self.name}, {other.name}, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : "
            f"({self.type}, {other.type}) -> {type_text(shape, self.dtype)}", shape, self.dtype)


class Trace:
    """A function's body while it is traced: emits lines and numbers values as MLIR's printer does."""

    def __init__(self, mesh, first_value, indent):
        self.mesh, self.next_value, self.indent = mesh, first_value, indent
        self.lines, self.constants, self.functions = [], {"c": 0, "cst": 0}, {}
        self.constant_count = 0
        self.next_argument = None

    def line(self, text):
        self.lines.append(" " * self.indent + text)

    def emit(self, text, shape, dtype):
        value = Value(self, f"%{self.next_value}", shape, dtype)
        self.next_value += 1
        self.line(f"{value.name} = {text}")
        return value

    def constant_text(self, text, shape, dtype):
        kind = "c" if dtype in ("i32", "ui32") else "cst"
        # MLIR numbers what would be a second %c or %cst by one counter for all names.
        name = f"%{kind}" if self.constants[kind] == 0 else f"%{kind}_{self.constant_count}"
        self.constant_count += self.constants[kind] != 0
        self.constants[kind] += 1
        self.line(f"{name} = stablehlo.constant dense<{text}> : {type_text(shape, dtype)}")
        return Value(self, name, shape, dtype)

    def constant(self, number, dtype):
        return self.constant_text(number if dtype in ("i32", "ui32") else f"{number:.6e}", (), dtype)

    def zeros(self, shape, dtype):
        zero = self.constant(0, dtype)
        return self.emit(f"stablehlo.broadcast_in_dim {zero.name}, dims = [] : ({zero.type}) -> {type_text(shape, dtype)}",
                         shape, dtype)

    def axis_index(self, axis):
        size, stride = self.mesh.axes[axis], self.mesh.stride(axis)
        if self.mesh.device_ids:
            positions = [self.mesh.device_ids.index(device) // stride % size for device in range(self.mesh.size)]
            table = self.constant_text(positions, (self.mesh.size,), "i32")
            device = self.emit("stablehlo.partition_id : tensor<ui32>", (), "ui32")
            entry = self.emit(f"stablehlo.dynamic_slice {table.name}, {device.name}, sizes = [1] : ({table.type}, tensor<ui32>) "
                              "-> tensor<1xi32>", (1,), "i32")
            return self.emit(f"stablehlo.reshape {entry.name} : (tensor<1xi32>) -> tensor<i32>", (), "i32")
        stride, size = self.constant(stride, "ui32"), self.constant(size, "ui32")
        device = self.emit("stablehlo.partition_id : tensor<ui32>", (), "ui32")
        quotient = device.binary("divide", stride)
        rest = quotient.binary("remainder", size)
        return self.emit(f"stablehlo.convert {rest.name} : (tensor<ui32>) -> tensor<i32>", (), "i32")

    def call_remainder(self, value, divisor):
        divisor = self.constant(divisor, "i32")
        self.functions["remainder"] = REMAINDER
        return self.emit(f"call @remainder({value.name}, {divisor.name}) : (tensor<i32>, tensor<i32>) -> tensor<i32>", (),
                         "i32")

    def dynamic_slice_in_dim(self, operand, start, size, dimension):
        zero = self.constant(0, "i32")
        is_negative = self.emit(f"stablehlo.compare  LT, {start.name}, {zero.name},  SIGNED : (tensor<i32>, tensor<i32>) -> "
                                "tensor<i1>", (), "i1")
        from_end = start + operand.shape[dimension]
        start = self.emit(f"stablehlo.select {is_negative.name}, {from_end.name}, {start.name} : tensor<i1>, tensor<i32>", (),
                          "i32")
        starts = [start if d == dimension else self.constant(0, "i32") for d in range(2)]
        shape = [size if d == dimension else operand.shape[d] for d in range(2)]
        return self.emit(
            f"stablehlo.dynamic_slice {operand.name}, {starts[0].name}, {starts[1].name}, sizes = {shape} : "
            f"({operand.type}, tensor<i32>, tensor<i32>) -> {type_text(shape, operand.dtype)}", shape, operand.dtype)

    def slice_in_dim(self, operand, start, limit, dimension):
        limits = [(start, limit) if d == dimension else (0, operand.shape[d]) for d in range(2)]
        shape = [high - low for low, high in limits]
        ranges = ", ".join(f"{low}:{high}" for low, high in limits)
        return self.emit(f"stablehlo.slice {operand.name} [{ranges}] : ({operand.type}) -> {type_text(shape, operand.dtype)}",
                         shape, operand.dtype)

    def split(self, operand, count, dimension):
        size = operand.shape[dimension] // count
        return [self.slice_in_dim(operand, i * size, (i + 1) * size, dimension) for i in range(count)]

    def concatenate(self, parts, dimension):
        shape = list(parts[0].shape)
        shape[dimension] = sum(part.shape[dimension] for part in parts)
        names = ", ".join(part.name for part in parts)
        types = ", ".join(part.type for part in parts)
        return self.emit(f"stablehlo.concatenate {names}, dim = {dimension} : ({types}) -> {type_text(shape, parts[0].dtype)}",
                         shape, parts[0].dtype)

    def pad(self, operand, low, high):
        """jnp.pad with zeros: a function of its own for every shape and padding."""
        shape = [size + before + after for size, before, after in zip(operand.shape, low, high)]
        key = (operand.shape, tuple(low), tuple(high))
        names = [name for name, known in self.functions.items() if isinstance(known, tuple) and known[0] == key]
        name = names[0] if names else "_pad" + (f"_{len([n for n in self.functions if n.startswith('_pad')]) - 1}"
                                               if "_pad" in self.functions else "")
        result = type_text(shape, operand.dtype)
        self.functions.setdefault(name, (key, PAD.format(
            name=name, type=operand.type, result=result, scalar=f"tensor<{operand.dtype}>", low=list(low), high=list(high))))
        zero = self.constant(0, "i32")
        return self.emit(f"call @{name}({operand.name}, {zero.name}) : ({operand.type}, tensor<i32>) -> {result}", shape,
                         operand.dtype)

    def channel(self):
        return "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"

    def groups(self, axis):
        return (f"replica_groups = #stablehlo.replica_group_mesh_axes<mesh = {self.mesh.stablehlo()}, "
                f'axes = [#stablehlo.axis_ref<name = "{axis}">]>')

    def ppermute(self, operand, axis, step):
        size, stride = self.mesh.axes[axis], self.mesh.stride(axis)
        pairs = []
        for outer in range(0, self.mesh.size, size * stride):
            for inner in range(stride):
                for i in range(size):
                    ends = [outer + inner + j * stride for j in (i, (i + step) % size)]
                    pairs.append([self.mesh.device(end) for end in ends])
        return self.emit(
            f'"stablehlo.collective_permute"({operand.name}) <{{{self.channel()}, source_target_pairs = dense<{pairs}> : '
            f"tensor<{len(pairs)}x2xi64>}}> : ({operand.type}) -> {operand.type}", operand.shape, operand.dtype)

    def all_gather(self, operand, axis, dimension):
        shape = list(operand.shape)
        shape[dimension] *= self.mesh.axes[axis]
        return self.emit(
            f'"stablehlo.all_gather"({operand.name}) <{{all_gather_dim = {dimension} : i64, {self.channel()}, '
            f"{self.groups(axis)}, use_global_device_ids}}> : ({operand.type}) -> {type_text(shape, operand.dtype)}", shape,
            operand.dtype)

    def reducer(self, opening, operand, shape):
        value = self.emit(opening + " ({", shape, operand.dtype)
        scalar = f"tensor<{operand.dtype}>"
        left, right = f"%arg{self.next_argument}", f"%arg{self.next_argument + 1}"
        # A region's values are numbered from where the whole block around it ends: finish() knows.
        self.lines.append((self.indent, left, right, scalar))
        self.line(f"}}) : ({operand.type}) -> {type_text(shape, operand.dtype)}")
        return value

    def psum(self, operand, axis):
        return self.reducer(f'"stablehlo.all_reduce"({operand.name}) <{{{self.channel()}, {self.groups(axis)}, '
                            "use_global_device_ids}>", operand, operand.shape)

    def psum_scatter(self, operand, axis, dimension):
        shape = list(operand.shape)
        shape[dimension] //= self.mesh.axes[axis]
        return self.reducer(f'"stablehlo.reduce_scatter"({operand.name}) <{{{self.channel()}, {self.groups(axis)}, '
                            f"scatter_dimension = {dimension} : i64, use_global_device_ids}}>", operand, shape)

    def sine(self, operand):
        return self.emit(f"stablehlo.sine {operand.name} : {operand.type}", operand.shape, operand.dtype)

    def constraint(self, operand, spec):
        return self.emit(f"sdy.sharding_constraint {operand.name} <@mesh, {spec_text(spec)}> : {operand.type}", operand.shape,
                         operand.dtype)

    def finish(self):
        lines = []
        for line in self.lines:
            if isinstance(line, str):
                lines.append(line)
                continue
            indent, left, right, scalar = line
            lines += [" " * indent + f"^bb0({left}: {scalar}, {right}: {scalar}):",
                      " " * (indent + 2) + f"%{self.next_value} = stablehlo.add {left}, {right} : {scalar}",
                      " " * (indent + 2) + f"stablehlo.return %{self.next_value} : {scalar}"]
        return lines


# jnp.remainder and the jnp.where in it, which JAX lowers to functions of their own.
REMAINDER = """\
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare  EQ, %arg1, %c,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @_where(%0, %c_0, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare  NE, %2, %c_1,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare  LT, %2, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare  LT, %1, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.compare  NE, %4, %5,  UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = stablehlo.and %6, %3 : tensor<i1>
    %8 = stablehlo.add %2, %1 : tensor<i32>
    %9 = stablehlo.select %7, %8, %2 : tensor<i1>, tensor<i32>
    return %9 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
"""

PAD = """\
  func.func private @{name}(%arg0: {type}, %arg1: tensor<i32>) -> {result} {{
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> {scalar}
    %1 = stablehlo.pad %arg0, %0, low = {low}, high = {high}, interior = [0, 0] : ({type}, {scalar}) -> {result}
    return %1 : {result}
  }}
"""


def module(function, mesh, arguments, result_shape, result_spec, dtype, is_manual, name=None):
    """The module of jax.jit(function), or of jax.jit(jax.shard_map(function)). `arguments` are (shape, spec)."""
    def sharding(spec):
        return f"sdy.sharding = #sdy.sharding<@mesh, {spec_text(spec)}>"

    def local(shape, spec):
        return tuple(size // (mesh.axes[axis] if axis else 1) for size, axis in zip(shape, spec))

    has_mesh = mesh.size > 1
    lines = [f"module @jit_{name or function.__name__} attributes {{mhlo.num_partitions = {mesh.size} : i32, "
             "mhlo.num_replicas = 1 : i32} {"]
    lines += [f"  sdy.mesh @mesh = {mesh.attribute()}"] if has_mesh else []
    parameters = ", ".join(f"%arg{i}: {type_text(shape, dtype)}" + (f" {{{sharding(spec)}}}" if has_mesh else "")
                           for i, (shape, spec) in enumerate(arguments))
    result_type = type_text(result_shape, dtype)
    result_sharding = f", {sharding(result_spec)}" if has_mesh and result_spec else ""
    lines.append(f"  func.func public @main({parameters}) -> ({result_type} {{jax.result_info = \"result\"{result_sharding}}}) {{")
    count = len(arguments)
    trace = Trace(mesh, 1 if is_manual else 0, 6 if is_manual else 4)
    trace.next_argument = 2 * count if is_manual else count
    first = count if is_manual else 0
    inputs = [Value(trace, f"%arg{first + i}", local(shape, spec) if is_manual else shape, dtype)
              for i, (shape, spec) in enumerate(arguments)]
    result = function(trace, *inputs)
    assert result.shape == (local(result_shape, result_spec) if is_manual else tuple(result_shape)), (result.shape, name)
    if is_manual:
        in_shardings = ", ".join(f"<@mesh, {spec_text(spec)}>" for _, spec in arguments)
        axes = ", ".join(f'"{axis}"' for axis in mesh.axes)
        blocks = ", ".join(f"{value.name}: {value.type}" for value in inputs)
        names = ", ".join(f"%arg{i}" for i in range(count))
        types = ", ".join(type_text(shape, dtype) for shape, _ in arguments)
        lines.append(f"    %0 = sdy.manual_computation({names}) in_shardings=[{in_shardings}] "
                     f"out_shardings=[<@mesh, {spec_text(result_spec)}>] manual_axes={{{axes}}} ({blocks}) {{")
        lines += trace.finish() + [f"      sdy.return {result.name} : {result.type}",
                                   f"    }} : ({types}) -> {result_type}", f"    return %0 : {result_type}"]
    else:
        lines += trace.finish() + [f"    return {result.name} : {result_type}"]
    text = "\n".join(lines + ["  }"]) + "\n"
    for text_or_pair in trace.functions.values():
        text += text_or_pair if isinstance(text_or_pair, str) else text_or_pair[1]
    return text + "}\n"


# JAX, docs/notebooks/shard_map.md, "Example 1: all-gather on one side".

def matmul_allgather(jax, lhs_block, rhs_block):
    rhs = jax.all_gather(rhs_block, "i", 0)
    return lhs_block @ rhs


def matmul_allgather_overlapped(jax, lhs_block, rhs_block):
    size = jax.mesh.axes["i"]
    idx = jax.axis_index("i")
    B = lhs_block.shape[1] // size

    def lhs_blocks(i):
        return jax.dynamic_slice_in_dim(lhs_block, i * B, B, 1)

    out_block = lhs_blocks(idx) @ rhs_block
    for i in range(1, size):
        rhs_block = jax.ppermute(rhs_block, "i", 1)
        out_block = out_block + lhs_blocks((idx - i) % size) @ rhs_block
    return out_block


def halves(jax, lhs_block):
    size = jax.mesh.axes["i"]
    B = lhs_block.shape[1] // size // 2
    return lambda i, hi: jax.dynamic_slice_in_dim(lhs_block, (i * 2 + hi if hi else i * 2) * B, B, 1)


def matmul_allgather_overlapped_bidi(jax, lhs_block, rhs_block):
    """Two half-size products a step: the version whose profile the notebook shows."""
    size = jax.mesh.axes["i"]
    idx = jax.axis_index("i")
    lhs_blocks = halves(jax, lhs_block)
    rhs_block_lo, rhs_block_hi = jax.split(rhs_block, 2, 0)
    out_block = lhs_blocks(idx, 0) @ rhs_block_lo
    out_block = out_block + lhs_blocks(idx, 1) @ rhs_block_hi
    for i in range(1, size):
        rhs_block_lo = jax.ppermute(rhs_block_lo, "i", 1)
        rhs_block_hi = jax.ppermute(rhs_block_hi, "i", -1)
        out_block = out_block + lhs_blocks((idx - i) % size, 0) @ rhs_block_lo
        out_block = out_block + lhs_blocks((idx + i) % size, 1) @ rhs_block_hi
    return out_block


def matmul_allgather_overlapped_bidi_padded(jax, lhs_block, rhs_block):
    """The notebook's present version: the halves padded to whole blocks and added, one full-size product a step."""
    size = jax.mesh.axes["i"]
    idx = jax.axis_index("i")
    lhs_blocks = halves(jax, lhs_block)
    B = lhs_block.shape[1] // size // 2

    def block_matmul(rhs_lo, rhs_hi, i_lo, i_hi):
        lhs_lo = jax.pad(lhs_blocks(i_lo, 0), (0, 0), (0, B))
        lhs_hi = jax.pad(lhs_blocks(i_hi, 1), (0, B), (0, 0))
        rhs_lo = jax.pad(rhs_lo, (0, 0), (B, 0))
        rhs_hi = jax.pad(rhs_hi, (B, 0), (0, 0))
        return (lhs_lo + lhs_hi) @ (rhs_lo + rhs_hi)

    rhs_block_lo, rhs_block_hi = jax.split(rhs_block, 2, 0)
    out_block = block_matmul(rhs_block_lo, rhs_block_hi, idx, idx)
    for i in range(1, size):
        rhs_block_lo = jax.ppermute(rhs_block_lo, "i", 1)
        rhs_block_hi = jax.ppermute(rhs_block_hi, "i", -1)
        out_block = out_block + block_matmul(rhs_block_lo, rhs_block_hi, (idx - i) % size, (idx + i) % size)
    return out_block


# Scaling book, "Programming TPUs in JAX": the collective matmul, and problems 3 and 4.

def matmul(jax, lhs, rhs):
    return lhs @ rhs


def collective_matmul_unrolled(jax, lhs, rhs):
    axis_size = jax.mesh.axes["Y"]
    idx = jax.axis_index("Y")
    chunk_size = lhs.shape[1]
    accum = jax.zeros((lhs.shape[0], rhs.shape[1]), lhs.dtype)
    for i in range(axis_size):
        chunk = (idx + i) % axis_size * chunk_size if i > 0 else idx * chunk_size
        update = lhs @ jax.dynamic_slice_in_dim(rhs, chunk, chunk_size, 0)
        if i + 1 < axis_size:
            lhs = jax.ppermute(lhs, "Y", -1)
        accum = accum + update
    return accum


def collective_matmul_bidi(jax, lhs, rhs):
    axis_size = jax.mesh.axes["Y"]
    idx = jax.axis_index("Y")
    half = lhs.shape[1] // 2
    lo, hi = jax.split(lhs, 2, 1)
    accum = jax.zeros((lhs.shape[0], rhs.shape[1]), lhs.dtype)
    for i in range(axis_size):
        i_lo = (idx + i) % axis_size if i > 0 else idx
        i_hi = (idx - i) % axis_size if i > 0 else idx
        update_lo = lo @ jax.dynamic_slice_in_dim(rhs, i_lo * (2 * half), half, 0)
        update_hi = hi @ jax.dynamic_slice_in_dim(rhs, i_hi * (2 * half) + half, half, 0)
        if i + 1 < axis_size:
            lo = jax.ppermute(lo, "Y", -1)
            hi = jax.ppermute(hi, "Y", 1)
        accum = accum + update_lo + update_hi
    return accum


def matmul_allreduce(jax, lhs, rhs):
    return jax.psum(lhs @ rhs, "Y")


def collective_matmul_allreduce(jax, lhs, rhs):
    """Tiles of the output, each summed while the next is multiplied."""
    tiles = jax.split(rhs, jax.mesh.axes["Y"], 1)
    return jax.concatenate([jax.psum(lhs @ tile, "Y") for tile in tiles], 1)


def collective_matmul_allreduce_bidi(jax, lhs, rhs):
    """The summands travel both ways round; what each chip then has is gathered."""
    return jax.all_gather(collective_matmul_psumscatter_bidi(jax, lhs, rhs), "Y", 1)


def matmul_psumscatter(jax, lhs, rhs):
    return jax.psum_scatter(lhs @ rhs, "Y", 1)


def collective_matmul_psumscatter(jax, lhs, rhs):
    axis_size = jax.mesh.axes["Y"]
    idx = jax.axis_index("Y")
    chunk_size = rhs.shape[1] // axis_size

    def rhs_chunk(i):
        return jax.dynamic_slice_in_dim(rhs, i % axis_size * chunk_size, chunk_size, 1)

    accum = lhs @ rhs_chunk(idx + 1)
    for i in range(1, axis_size):
        accum = jax.ppermute(accum, "Y", -1)
        accum = accum + lhs @ rhs_chunk(idx + (i + 1))
    return accum


def collective_matmul_psumscatter_bidi(jax, lhs, rhs):
    axis_size = jax.mesh.axes["Y"]
    idx = jax.axis_index("Y")
    half = rhs.shape[1] // axis_size // 2

    def rhs_half(i, hi):
        start = i % axis_size * (2 * half)
        return jax.dynamic_slice_in_dim(rhs, start + half if hi else start, half, 1)

    accum_lo = lhs @ rhs_half(idx - 1, 0)
    accum_hi = lhs @ rhs_half(idx + 1, 1)
    for i in range(1, axis_size):
        accum_lo = jax.ppermute(accum_lo, "Y", 1)
        accum_hi = jax.ppermute(accum_hi, "Y", -1)
        accum_lo = accum_lo + lhs @ rhs_half(idx - (i + 1), 0)
        accum_hi = accum_hi + lhs @ rhs_half(idx + (i + 1), 1)
    return jax.concatenate([accum_lo, accum_hi], 1)


def transformer_block(jax, x, w_in, w_out):
    hidden = jax.constraint(x @ w_in, ("X", "Y"))
    return hidden @ w_out


def transformer_block_overlapped(jax, x, w_in, w_out):
    return collective_matmul_psumscatter(jax, collective_matmul_unrolled(jax, x, w_in), w_out)


def transformer_block_overlapped_bidi(jax, x, w_in, w_out):
    return collective_matmul_psumscatter_bidi(jax, collective_matmul_bidi(jax, x, w_in), w_out)


# HighPerfLLMs2024, session 4: four layers, each weight gathered when its layer needs it.

def layerwise_matmul(jax, activation, *weights):
    for weight in weights:
        activation = activation @ weight
    return activation


def layerwise_matmul_shard_map(jax, activation, *weights):
    for weight in weights:
        activation = activation @ jax.all_gather(weight, "x", 1)
    return activation


# JAX, docs/notebooks/Distributed_arrays_and_automatic_parallelization.

def sin(jax, x):
    return jax.sine(x)


RING = [0, 1, 3, 2]  # Of the chips of a 2x2, where each is wired to the next.


def programs():
    """Yields (file name, text)."""
    for tag, ids in (("4", None), ("4ring", RING)):
        mesh = Mesh(ids, i=4)
        for function in (matmul_allgather, matmul_allgather_overlapped, matmul_allgather_overlapped_bidi,
                         matmul_allgather_overlapped_bidi_padded):
            for small, (m, k, n), dtype in (("", (8192, 8192, 1024), "bf16"), (".small", (32, 32, 24), "f32")):
                yield (f"{function.__name__}.{tag}{small}.mlir",
                       module(function, mesh, [((m, k), ("i", None)), ((k, n), ("i", None))], (m, n), ("i", None), dtype, True))

    mesh = Mesh(X=2, Y=4)
    gathered, local = (("X", "Y"), (None, "Y"), ("X", "Y")), (("X", None), (None, "Y"), ("X", "Y"))
    summed, scattered = (("X", "Y"), ("Y", None), ("X", None)), (("X", "Y"), ("Y", None), ("X", "Y"))
    for function, name, specs, is_manual in (
            (matmul, "matmul_allgather_first", gathered, False), (matmul, "matmul_contracting_whole", local, False),
            (collective_matmul_unrolled, None, gathered, True), (collective_matmul_bidi, None, gathered, True),
            (matmul_allreduce, None, summed, True), (collective_matmul_allreduce, None, summed, True),
            (collective_matmul_allreduce_bidi, None, summed, True), (matmul_psumscatter, None, scattered, True),
            (collective_matmul_psumscatter, None, scattered, True),
            (collective_matmul_psumscatter_bidi, None, scattered, True)):
        for small, (b, d, f), dtype in (("", (1024, 2048, 8192), "bf16"), (".small", (8, 32, 48), "f32")):
            # The sums contract the wide dimension, as the down-projection of a transformer does.
            k, n = (d, f) if specs in (gathered, local) else (f, d)
            yield (f"{name or function.__name__}.2x4{small}.mlir",
                   module(function, mesh, [((b, k), specs[0]), ((k, n), specs[1])], (b, n), specs[2], dtype, is_manual))
    for function, is_manual in ((transformer_block, False), (transformer_block_overlapped, True),
                                (transformer_block_overlapped_bidi, True)):
        for small, (b, d, f), dtype in (("", (1024, 2048, 8192), "bf16"), (".small", (8, 32, 48), "f32")):
            yield (f"{function.__name__}.2x4{small}.mlir",
                   module(function, mesh, [((b, d), ("X", "Y")), ((d, f), (None, "Y")), ((f, d), ("Y", None))], (b, d),
                          ("X", "Y"), dtype, is_manual))

    mesh = Mesh(x=4)
    for function, is_manual in ((layerwise_matmul, False), (layerwise_matmul_shard_map, True)):
        for small, (b, d), dtype in (("", (4 * 4096, 16384), "bf16"), (".small", (8, 16), "f32")):
            # jit infers how the result is sharded; JAX prints nothing for it.
            yield (f"{function.__name__}.4{small}.mlir",
                   module(function, mesh, [((b, d), ("x", None))] + [((d, d), (None, "x"))] * 4, (b, d),
                          ("x", None) if is_manual else None, dtype, is_manual))

    mesh = Mesh(X=2, Y=2)
    for small, (m, k, n), dtype in (("", (16384, 16384, 8192), "bf16"), (".small", (8, 16, 24), "f32")):
        for name, specs in (("matmul_large", (("X", None), (None, "Y"))), ("matmul_large_gathered", (("X", "Y"), ("X", "Y")))):
            yield (f"{name}.2x2{small}.mlir",
                   module(matmul, mesh, [((m, k), specs[0]), ((k, n), specs[1])], (m, n), ("X", "Y"), dtype, False))

    for tag, mesh, spec in (("1", Mesh(), None), ("2x2", Mesh(X=2, Y=2), ("X", "Y"))):
        for small, size in (("", 8192), (".small", 16)):
            yield (f"sin.{tag}{small}.mlir",
                   module(sin, mesh, [((size, size), spec)], (size, size), spec, "f32", False))


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    folder = pathlib.Path(arguments[-1])
    differing = []
    for name, text in programs():
        path = folder / name
        if is_check:
            differing += [] if path.exists() and path.read_text() == text else [name]
        else:
            path.write_text(text)
    for name in differing:
        print(f"{name} is not what generate.py writes")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
