// What programs pass to their host and take from it, against real daemons.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, TURNS = 3, LONG = 1 << 20 };

#define SEND(operand, token, channel, type)         \
  "\"stablehlo.send\"(" operand ", " token          \
  ") <{channel_handle = "                           \
  "#stablehlo.channel_handle<handle = " channel     \
  ", type = 2>, is_host_transfer = true}> : (" type \
  ", !stablehlo.token) -> "                         \
  "!stablehlo.token\n"
#define RECV(token, channel, type)                                        \
  "\"stablehlo.recv\"(" token                                             \
  ") <{channel_handle = "                                                 \
  "#stablehlo.channel_handle<handle = " channel                           \
  ", type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (" type \
  ", !stablehlo.token)\n"

// Gives its argument away and takes the result, of 4 MiB; two chips.
static const char answered[] =
    "module @jit_ask attributes {mhlo.num_partitions = 2 : i32} {\n"
    "  func.func public @main(%a: tensor<1048576xf32>) -> tensor<1048576xf32> {\n"
    "    %t = stablehlo.create_token : !stablehlo.token\n"
    "    %s = " SEND("%a", "%t", "2", "tensor<1048576xf32>") "    %r:2 = " RECV(
        "%s", "3",
        "tensor<1048576xf32>") "    return %r#0 : tensor<1048576xf32>\n  }\n}\n";

// Counts to TURNS, and tells of every turn; nothing uses what is told.
static const char counting[] =
    "module @jit_count attributes {mhlo.num_partitions = 2 : i32} {\n"
    "  func.func public @main(%a: tensor<i32>) -> tensor<i32> {\n"
    "    %n = stablehlo.constant dense<3> : tensor<i32>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %0 = stablehlo.while(%i = %a) : tensor<i32>\n"
    "    cond {\n"
    "      %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> "
    "tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      %t = stablehlo.create_token : !stablehlo.token\n"
    "      %s = " SEND("%i", "%t", "7", "tensor<i32>")
    "      %next = stablehlo.add %i, %one : tensor<i32>\n"
    "      stablehlo.return %next : tensor<i32>\n"
    "    }\n"
    "    return %0 : tensor<i32>\n  }\n}\n";

typedef struct host_t {
  float *values;  // Of LONG, or NULL.
  int counts[TURNS];
  atomic_int send_count, receive_count, release_count;
  const char *failure;
  atomic_bool is_in, may_return;
} host_t;

// An error that a callback may give: one of the library's own.
static podium_status_t *some_error(void) {
  return podium_connect(NULL, NULL, NULL);
}

static podium_status_t *on_send(void *context, int device, int64_t channel,
                                const void *data, size_t size) {
  host_t *host = context;
  const int count = atomic_fetch_add(&host->send_count, 1);
  assert_int_equal(device, 0);
  atomic_store(&host->is_in, true);
  while (host->failure == NULL && channel == 7 && !atomic_load(&host->may_return)) {
    usleep(1000);
  }
  if (channel == 2) {
    assert_int_equal(size, LONG * sizeof(float));
    memcpy(host->values, data, size);
  } else if (count < TURNS) {
    memcpy(&host->counts[count], data, sizeof(int));
  }
  return host->failure == NULL ? NULL : some_error();
}

static podium_status_t *on_receive(void *context, int device, int64_t channel,
                                   void *buffer, size_t size) {
  host_t *host = context;
  assert_int_equal(device, 0);
  assert_int_equal(channel, 3);
  assert_int_equal(size, LONG * sizeof(float));
  float *out = buffer;
  for (int i = 0; i < LONG; i++) {
    out[i] = 2 * host->values[i];
  }
  atomic_fetch_add(&host->receive_count, 1);
  return NULL;
}

static void on_release(void *context) {
  atomic_fetch_add(&((host_t *)context)->release_count, 1);
}

typedef struct scene_t {
  system_pod_t *pod;
  podium_session_t *session;
  podium_executable_t *executable;
  podium_array_t *argument, *result;
} scene_t;

static void open_scene(scene_t *scene, system_pod_t *pod, const char *text,
                       const void *value, size_t size) {
  *scene = (scene_t){.pod = pod};
  must(podium_connect(system_pod_address(scene->pod),
                      &(podium_connect_options_t){.timeout_ms = TIMEOUT_MS},
                      &scene->session));
  must(
      podium_compile(scene->session, "host.mlir", text, strlen(text),
                     &(podium_compile_options_t){.device_order_count = 2,
                                                 .device_order = (const int64_t[]){0, 1}},
                     &scene->executable));
  must(podium_put(scene->session,
                  &(podium_layout_t){.executable = scene->executable, .argument = 0},
                  value, size, TIMEOUT_MS, &scene->argument));
}

static void begin(scene_t *scene, const char *text, const void *value, size_t size) {
  open_scene(scene, system_pod_start(&(system_pod_options_t){0}), text, value, size);
}

static void end(scene_t *scene) {
  podium_close(scene->session);
  system_pod_stop(scene->pod);
}

static podium_status_t *execute(scene_t *scene, host_t *host) {
  podium_execute_options_t options = {.timeout_ms = TIMEOUT_MS};
  if (host != NULL) {
    options.on_host_send = on_send;
    options.on_host_receive = on_receive;
    options.on_host_release = on_release;
    options.host_context = host;
  }
  return podium_execute(scene->executable, 1, &scene->argument, &options, &scene->result,
                        NULL);
}

static void await(atomic_int *count) {
  for (int i = 0; i < TIMEOUT_MS && atomic_load(count) == 0; i++) {
    usleep(1000);
  }
  assert_int_equal(atomic_load(count), 1);
}

