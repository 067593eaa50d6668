// Modules that are made to break the compiler, to eat the coordinator's memory or to hold
// up who else compiles: each costs who sends it, and nobody else. Prints what the others
// waited and what the coordinator's memory came to.

#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "common/base/text.h"
#include "tests/attack/bystander.h"
#include "tests/system/client.h"

enum {
  MILLION = 1000000,
  TIMEOUT_MS = 120000,
  BOUND_MS = 1000,  // Of others' rounds; 250 on a machine that does nothing else.
  COORDINATOR_MIB_MAX = 1024,
  SLOTS = 2,
};

// --- What /proc says ---

static long read_status(pid_t pid, const char *key) {
  char path[64], line[256];
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "re");
  long value = -1;
  while (file != NULL && value < 0 && fgets(line, sizeof(line), file) != NULL) {
    if (strncmp(line, key, strlen(key)) == 0) {
      value = strtol(line + strlen(key), NULL, 10);
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return value;
}

// Children of a process, at most `most`.
static int find_children(pid_t parent, pid_t *children, int most) {
  DIR *folder = opendir("/proc");
  assert_non_null(folder);
  int count = 0;
  for (const struct dirent *entry = readdir(folder); entry != NULL && count < most;
       entry = readdir(folder)) {
    if (isdigit((unsigned char)entry->d_name[0])) {
      const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
      if (read_status(pid, "PPid:") == parent) {
        children[count++] = pid;
      }
    }
  }
  closedir(folder);
  return count;
}

// Whether no thread of a process runs any more.
static bool stands_still(pid_t pid) {
  char path[64 + 256], line[256];
  bool stands = true;
  snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
  DIR *folder = opendir(path);
  assert_non_null(folder);
  for (const struct dirent *entry = readdir(folder); entry != NULL && stands;
       entry = readdir(folder)) {
    snprintf(path, sizeof(path), "/proc/%d/task/%s/status", (int)pid, entry->d_name);
    FILE *file = entry->d_name[0] != '.' ? fopen(path, "re") : NULL;
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
      if (strncmp(line, "State:", 6) == 0) {
        stands = strstr(line, "T (stopped)") != NULL;
      }
    }
    if (file != NULL) {
      fclose(file);
    }
  }
  closedir(folder);
  return stands;
}

