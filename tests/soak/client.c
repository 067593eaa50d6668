// One of the soak's clients: random work on a pod by libpodium, every value compared with
// what it must be.
//
// usage: soak.client ADDRESS SECONDS SEED     Prints how many values it has checked.
// Exit status: 0, or 1 with a line on standard error when something was wrong.

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/podium.h"
#include "common/base/clock.h"

enum {
  WAIT_MS = 120000,
  ROWS = 16,
  COLUMNS = 8,
  CHAIN_MAX = 64,
  ARRAY_BYTES_MAX = 4 << 20,
  ENDLESS_MS = 150,
  SESSIONS_OF_CALLS = 40,
};

// Sums over a sharded dimension, so that the chips talk.
static const char sum_text[] =
    "module @soak_sum {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}) -> (tensor<8xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"y\"}]>}) {\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across "
    "dimensions = [0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>\n"
    "    return %0 : tensor<8xf32>\n  }\n}\n";

static const char next_text[] =
    "module @soak_next {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func public @main(%arg0: tensor<64xi32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}]>}) -> (tensor<64xi32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}]>}) {\n"
    "    %one = stablehlo.constant dense<1> : tensor<64xi32>\n"
    "    %0 = stablehlo.add %arg0, %one : tensor<64xi32>\n"
    "    return %0 : tensor<64xi32>\n  }\n}\n";

static const char endless_text[] =
    "module @soak_endless {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func public @main(%arg0: tensor<i64>) -> tensor<i64> {\n"
    "    %0 = stablehlo.while(%i = %arg0) : tensor<i64>\n"
    "     cond {\n"
    "      %true = stablehlo.constant dense<true> : tensor<i1>\n"
    "      stablehlo.return %true : tensor<i1>\n"
    "    } do {\n"
    "      %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "      %next = stablehlo.add %i, %one : tensor<i64>\n"
    "      stablehlo.return %next : tensor<i64>\n"
    "    }\n    return %0 : tensor<i64>\n  }\n}\n";

typedef struct soak_t {
  const char *address;
  uint64_t random;
  podium_session_t *session;
  podium_executable_t *sum, *next, *endless;
  int64_t values;
} soak_t;

static uint64_t draw(soak_t *soak, uint64_t below) {
  soak->random ^= soak->random << 13;
  soak->random ^= soak->random >> 7;
  soak->random ^= soak->random << 17;
  return soak->random % below;
}

static void fail(const char *what) {
  fprintf(stderr, "soak.client: %s\n", what);
  exit(EXIT_FAILURE);
}

static void must(podium_status_t *status, const char *what) {
  if (status != NULL) {
    fprintf(stderr, "soak.client: %s: %s: %s\n", what,
            podium_code_name(podium_status_code(status)), podium_status_message(status));
    exit(EXIT_FAILURE);
  }
}

static podium_executable_t *compile(soak_t *soak, const char *text) {
  podium_executable_t *executable = NULL;
  must(podium_compile(soak->session, "soak.mlir", text, strlen(text),
                      &(podium_compile_options_t){.timeout_ms = WAIT_MS}, &executable),
       "compile");
  return executable;
}

static void open_session(soak_t *soak) {
  must(podium_connect(
           soak->address,
           &(podium_connect_options_t){.timeout_ms = WAIT_MS, .client_name = "soak"},
           &soak->session),
       "connect");
  soak->sum = compile(soak, sum_text);
  soak->next = compile(soak, next_text);
  soak->endless = compile(soak, endless_text);
}

static podium_array_t *put(soak_t *soak, const podium_executable_t *executable,
                           const void *data, size_t size) {
  podium_array_t *array = NULL;
  must(podium_put(soak->session, &(podium_layout_t){.executable = executable}, data, size,
                  WAIT_MS, &array),
       "put");
  return array;
}

// An array of any size comes back as it went.
static void go_round(soak_t *soak) {
  const size_t count = 1 + draw(soak, ARRAY_BYTES_MAX / sizeof(uint64_t));
  const size_t size = count * sizeof(uint64_t);
  uint64_t *data = malloc(size), *back = malloc(size);
  if (data == NULL || back == NULL) {
    fail("no memory");
  }
  for (size_t i = 0; i < count; i++) {
    data[i] = soak->random + i;
  }
  const podium_layout_t layout = {
      .shape = {.dtype = PODIUM_U64, .rank = 1, .dims = {(int64_t)count}}};
  podium_array_t *array = NULL;
  must(podium_put(soak->session, &layout, data, size, WAIT_MS, &array), "put");
  must(podium_fetch(array, back, size, WAIT_MS), "fetch");
  if (memcmp(data, back, size) != 0) {
    fail("an array came back as another");
  }
  podium_array_free(array);
  free(data);
  free(back);
  soak->values += (int64_t)count;
}

