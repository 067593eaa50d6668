// What a module that comes again costs, by how it comes: as a text, which any client may
// send, or by its digest, as libpodium sends long ones. Milliseconds from the call to the
// executable's handle, medians, as wall time and as CPU time of client and coordinator
// together, which a busy machine does not change; the first time, which compiles it,
// once. The coordinator is a process of its own on loopback; nothing is loaded on chips;
// the CPU time of the processes that it compiles in is not counted. Before that, the wall
// time of small modules that are all new: what a jitted x + 1 waits for.
//
// usage: resubmit_bench [MEGABYTES …]     of text (1 10 100)

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "client/lib/podium.h"
#include "common/base/text.h"
#include "common/rpc/loop.h"
#include "tests/system/pod.h"
#include "tests/unit/server/coordinator/client.h"

enum { RUNS = 7, SMALL_RUNS = 500, PIECE_BYTES = 1 << 20, CONSTANT_BYTES = 1 << 20 };

static int sizes_mb[8] = {1, 10, 100};
static int size_count = 3;

// Constants in hexadecimal, of about `megabytes` of text.
static char *make_text(int megabytes, size_t *out_length) {
  pod_text_t text = {0};
  pod_text_add(&text, "func.func public @main() -> tensor<f32> {\n");
  char *digits = malloc(CONSTANT_BYTES);
  for (int i = 0; i < megabytes; i++) {
    for (int k = 0; k < CONSTANT_BYTES; k++) {
      digits[k] = "0123456789ABCDEF"[(k * 7 + k / 251 + i) % 8];
    }
    pod_text_printf(&text, "  %%%d = stablehlo.constant dense<\"0x", i);
    pod_text_add_bytes(&text, digits, CONSTANT_BYTES);
    pod_text_printf(&text, "\"> : tensor<%dxf32>\n", CONSTANT_BYTES / 8);
  }
  pod_text_printf(&text,
                  "  %%s = stablehlo.slice %%%d [0:1] : (tensor<%dxf32>) -> "
                  "tensor<1xf32>\n"
                  "  %%r = stablehlo.reshape %%s : (tensor<1xf32>) -> tensor<f32>\n"
                  "  return %%r : tensor<f32>\n}\n",
                  megabytes - 1, CONSTANT_BYTES / 8);
  free(digits);
  *out_length = text.length;
  return pod_text_take(&text);
}

typedef struct moment_t {
  double wall_ms, cpu_ms;
} moment_t;