// One thread hears the signal and stops the others, once it runs: on a busy machine
// another may compile a small module before.
static void stop_server(pid_t pid) {
  assert_int_equal(kill(pid, SIGSTOP), 0);
  while (!stands_still(pid)) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

// The processes that compile for the coordinator.
static int find_servers(const system_pod_t *pod, pid_t servers[SLOTS + 1]) {
  pid_t spawner;
  assert_int_equal(find_children(system_pod_coordinator(pod), &spawner, 1), 1);
  return find_children(spawner, servers, SLOTS + 1);
}

// --- Modules ---

static void repeat(pod_text_t *text, int count, const char *part) {
  for (int i = 0; i < count; i++) {
    pod_text_add(text, part);
  }
}

static void write_arguments(pod_text_t *text) {
  pod_text_add(text, "func.func public @main(");
  for (int i = 0; i < MILLION; i++) {
    pod_text_printf(text, "%s%%arg%d: tensor<f32>", i == 0 ? "" : ", ", i);
  }
  pod_text_add(text, ") -> tensor<f32> { return %arg0 : tensor<f32> }\n");
}

static void write_nesting(pod_text_t *text) {
  pod_text_add(text, "func.func @main(%a: tensor<i1>) {");
  repeat(text, MILLION, "\"stablehlo.if\"(%a) ({ ");
  repeat(text, MILLION, "}) : (tensor<i1>) -> ()");
  pod_text_add(text, "return }");
}

static void write_splat(pod_text_t *text) {
  pod_text_add(text,
               "func.func @main() -> tensor<1099511627776xi32> {\n"
               "  %0 = stablehlo.constant dense<3> : tensor<1099511627776xi32>\n"
               "  %1 = stablehlo.multiply %0, %0 : tensor<1099511627776xi32>\n"
               "  return %1 : tensor<1099511627776xi32>\n}\n");
}

static void write_groups(pod_text_t *text) {
  pod_text_add(text,
               "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
               "  %0 = \"stablehlo.all_reduce\"(%a) ({\n"
               "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
               "    %1 = stablehlo.add %x, %y : tensor<f32>\n"
               "    stablehlo.return %1 : tensor<f32>\n"
               "  }) {replica_groups = dense<[");
  for (int i = 0; i < MILLION; i++) {
    pod_text_printf(text, "%s[%d]", i == 0 ? "" : ", ", i);
  }
  pod_text_add(text,
               "]> : tensor<1000000x1xi64>} : (tensor<8xf32>) -> tensor<8xf32>\n"
               "  return %0 : tensor<8xf32>\n}\n");
}

// A compiler that unrolled or evaluated it would not come back.
static void write_loop(pod_text_t *text) {
  pod_text_add(
      text,
      "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
      "  %z = stablehlo.constant dense<0> : tensor<i64>\n"
      "  %o = stablehlo.constant dense<1> : tensor<i64>\n"
      "  %n = stablehlo.constant dense<1000000000000> : tensor<i64>\n"
      "  %0:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i64>, tensor<8xf32> cond {\n"
      "    %c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> "
      "tensor<i1>\n"
      "    stablehlo.return %c : tensor<i1>\n"
      "  } do {\n"
      "    %j = stablehlo.add %i, %o : tensor<i64>\n"
      "    %y = stablehlo.add %x, %x : tensor<8xf32>\n"
      "    stablehlo.return %j, %y : tensor<i64>, tensor<8xf32>\n"
      "  }\n"
      "  return %0#1 : tensor<8xf32>\n}\n");
}

// Functions that call the next one twice, forty deep.
static void write_calls(pod_text_t *text) {
  enum { DEPTH = 40 };
  for (int i = 0; i < DEPTH; i++) {
    pod_text_printf(text,
                    "func.func private @f%d(%%a: tensor<f32>) -> tensor<f32> {\n"
                    "  %%0 = func.call @f%d(%%a) : (tensor<f32>) -> tensor<f32>\n"
                    "  %%1 = func.call @f%d(%%0) : (tensor<f32>) -> tensor<f32>\n"
                    "  return %%1 : tensor<f32>\n}\n",
                    i, i + 1, i + 1);
  }
  pod_text_printf(text,
                  "func.func private @f%d(%%a: tensor<f32>) -> tensor<f32> {\n"
                  "  return %%a : tensor<f32>\n}\n"
                  "func.func @main(%%a: tensor<f32>) -> tensor<f32> {\n"
                  "  %%0 = func.call @f0(%%a) : (tensor<f32>) -> tensor<f32>\n"
                  "  return %%0 : tensor<f32>\n}\n",
                  DEPTH);
}

// Nothing is wrong with it but its length.
static void write_operations(pod_text_t *text, int count) {
  pod_text_add(text,
               "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
               "  %0 = stablehlo.tanh %a : tensor<8xf32>\n");
  for (int i = 1; i < count; i++) {
    pod_text_printf(text, "  %%%d = stablehlo.add %%%d, %%a : tensor<8xf32>\n", i, i - 1);
  }
  pod_text_printf(text, "  return %%%d : tensor<8xf32>\n}\n", count - 1);
}

static podium_status_t *compile(podium_session_t *session, const pod_text_t *text) {
  podium_executable_t *executable = NULL;
  podium_status_t *status = podium_compile(
      session, "bomb.mlir", text->bytes, text->length,
      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS, .only = true}, &executable);
  podium_executable_free(executable);
  return status;
}

// --- The attacks ---

static void test_modules_that_eat_memory_are_refused_and_others_are_served(void **state) {
  (void)state;
  static const struct {
    const char *name;
    void (*write)(pod_text_t *text);
    podium_code_t code;
    const char *words;  // NULL: it compiles.
  } bombs[] = {
      {"a million arguments", write_arguments, PODIUM_INVALID_ARGUMENT,
       "at most 65536 can be passed"},
      {"a million levels", write_nesting, PODIUM_INVALID_ARGUMENT, "nested more than"},
      {"a splat of 4 TiB", write_splat, PODIUM_RESOURCE_EXHAUSTED, "of HBM per chip"},
      {"a million groups", write_groups, PODIUM_INVALID_ARGUMENT,
       "of at most 65536 devices"},
      {"an endless loop", write_loop, 0, NULL},
      {"calls that double", write_calls, PODIUM_RESOURCE_EXHAUSTED,
       "once calls are inlined"},
  };
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  podium_session_t *session = connect_to(pod);
  bystander_t *others = bystander_start(pod);
  for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
    pod_text_t text = {0};
    bombs[i].write(&text);
    podium_status_t *status = compile(session, &text);
    printf("%s, %.1f MB: %.100s\n", bombs[i].name, (double)text.length / 1e6,
           status == NULL ? "compiled" : podium_status_message(status));
    if (bombs[i].words == NULL) {
      must(status);
    } else {
      expect_error(status, bombs[i].code, bombs[i].words);
    }
    pod_text_deinit(&text);
  }
  bystander_stop(others, "beside bombs", BOUND_MS);
  const long peak_mib = read_status(system_pod_coordinator(pod), "VmHWM:") / 1024;
  printf("the coordinator had %ld MiB at the most\n", peak_mib);
  assert_in_range(peak_mib, 1, COORDINATOR_MIB_MAX);
  podium_close(session);
  system_pod_stop(pod);
}

