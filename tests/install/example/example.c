// A program that embeds libpodium: y = x + x on every chip of a pod, x sharded over them.
//
// Build: cc example.c $(pkg-config --cflags --libs podium). Run: example HOST:PORT CHIPS

#include <podium.h>
#include <stdio.h>
#include <stdlib.h>

static void check(podium_status_t *status) {
  if (status != NULL) {
    fprintf(stderr, "%s: %s\n", podium_code_name(podium_status_code(status)),
            podium_status_message(status));
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s HOST:PORT CHIPS\n", argv[0]);
    return 2;
  }
  const int chips = atoi(argv[2]);
  char program[1024];
  const int length =
      snprintf(program, sizeof(program),
               "module @jit_double {\n"
               "  sdy.mesh @mesh = <[\"x\"=%d]>\n"
               "  func.func public @main(%%arg0: tensor<%dxf32> {sdy.sharding = "
               "#sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<%dxf32> {\n"
               "    %%0 = stablehlo.add %%arg0, %%arg0 : tensor<%dxf32>\n"
               "    return %%0 : tensor<%dxf32>\n  }\n}\n",
               chips, 2 * chips, 2 * chips, 2 * chips, 2 * chips);
  podium_session_t *session = NULL;
  check(podium_connect(argv[1], NULL, &session));
  podium_executable_t *executable = NULL;
  check(
      podium_compile(session, "double.mlir", program, (size_t)length, NULL, &executable));
  float values[512];
  const size_t size = 2 * (size_t)chips * sizeof(float);
  for (int i = 0; i < 2 * chips; i++) {
    values[i] = (float)i;
  }
  podium_array_t *x = NULL, *y = NULL;
  const podium_layout_t layout = {.executable = executable, .argument = 0};
  check(podium_put(session, &layout, values, size, 0, &x));
  check(podium_execute(executable, 1, &x, NULL, &y, NULL));
  check(podium_fetch(y, values, size, 0));
  for (int i = 0; i < 2 * chips; i++) {
    if (values[i] != 2.0f * (float)i) {
      fprintf(stderr, "y[%d] is %g\n", i, (double)values[i]);
      return 1;
    }
  }
  printf("y = 2x on %d chips: ok\n", chips);
  podium_array_free(y);
  podium_array_free(x);
  podium_executable_free(executable);
  podium_close(session);
  return 0;
}