static void add_up(soak_t *soak) {
  float values[ROWS][COLUMNS], sums[COLUMNS];
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      values[i][j] = (float)draw(soak, 1000);
    }
  }
  podium_array_t *array = put(soak, soak->sum, values, sizeof(values)), *result = NULL;
  must(podium_execute(soak->sum, 1, &array,
                      &(podium_execute_options_t){.timeout_ms = WAIT_MS}, &result, NULL),
       "execute");
  must(podium_fetch(result, sums, sizeof(sums), WAIT_MS), "fetch");
  for (int j = 0; j < COLUMNS; j++) {
    float expected = 0;
    for (int i = 0; i < ROWS; i++) {
      expected += values[i][j];
    }
    if (sums[j] != expected) {
      fail("a sum over the chips is wrong");
    }
  }
  podium_array_free(array);
  podium_array_free(result);
  soak->values += COLUMNS;
}

static void drop_status(void *context, podium_status_t *status) {
  (void)context;
  podium_status_free(status);
}

// Executions of which each takes what the one before it makes, none waited for.
static void chain(soak_t *soak) {
  enum { COUNT = 64 };
  int32_t values[COUNT], back[COUNT];
  for (int i = 0; i < COUNT; i++) {
    values[i] = (int32_t)draw(soak, 1000000);
  }
  const int length = 1 + (int)draw(soak, CHAIN_MAX);
  podium_array_t *array = put(soak, soak->next, values, sizeof(values));
  for (int i = 0; i < length; i++) {
    podium_array_t *result = NULL;
    must(podium_execute_async(soak->next, 1, &array,
                              &(podium_execute_options_t){.timeout_ms = WAIT_MS}, &result,
                              drop_status, NULL, NULL),
         "execute_async");
    podium_array_free(array);
    array = result;
  }
  must(podium_fetch(array, back, sizeof(back), WAIT_MS), "fetch");
  for (int i = 0; i < COUNT; i++) {
    if (back[i] != values[i] + length) {
      fail("a chain of executions ends with another value");
    }
  }
  podium_array_free(array);
  soak->values += COUNT;
}

// What never ends is ended by its deadline, and by nothing else.
static void outlast(soak_t *soak) {
  const int64_t zero = 0;
  podium_array_t *array = put(soak, soak->endless, &zero, sizeof(zero)), *result = NULL;
  podium_status_t *status = podium_execute(
      soak->endless, 1, &array, &(podium_execute_options_t){.timeout_ms = ENDLESS_MS},
      &result, NULL);
  if (podium_status_code(status) != PODIUM_DEADLINE_EXCEEDED) {
    must(status, "an endless loop");
    fail("an endless loop has ended");
  }
  podium_status_free(status);
  podium_array_free(array);
}

// The session ends with things under way; another one begins.
static void leave_suddenly(soak_t *soak) {
  int32_t values[64] = {0};
  podium_array_t *array = put(soak, soak->next, values, sizeof(values));
  for (int i = 0; i < CHAIN_MAX; i++) {
    podium_array_t *result = NULL;
    must(podium_execute_async(soak->next, 1, &array, NULL, &result, drop_status, NULL,
                              NULL),
         "execute_async");
    podium_array_free(result);
  }
  podium_close(soak->session);
  open_session(soak);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: soak.client ADDRESS SECONDS SEED\n");
    return EXIT_FAILURE;
  }
  soak_t soak = {
      .address = argv[1],
      .random = strtoull(argv[3], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + 1};
  const int64_t end_ns =
      pod_clock_now_ns() + strtoll(argv[2], NULL, 10) * INT64_C(1000000000);
  open_session(&soak);
  while (pod_clock_now_ns() < end_ns) {
    switch (draw(&soak, SESSIONS_OF_CALLS)) {
      case 0:
        leave_suddenly(&soak);
        break;
      case 1:
        outlast(&soak);
        break;
      case 2:
      case 3:
      case 4:
        go_round(&soak);
        break;
      default:
        if (draw(&soak, 2) == 0) {
          add_up(&soak);
        } else {
          chain(&soak);
        }
    }
  }
  podium_close(soak.session);
  printf("%" PRId64 "\n", soak.values);
  return EXIT_SUCCESS;
}