static void test_a_long_module_holds_nobody_up(void **state) {
  (void)state;
  enum { OPERATIONS = 200000 };
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  podium_session_t *session = connect_to(pod);
  bystander_t *others = bystander_start(pod);
  pod_text_t text = {0};
  write_operations(&text, OPERATIONS);
  must(compile(session, &text));
  pod_text_deinit(&text);
  bystander_stop(others, "beside 200,000 operations", BOUND_MS);
  podium_close(session);
  system_pod_stop(pod);
}

#ifndef __SANITIZE_ADDRESS__
static int count_descriptors(pid_t pid) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
  DIR *folder = opendir(path);
  assert_non_null(folder);
  int count = 0;
  while (readdir(folder) != NULL) {
    count++;
  }
  closedir(folder);
  return count;
}

static void test_a_compile_beyond_its_memory_costs_its_client_only(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "1x1",
      .coordinator_args = {"--compile-processes", "2", "--compile-memory-bytes",
                           "67108864"}});
  podium_session_t *session = connect_to(pod);
  const int before = count_descriptors(system_pod_coordinator(pod));
  bystander_t *others = bystander_start(pod);
  pod_text_t text = {0};
  write_operations(&text, 300000);
  for (int i = 0; i < 5; i++) {
    expect_error(compile(session, &text), PODIUM_RESOURCE_EXHAUSTED,
                 "more than the 64.0 MiB of memory that a compile may have");
  }
  pod_text_deinit(&text);
  bystander_stop(others, "beside compiles that run out of memory", BOUND_MS);
  pid_t servers[SLOTS + 1];
  assert_in_range(find_servers(pod, servers), 0, SLOTS);
  const int after = count_descriptors(system_pod_coordinator(pod));
  assert_in_range(after, 0, before + SLOTS + 1);  // Their sockets; a session that ends.
  podium_close(session);
  system_pod_stop(pod);
}
#endif

typedef struct victim_t {
  podium_session_t *session;
  podium_status_t *status;
} victim_t;

static void *compile_on_thread(void *context) {
  victim_t *victim = context;
  pod_text_t text = {0};
  write_operations(&text, 10);
  victim->status = compile(victim->session, &text);
  pod_text_deinit(&text);
  return NULL;
}

// Who compiles in the only warm process, which has been stopped, as a compiler that does
// not come back; `number` is what becomes of it then, 0: nothing.
static podium_status_t *compile_in_a_stopped_process(const system_pod_t *pod,
                                                     int number) {
  victim_t victim = {.session = connect_to(pod)};
  pod_text_t small = {0};
  write_operations(&small, 5 + number);
  must(compile(victim.session, &small));
  pod_text_deinit(&small);
  pid_t servers[SLOTS + 1];
  assert_int_equal(find_servers(pod, servers), 1);
  stop_server(servers[0]);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, compile_on_thread, &victim), 0);
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);  // It has the job by then.
  bystander_t *others = bystander_start(pod);
  while (bystander_rounds(others) < 20) {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  if (number != 0) {
    assert_int_equal(kill(servers[0], number), 0);
    assert_int_equal(kill(servers[0], SIGCONT), 0);
  }
  assert_int_equal(pthread_join(thread, NULL), 0);
  bystander_stop(others, "beside a compiler that hangs", BOUND_MS);
  podium_close(victim.session);
  return victim.status;
}