static void test_the_host_answers_with_an_array_of_many_pieces_once(void **state) {
  (void)state;
  float *values = malloc(LONG * sizeof(*values));
  for (int i = 0; i < LONG; i++) {
    values[i] = (float)(i % 1000);
  }
  scene_t scene;
  begin(&scene, answered, values, LONG * sizeof(*values));
  host_t host = {.values = calloc(LONG, sizeof(float))};
  must(execute(&scene, &host));
  float *out = malloc(LONG * sizeof(*out));
  must(podium_fetch(scene.result, out, LONG * sizeof(*out), TIMEOUT_MS));
  for (int i = 0; i < LONG; i++) {
    assert_true(out[i] == 2 * values[i]);
  }
  assert_int_equal(atomic_load(&host.send_count), 1);
  assert_int_equal(atomic_load(&host.receive_count), 1);
  await(&host.release_count);
  end(&scene);
  free(out);
  free(host.values);
  free(values);
}

static void test_a_loop_tells_of_its_turns_in_order(void **state) {
  (void)state;
  scene_t scene;
  begin(&scene, counting, &(int){0}, sizeof(int));
  host_t host = {.may_return = true};
  must(execute(&scene, &host));
  assert_int_equal(atomic_load(&host.send_count), TURNS);
  for (int i = 0; i < TURNS; i++) {
    assert_int_equal(host.counts[i], i);
  }
  await(&host.release_count);
  end(&scene);
}

static void test_a_callback_that_fails_fails_the_execution(void **state) {
  (void)state;
  scene_t scene;
  begin(&scene, counting, &(int){0}, sizeof(int));
  host_t host = {.failure = "yes"};
  expect_error(execute(&scene, &host), PODIUM_INVALID_ARGUMENT, "is NULL");
  assert_int_equal(atomic_load(&host.send_count), 1);
  await(&host.release_count);
  host_t good = {.may_return = true};
  must(execute(&scene, &good));
  await(&good.release_count);
  end(&scene);
}

static void test_without_callbacks_the_error_names_the_channel(void **state) {
  (void)state;
  scene_t scene;
  begin(&scene, counting, &(int){0}, sizeof(int));
  expect_error(execute(&scene, NULL), PODIUM_FAILED_PRECONDITION, "channel 7");
  end(&scene);
}

static void test_a_callback_that_does_not_return_holds_no_cancelled_execution(
    void **state) {
  (void)state;
  scene_t scene;
  begin(&scene, counting, &(int){0}, sizeof(int));
  host_t host = {0};
  const podium_execute_options_t options = {.timeout_ms = 500,
                                            .on_host_send = on_send,
                                            .on_host_release = on_release,
                                            .host_context = &host};
  expect_error(
      podium_execute(scene.executable, 1, &scene.argument, &options, &scene.result, NULL),
      PODIUM_DEADLINE_EXCEEDED, "500 ms");
  assert_true(atomic_load(&host.is_in));
  assert_int_equal(atomic_load(&host.release_count), 0);
  // The chips are free for another one.
  host_t good = {.may_return = true};
  must(execute(&scene, &good));
  await(&good.release_count);
  podium_close(scene.session);  // With the callback still in.
  atomic_store(&host.may_return, true);
  await(&host.release_count);
  assert_int_equal(atomic_load(&host.send_count), 1);
  system_pod_stop(scene.pod);
}

static podium_status_t *tell_and_stay(void *context, int device, int64_t channel,
                                      const void *data, size_t size) {
  (void)device;
  (void)channel;
  (void)data;
  (void)size;
  const ssize_t written = write(*(const int *)context, "", 1);
  (void)written;
  pause();
  return NULL;
}

// In a process of its own, that a callback holds.
static void be_a_client(const char *address, int tell) {
  scene_t scene = {0};
  podium_status_t *status = podium_connect(
      address, &(podium_connect_options_t){.timeout_ms = TIMEOUT_MS}, &scene.session);
  if (status == NULL) {
    status = podium_compile(
        scene.session, "host.mlir", counting, strlen(counting),
        &(podium_compile_options_t){.device_order_count = 2,
                                    .device_order = (const int64_t[]){0, 1}},
        &scene.executable);
  }
  if (status == NULL) {
    status = podium_put(scene.session, &(podium_layout_t){.executable = scene.executable},
                        &(int){0}, sizeof(int), TIMEOUT_MS, &scene.argument);
  }
  if (status == NULL) {
    const podium_execute_options_t options = {.on_host_send = tell_and_stay,
                                              .host_context = &tell};
    status = podium_execute(scene.executable, 1, &scene.argument, &options, &scene.result,
                            NULL);
  }
  _exit(1);
}

static void test_a_client_that_dies_in_a_callback_holds_no_chip(void **state) {
  (void)state;
  scene_t scene;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  const pid_t client = fork();
  if (client == 0) {
    be_a_client(system_pod_address(pod), ends[1]);
  }
  assert_true(client > 0);
  close(ends[1]);
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_int_equal(kill(client, SIGKILL), 0);
  assert_int_equal(waitpid(client, NULL, 0), client);
  close(ends[0]);
  open_scene(&scene, pod, counting, &(int){0}, sizeof(int));
  host_t host = {.may_return = true};
  must(execute(&scene, &host));
  assert_int_equal(atomic_load(&host.send_count), TURNS);
  end(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_host_answers_with_an_array_of_many_pieces_once),
      cmocka_unit_test(test_a_loop_tells_of_its_turns_in_order),
      cmocka_unit_test(test_a_callback_that_fails_fails_the_execution),
      cmocka_unit_test(test_without_callbacks_the_error_names_the_channel),
      cmocka_unit_test(test_a_callback_that_does_not_return_holds_no_cancelled_execution),
      cmocka_unit_test(test_a_client_that_dies_in_a_callback_holds_no_chip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