static double read_ms(clockid_t clock) {
  struct timespec now;
  assert_int_equal(clock_gettime(clock, &now), 0);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static moment_t now(pid_t coordinator) {
  clockid_t its_clock;
  assert_int_equal(clock_getcpuclockid(coordinator, &its_clock), 0);
  return (moment_t){read_ms(CLOCK_MONOTONIC),
                    read_ms(CLOCK_PROCESS_CPUTIME_ID) + read_ms(its_clock)};
}

static moment_t since(moment_t start, pid_t coordinator) {
  const moment_t end = now(coordinator);
  return (moment_t){end.wall_ms - start.wall_ms, end.cpu_ms - start.cpu_ms};
}

static void must(podium_status_t *status) {
  if (status != NULL) {
    fail_msg("%s", podium_status_message(status));
  }
}

static moment_t submit_by_library(pid_t coordinator, podium_session_t *session,
                                  const char *text, size_t length, bool is_known) {
  podium_executable_t *executable = NULL;
  const podium_compile_options_t options = {.only = true};
  const moment_t start = now(coordinator);
  must(podium_compile(session, "bench.mlir", text, length, &options, &executable));
  const moment_t result = since(start, coordinator);
  assert_int_equal(podium_executable_info(executable)->cached, is_known);
  podium_executable_free(executable);
  return result;
}

static moment_t submit_as_text(pid_t coordinator, client_t *client, const char *text,
                               size_t length) {
  Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
  request.session = client->session;
  request.file_name = (char *)(uintptr_t) "bench.mlir";
  request.size_bytes = (int64_t)length;
  request.only = true;
  const moment_t start = now(coordinator);
  client_call_t *call =
      client_start(client, "/podium.v1.Podium/Compile",
                   &podium__v1__compile_response__descriptor, &request.base, 0);
  for (size_t at = 0; at < length; at += PIECE_BYTES) {
    Podium__V1__CompileRequest piece = PODIUM__V1__COMPILE_REQUEST__INIT;
    piece.text.data = (uint8_t *)(uintptr_t)text + at;
    piece.text.len = length - at < PIECE_BYTES ? length - at : PIECE_BYTES;
    rpc_call_send(call->rpc, &piece.base);
  }
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  const moment_t result = since(start, coordinator);
  const void *message = call->messages[0];
  assert_true(((const Podium__V1__CompileResponse *)message)->cached);
  client_free(call);
  return result;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static moment_t median(const moment_t *times) {
  double wall[RUNS], cpu[RUNS];
  for (int i = 0; i < RUNS; i++) {
    wall[i] = times[i].wall_ms;
    cpu[i] = times[i].cpu_ms;
  }
  qsort(wall, RUNS, sizeof(*wall), compare);
  qsort(cpu, RUNS, sizeof(*cpu), compare);
  return (moment_t){wall[RUNS / 2], cpu[RUNS / 2]};
}

static void measure_small(pid_t coordinator, podium_session_t *session) {
  double wall_ms[SMALL_RUNS];
  for (int run = 0; run < SMALL_RUNS; run++) {
    pod_text_t text = {0};
    pod_text_printf(&text,
                    "func.func public @main(%%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                    "  %%c = stablehlo.constant dense<%d.0> : tensor<8xf32>\n"
                    "  %%y = stablehlo.add %%x, %%c : tensor<8xf32>\n"
                    "  return %%y : tensor<8xf32>\n}\n",
                    run);
    wall_ms[run] =
        submit_by_library(coordinator, session, text.bytes, text.length, false).wall_ms;
    pod_text_deinit(&text);
  }
  qsort(wall_ms, SMALL_RUNS, sizeof(*wall_ms), compare);
  printf("small modules: p50 %.3f ms, p99 %.3f ms\n", wall_ms[SMALL_RUNS / 2],
         wall_ms[SMALL_RUNS * 99 / 100]);
}

static void measure(void **state) {
  (void)state;
  system_pod_t *pod =
      system_pod_start(&(system_pod_options_t){.topology = "1x1", .workers = -1});
  podium_session_t *session = NULL;
  must(podium_connect(system_pod_address(pod),
                      &(podium_connect_options_t){.do_not_wait = true}, &session));
  rpc_loop_t *loop;
  assert_null(rpc_loop_create(&loop));
  client_t *client = client_create(loop, system_pod_address(pod));
  client_open(client, false);
  const pid_t coordinator = system_pod_coordinator(pod);
  measure_small(coordinator, session);
  printf("%10s %16s %16s %16s\n%10s %16s %16s %16s\n", "MB of text", "first", "as text",
         "by digest", "", "wall / CPU ms", "wall / CPU ms", "wall / CPU ms");
  for (int i = 0; i < size_count; i++) {
    size_t length;
    char *text = make_text(sizes_mb[i], &length);
    moment_t as_text[RUNS], by_digest[RUNS];
    const moment_t first = submit_by_library(coordinator, session, text, length, false);
    for (int run = 0; run < RUNS; run++) {
      as_text[run] = submit_as_text(coordinator, client, text, length);
      by_digest[run] = submit_by_library(coordinator, session, text, length, true);
    }
    const moment_t text_ms = median(as_text), digest_ms = median(by_digest);
    printf("%10.1f %8.1f %7.1f %8.1f %7.1f %8.1f %7.1f\n", (double)length / 1e6,
           first.wall_ms, first.cpu_ms, text_ms.wall_ms, text_ms.cpu_ms,
           digest_ms.wall_ms, digest_ms.cpu_ms);
    fflush(stdout);
    free(text);
  }
  client_close(client);
  client_destroy(client);
  rpc_loop_destroy(loop);
  podium_close(session);
  system_pod_stop(pod);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc && i <= 8; i++) {
    sizes_mb[i - 1] = atoi(argv[i]);
    size_count = i;
    if (sizes_mb[i - 1] < 1 || sizes_mb[i - 1] > 200) {
      fprintf(stderr, "usage: resubmit_bench [MEGABYTES …]: of 1 to 200\n");
      return 2;
    }
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(measure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