static void test_a_compiler_that_breaks_down_costs_its_client_only(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "1x1", .coordinator_args = {"--compile-processes", "2"}});
  expect_error(compile_in_a_stopped_process(pod, SIGABRT), PODIUM_INTERNAL,
               "the compiler broke down over bomb.mlir");
  bystander_stop(bystander_start(pod), "afterwards", BOUND_MS);
  system_pod_stop(pod);
}

static void test_a_compiler_that_does_not_come_back_is_ended(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "1x1",
      .coordinator_args = {"--compile-processes", "2", "--compile-seconds", "3"}});
  expect_error(compile_in_a_stopped_process(pod, 0), PODIUM_RESOURCE_EXHAUSTED,
               "longer than the 3 s that a compile may take");
  pid_t servers[SLOTS + 1];
  assert_in_range(find_servers(pod, servers), 1, SLOTS);
  bystander_stop(bystander_start(pod), "afterwards", BOUND_MS);
  system_pod_stop(pod);
}

// Whether the coordinator has begun to compile a module of so many bytes.
static bool has_begun(const system_pod_t *pod, size_t size_bytes) {
  char line[64];
  snprintf(line, sizeof(line), "compiling bomb.mlir of %zu bytes", size_bytes);
  char *log = system_pod_log(pod, -1);
  const bool has = strstr(log, line) != NULL;
  free(log);
  return has;
}

// Who compiles in the only process, which has been stopped, and gives up. On a busy
// machine he may have done so before the process was to have the module: then he comes
// again, and is more patient.
static void give_up_a_compile(const system_pod_t *pod, podium_session_t *session,
                              const pod_text_t *text) {
  for (int patience_ms = 500; !has_begun(pod, text->length); patience_ms *= 2) {
    podium_executable_t *executable = NULL;
    assert_true(patience_ms < TIMEOUT_MS);
    expect_error(podium_compile(session, "bomb.mlir", text->bytes, text->length,
                                &(podium_compile_options_t){.timeout_ms = patience_ms},
                                &executable),
                 PODIUM_DEADLINE_EXCEEDED, "");
  }
}

// With one process only, and that one hangs: who gave up does not hold up who comes.
static void test_a_compile_that_nobody_waits_for_makes_way(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "1x1", .coordinator_args = {"--compile-processes", "1"}});
  podium_session_t *session = connect_to(pod);
  pod_text_t small = {0}, other = {0};
  write_operations(&small, 5);
  write_operations(&other, 6);
  must(compile(session, &small));
  pid_t servers[SLOTS + 1];
  assert_int_equal(find_servers(pod, servers), 1);
  stop_server(servers[0]);
  give_up_a_compile(pod, session, &other);
  bystander_stop(bystander_start(pod), "behind a compile that was given up", TIMEOUT_MS);
  must(compile(session, &other));  // It is not the one that was ended.
  pod_text_deinit(&small);
  pod_text_deinit(&other);
  podium_close(session);
  system_pod_stop(pod);
}

// The kernel takes any process when the host is out of memory, also the one that starts
// those that compile. Nobody has to do anything about it.
static void test_compiles_survive_the_process_that_starts_their_processes(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  podium_session_t *session = connect_to(pod);
  for (int i = 0; i < 3; i++) {
    pid_t spawner;
    pod_text_t text = {0};
    write_operations(&text, 5 + i);
    must(compile(session, &text));
    pod_text_deinit(&text);
    assert_int_equal(find_children(system_pod_coordinator(pod), &spawner, 1), 1);
    assert_int_equal(kill(spawner, SIGKILL), 0);
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);  // Longer than its pause.
  }
  bystander_stop(bystander_start(pod), "without a spawner", BOUND_MS);
  podium_close(session);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_modules_that_eat_memory_are_refused_and_others_are_served),
      cmocka_unit_test(test_a_long_module_holds_nobody_up),
#ifndef __SANITIZE_ADDRESS__  // Reserves more address space than any limit.
      cmocka_unit_test(test_a_compile_beyond_its_memory_costs_its_client_only),
#endif
      cmocka_unit_test(test_a_compiler_that_breaks_down_costs_its_client_only),
      cmocka_unit_test(test_a_compiler_that_does_not_come_back_is_ended),
      cmocka_unit_test(test_a_compile_that_nobody_waits_for_makes_way),
      cmocka_unit_test(test_compiles_survive_the_process_that_starts_their_processes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
