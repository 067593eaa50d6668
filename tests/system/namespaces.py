"""Hosts for tests on one machine: network namespaces on a bridge, and a program that runs over all chips of a pod. Needs root."""
import struct
import subprocess

NETWORK = "10.78"


def sh(command):
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Host:
    """A network namespace, which lives as long as a process that sleeps in it."""

    def __init__(self, number, bridge):
        self.process = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo made; exec sleep infinity"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if not self.process.stdout.readline():
            raise PermissionError("no network namespaces here")
        self.inside = f"nsenter --net=/proc/{self.process.pid}/ns/net "
        self.address = f"{NETWORK}.{number // 250}.{number % 250 + 1}"
        sh(f"{self.inside} ip link set lo up")
        if bridge is None:
            sh(f"{self.inside} sh -c 'ip link add podium type bridge && ip link set podium up && "
               f"ip address add {self.address}/16 dev podium'")
        else:
            sh(f"ip link add port{number} netns {bridge.process.pid} type veth peer name podium netns {self.process.pid}")
            sh(f"{bridge.inside} ip link set port{number} master podium up")
            sh(f"{self.inside} sh -c 'ip link set podium up && ip address add {self.address}/16 dev podium'")

    def command(self, *arguments):
        return self.inside.split() + list(arguments)

    def stop(self):
        self.process.kill()
        self.process.wait()


def program(chips):
    """Every chip brings 1; the sum, which is the number of chips, comes to all."""
    row, all_rows = "tensor<1x8xf32>", f"tensor<{chips}x8xf32>"
    sharding = '#sdy.sharding<@mesh, [{"x"}, {}]>'
    group = ", ".join(str(chip) for chip in range(chips))
    return f"""module @jit_count {{
  sdy.mesh @mesh = <["x"={chips}]>
  func.func public @main(%arg0: {all_rows} {{sdy.sharding = {sharding}}}) -> ({all_rows} {{sdy.sharding = {sharding}}}) {{
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{{"x"}}, {{}}]>] out_shardings=[<@mesh, [{{"x"}}, {{}}]>] \
manual_axes={{"x"}} (%arg1: {row}) {{
      %zero = stablehlo.constant dense<0.0> : {row}
      %one = stablehlo.constant dense<1.0> : {row}
      %nothing = stablehlo.multiply %arg1, %zero : {row}
      %mine = stablehlo.add %nothing, %one : {row}
      %sum = "stablehlo.all_reduce"(%mine) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = \
dense<[[{group}]]> : tensor<1x{chips}xi64>, use_global_device_ids}}> ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %t = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %t : tensor<f32>
      }}) : ({row}) -> {row}
      sdy.return %sum : {row}
    }} : ({all_rows}) -> {all_rows}
    return %0 : {all_rows}
  }}
}}
""".replace("\\\n", "")


def expected(chips):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({chips}, 8), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<f", chips) * chips * 8
