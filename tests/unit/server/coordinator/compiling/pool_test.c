// Compiles in processes of their own. The compiler is the real one, but for texts that
// begin with a word that breaks it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/coordinator/compiling/message.h"
#include "server/coordinator/compiling/pool.h"
#include "server/wire/program.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { HAS_MEMORY_LIMIT = 0 };
#else
enum { HAS_MEMORY_LIMIT = 1 };
#endif

static const char good[] =
    "module @good {\n"
    "  func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
    "    %one = stablehlo.constant dense<1.0> : tensor<8xf32>\n"
    "    %y = stablehlo.add %x, %one : tensor<8xf32> loc(\"train.py\":12:7)\n"
    "    %z = stablehlo.tanh %y : tensor<8xf32>\n"
    "    return %z : tensor<8xf32>\n"
    "  }\n"
    "}\n";

// What a compiler with a defect might do.
static int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return depth == INT_MAX ? 0 : recurse(depth + 1) + frame[0];
}

static pod_status_t test_compile(const char *text, int64_t length,
                                 const compiler_options_t *options,
                                 compiler_result_t **out_result) {
  if (strcmp(text, "crash") == 0) {
    abort();
  }
  if (strcmp(text, "recurse") == 0) {
    return pod_error(POD_UNKNOWN, "%d", recurse(0));
  }
  if (strcmp(text, "exit") == 0) {
    _exit(3);
  }
  while (strcmp(text, "loop") == 0) {
    pause();
  }
  while (strcmp(text, "eat") == 0) {
    memset(pod_alloc(1 << 20), 1, 1 << 20);
  }
  if (strcmp(text, "fill") == 0) {
    volatile char *memory = pod_alloc(300 << 20);
    for (size_t i = 0; i < 300 << 20; i += 4096) {
      memory[i] = 1;
    }
    free((void *)memory);
    text = good;
    length = sizeof(good) - 1;
  }
  if (strncmp(text, "wait for /", 10) == 0) {
    while (access(text + 9, F_OK) != 0) {
      usleep(1000);
    }
    text = good;
    length = sizeof(good) - 1;
  }
  if (strcmp(text, "pid") == 0) {
    return pod_error(POD_NOT_FOUND, "%ld", (long)getpid());
  }
  return compiler_compile(text, length, options, out_result);
}

static compile_pool_t *make_pool(int32_t slots, int64_t memory_mib, int64_t seconds) {
  compile_pool_t *pool;
  assert_null(
      compile_pool_create(&(compile_pool_options_t){.compile = test_compile,
                                                    .destroy = compiler_result_destroy,
                                                    .slot_count = slots,
                                                    .memory_bytes = memory_mib << 20,
                                                    .seconds = seconds},
                          &pool));
  return pool;
}

static pod_status_t compile(compile_pool_t *pool, const char *text,
                            compile_outcome_t *out) {
  compiler_options_t options = {.file_name = "m.mlir", .spec = chip_spec_find("v5e")};
  assert_null(torus_parse("1x1", options.spec, &options.torus, NULL));
  return compile_pool_compile(pool, text, NULL, text, (int64_t)strlen(text), &options,
                              out);
}

static void destroy(compile_outcome_t *outcome) {
  compiler_result_destroy(outcome->result);
  free(outcome->packed);
}

static void assert_works(compile_pool_t *pool) {
  compile_outcome_t outcome;
  assert_null(compile(pool, good, &outcome));
  assert_string_equal(outcome.result->program->name, "good");
  destroy(&outcome);
}

static void assert_fails(compile_pool_t *pool, const char *text, pod_code_t code,
                         const char *part) {
  compile_outcome_t outcome;
  const pod_status_t status = compile(pool, text, &outcome);
  assert_non_null(status);
  if (strstr(pod_status_message(status), part) == NULL) {
    print_error("%s\n", pod_status_message(status));
  }
  assert_int_equal(pod_status_code(status), code);
  assert_non_null(strstr(pod_status_message(status), part));
  pod_status_free(status);
}

// *out_pid: of the process that compiles, unless there is none to be had.
static pod_status_t ask_pid(compile_pool_t *pool, long *out_pid) {
  compile_outcome_t outcome;
  const pod_status_t status = compile(pool, "pid", &outcome);
  if (pod_status_code(status) != POD_NOT_FOUND) {
    return status;
  }
  *out_pid = strtol(pod_status_message(status), NULL, 10);
  pod_status_free(status);
  return NULL;
}

static long server_pid(compile_pool_t *pool) {
  long pid = 0;
  assert_null(ask_pid(pool, &pid));
  return pid;
}

static int count_entries(const char *folder) {
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  int count = 0;
  while (readdir(dir) != NULL) {
    count++;
  }
  closedir(dir);
  return count;
}

static void test_a_program_comes_back_as_the_compiler_made_it(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(1, 512, 60);
  compile_outcome_t outcome;
  assert_null(compile(pool, good, &outcome));
  compiler_options_t options = {.file_name = "m.mlir", .spec = chip_spec_find("v5e")};
  assert_null(torus_parse("1x1", options.spec, &options.torus, NULL));
  compiler_result_t *own;
  assert_null(compiler_compile(good, sizeof(good) - 1, &options, &own));
  compile_frame_t theirs, ours;
  assert_null(compile_answer_pack(NULL, outcome.result, &theirs));
  assert_null(compile_answer_pack(NULL, own, &ours));
  assert_int_equal(theirs.head_bytes, ours.head_bytes);
  assert_memory_equal(theirs.head, ours.head, ours.head_bytes);
  assert_int_equal(theirs.body_bytes, ours.body_bytes);
  assert_memory_equal(theirs.body, ours.body, ours.body_bytes);
  assert_int_equal(outcome.packed_bytes, ours.body_bytes);
  assert_memory_equal(outcome.packed, ours.body, ours.body_bytes);
  pod_text_t mine = {0}, back = {0};
  chip_program_print_tasks(&mine, own->program);
  chip_program_print_tasks(&back, outcome.result->program);
  assert_string_equal(back.bytes, mine.bytes);
  assert_string_equal(outcome.result->partitioned_text, own->partitioned_text);
  assert_int_equal(outcome.result->hbm_peak_bytes, own->hbm_peak_bytes);
  pod_text_deinit(&mine);
  pod_text_deinit(&back);
  compile_frame_deinit(&theirs);
  compile_frame_deinit(&ours);
  compiler_result_destroy(own);
  destroy(&outcome);
  compile_pool_destroy(pool);
}

static void test_an_error_of_the_module_comes_back_as_it_was(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(1, 512, 60);
  assert_fails(pool, "nonsense", POD_INVALID_ARGUMENT, "m.mlir:1:1");
  compile_pool_destroy(pool);
}

// The pod's chips may have other HBM than their kind.
static void test_a_program_is_made_to_fit_the_hbm_of_the_pod(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(1, 512, 60);
  compiler_options_t options = {
      .file_name = "m.mlir", .spec = chip_spec_find("v5e"), .hbm_bytes = 16};
  assert_null(torus_parse("1x1", options.spec, &options.torus, NULL));
  compile_outcome_t outcome;
  const pod_status_t status =
      compile_pool_compile(pool, good, NULL, good, sizeof(good) - 1, &options, &outcome);
  assert_int_equal(pod_status_code(status), POD_RESOURCE_EXHAUSTED);
  assert_non_null(strstr(pod_status_message(status), "a v5e has 16 B"));
  pod_status_free(status);
  compile_pool_destroy(pool);
}

static void test_a_server_is_kept(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(2, 512, 60);
  const long pid = server_pid(pool);
  assert_int_not_equal(pid, getpid());
  assert_works(pool);
  assert_int_equal(server_pid(pool), pid);
  compile_pool_destroy(pool);
}

static void test_a_crash_costs_its_own_compile_only(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(1, 512, 60);
  assert_works(pool);
  assert_fails(pool, "crash", POD_INTERNAL, "broke down over m.mlir (Aborted)");
  assert_works(pool);
  assert_fails(pool, "exit", POD_INTERNAL, "ended with status 3");
  assert_works(pool);
  if (HAS_MEMORY_LIMIT) {
    assert_fails(pool, "recurse", POD_INTERNAL, "Segmentation fault");
    assert_works(pool);
  }
  compile_pool_destroy(pool);
}

static void test_a_compile_has_so_much_memory_and_no_more(void **state) {
  (void)state;
  if (!HAS_MEMORY_LIMIT) {
    print_message("a sanitizer reserves more address space than any limit\n");
    skip();
  }
  compile_pool_t *pool = make_pool(1, 128, 60);
  assert_fails(pool, "eat", POD_RESOURCE_EXHAUSTED, "more than the 128.0 MiB");
  assert_fails(pool, "eat", POD_RESOURCE_EXHAUSTED, "--compile-memory-bytes");
  assert_works(pool);
  compile_pool_destroy(pool);
}

static void test_a_compile_has_so_much_time_and_no_more(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(1, 512, 1);
  assert_fails(pool, "loop", POD_RESOURCE_EXHAUSTED, "--compile-seconds");
  assert_works(pool);
  compile_pool_destroy(pool);
}

static void test_a_server_that_took_much_is_given_back(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(1, 1024, 60);
  const long pid = server_pid(pool);
  compile_outcome_t outcome;
  assert_null(compile(pool, "fill", &outcome));
  destroy(&outcome);
  assert_int_equal(kill((pid_t)pid, 0), -1);
  assert_int_not_equal(server_pid(pool), pid);
  compile_pool_destroy(pool);
}

static void test_a_server_that_was_killed_idle_is_started_anew(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(1, 512, 60);
  const long pid = server_pid(pool);
  assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
  assert_works(pool);
  assert_int_not_equal(server_pid(pool), pid);
  compile_pool_destroy(pool);
}

typedef struct looping_t {
  compile_pool_t *pool;
  const char *text;
  pod_status_t status;
  compile_outcome_t outcome;
} looping_t;

static void *compile_on_thread(void *context) {
  looping_t *looping = context;
  looping->status = compile(looping->pool, looping->text, &looping->outcome);
  return NULL;
}

static void test_what_is_not_wanted_is_stopped_and_others_go_on(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(2, 512, 600);
  looping_t looping = {.pool = pool, .text = "loop"};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, compile_on_thread, &looping), 0);
  for (int i = 0; i < 20; i++) {
    assert_works(pool);
  }
  compile_pool_stop(pool, good);                   // Has none under way.
  while (pthread_tryjoin_np(thread, NULL) != 0) {  // It may not have begun.
    compile_pool_stop(pool, looping.text);
    usleep(1000);
  }
  assert_int_equal(pod_status_code(looping.status), POD_CANCELLED);
  pod_status_free(looping.status);
  assert_works(pool);
  compile_pool_destroy(pool);
}

// Between being wanted no more and having a process there may be a while.
static void test_what_was_not_wanted_before_it_had_a_process_gets_none(void **state) {
  (void)state;
  const atomic_bool is_unwanted = true;
  compile_pool_t *pool = make_pool(1, 512, 600);
  assert_works(pool);
  const long pid = server_pid(pool);
  compile_pool_stop(pool, "loop");
  compiler_options_t options = {.file_name = "m.mlir", .spec = chip_spec_find("v5e")};
  assert_null(torus_parse("1x1", options.spec, &options.torus, NULL));
  compile_outcome_t outcome;
  const pod_status_t status =
      compile_pool_compile(pool, "loop", &is_unwanted, "loop", 4, &options, &outcome);
  assert_int_equal(pod_status_code(status), POD_CANCELLED);
  pod_status_free(status);
  assert_int_equal(server_pid(pool), pid);  // Nothing was lost over it.
  compile_pool_destroy(pool);
}

static void test_no_descriptor_and_no_process_is_left(void **state) {
  (void)state;
  const int before = count_entries("/proc/self/fd");
  compile_pool_t *pool = make_pool(2, 128, 60);
  for (int i = 0; i < 10; i++) {
    assert_fails(pool, i % 2 == 0 ? "crash" : "exit", POD_INTERNAL, "m.mlir");
  }
  assert_works(pool);
  const long pid = server_pid(pool);
  compile_pool_destroy(pool);
  assert_int_equal(count_entries("/proc/self/fd"), before);
  assert_int_equal(kill((pid_t)pid, 0), -1);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);  // ECHILD: no child at all.
}

static pid_t kill_spawner(compile_pool_t *pool);

static void assert_they_end_with_their_process(bool is_replaced) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t parent = fork();
  assert_true(parent >= 0);
  if (parent == 0) {
    compile_pool_t *pool = make_pool(1, 512, 600);
    if (is_replaced) {
      kill_spawner(pool);
    }
    const long pid = server_pid(pool);
    if (write(ends[1], &pid, sizeof(pid)) == sizeof(pid)) {
      compile_outcome_t outcome;
      pod_status_free(compile(pool, "loop", &outcome));
    }
    _exit(1);
  }
  long pid = 0;
  assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
  assert_int_equal(kill(parent, SIGKILL), 0);
  assert_int_equal(waitpid(parent, NULL, 0), parent);
  char path[64];
  snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
  for (int i = 0; i < 2000; i++) {  // 20 s.
    char state_letter = 'X';
    FILE *file = fopen(path, "re");
    if (file == NULL) {
      break;
    }
    if (fscanf(file, "%*d %*s %c", &state_letter) != 1) {
      state_letter = 'X';
    }
    fclose(file);
    if (state_letter == 'Z' || state_letter == 'X') {
      break;  // Nobody in this container reaps it.
    }
    assert_true(i < 1999);
    usleep(10000);
  }
  close(ends[0]);
  close(ends[1]);
}

// A coordinator that is killed takes them along.
static void test_they_end_with_the_process_that_has_them(void **state) {
  (void)state;
  assert_they_end_with_their_process(false);
  assert_they_end_with_their_process(true);
}

// --- The spawner ---

static pid_t parent_of(long pid) {
  char path[64];
  long parent = 0;
  snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
  FILE *file = fopen(path, "re");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%*d (%*[^)]) %*c %ld", &parent), 1);
  fclose(file);
  return (pid_t)parent;
}

static pid_t spawner_of_server(long server) {
  const pid_t spawner = parent_of(server);
  assert_int_not_equal(spawner, getpid());
  assert_int_equal(parent_of(spawner), getpid());
  return spawner;
}

static pid_t spawner_of(compile_pool_t *pool) {
  return spawner_of_server(server_pid(pool));
}

// Also when nobody has waited for it yet.
static bool has_ended(long pid) {
  char path[64], state = 'Z';
  snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
  FILE *file = fopen(path, "re");
  if (file != NULL) {
    assert_true(fscanf(file, "%*d (%*[^)]) %c", &state) <= 1);
    fclose(file);
  }
  return state == 'Z' || state == 'X';
}

// It ends when its spawner has, but no sooner than the kernel comes to it.
static void await_end(long pid) {
  for (int i = 0; !has_ended(pid); i++) {
    assert_true(i < 10000);  // 10 s.
    usleep(1000);
  }
}

// With the process that compiles. Returns the spawner.
static pid_t kill_spawner(compile_pool_t *pool) {
  const long server = server_pid(pool);
  const pid_t spawner = spawner_of_server(server);
  assert_int_equal(kill(spawner, SIGKILL), 0);
  await_end(server);
  return spawner;
}

static void test_a_spawner_that_was_killed_is_replaced(void **state) {
  (void)state;
  const int before = count_entries("/proc/self/fd");
  compile_pool_t *pool = make_pool(2, 512, 60);
  const pid_t first = kill_spawner(pool);
  assert_works(pool);
  assert_int_not_equal(spawner_of(pool), first);
  // With the limits that the first one had, and what breaks is told as ever.
  assert_fails(pool, "crash", POD_INTERNAL, "broke down over m.mlir (Aborted)");
  if (HAS_MEMORY_LIMIT) {
    assert_fails(pool, "eat", POD_RESOURCE_EXHAUSTED, "more than the 512.0 MiB");
  }
  assert_works(pool);
  const long pid = server_pid(pool);
  compile_pool_destroy(pool);
  assert_int_equal(count_entries("/proc/self/fd"), before);
  assert_int_equal(kill((pid_t)pid, 0), -1);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void test_what_a_spawner_took_along_is_compiled_by_the_next(void **state) {
  (void)state;
  char folder[] = "/tmp/podium-pool-XXXXXX", text[64];
  assert_non_null(mkdtemp(folder));
  snprintf(text, sizeof(text), "wait for %s/go", folder);
  compile_pool_t *pool = make_pool(2, 512, 60);
  looping_t waiting = {.pool = pool, .text = text};
  pthread_t thread;
  const pid_t spawner = spawner_of(pool);
  assert_int_equal(pthread_create(&thread, NULL, compile_on_thread, &waiting), 0);
  assert_int_equal(kill(spawner, SIGKILL), 0);
  FILE *file = fopen(text + 9, "we");
  assert_non_null(file);
  fclose(file);
  pthread_join(thread, NULL);
  assert_null(waiting.status);
  destroy(&waiting.outcome);
  unlink(text + 9);
  rmdir(folder);
  compile_pool_destroy(pool);
}

// It is not run as often as it can be killed, and those who ask meanwhile are told so.
static void test_a_spawner_that_goes_again_and_again_is_paused_for(void **state) {
  (void)state;
  compile_pool_t *pool = make_pool(1, 512, 60);
  compile_outcome_t outcome;
  pod_status_t status = NULL;
  for (int i = 0; i < 12 && status == NULL; i++) {
    long pid;
    status = ask_pid(pool, &pid);
    if (status == NULL) {
      assert_int_equal(kill(spawner_of_server(pid), SIGKILL), 0);
      await_end(pid);
    }
  }
  assert_int_equal(pod_status_code(status), POD_UNAVAILABLE);
  assert_non_null(strstr(pod_status_message(status), "again and again"));
  for (int i = 0; i < 3000 && status != NULL; i++) {  // 30 s.
    pod_status_free(status);
    usleep(10000);
    status = compile(pool, good, &outcome);
  }
  assert_null(status);
  destroy(&outcome);
  compile_pool_destroy(pool);
}

static void test_the_next_spawner_knows_the_chip_that_is_ours_alone(void **state) {
  (void)state;
  pod_text_t text = {0};
  chip_spec_t *spec, named = *chip_spec_find("v5e");
  named.name = "mine";
  chip_spec_print(&text, &named);
  assert_null(chip_spec_parse("mine.json", text.bytes, text.length, &spec));
  pod_text_deinit(&text);
  compile_pool_t *pool;
  assert_null(
      compile_pool_create(&(compile_pool_options_t){.compile = test_compile,
                                                    .destroy = compiler_result_destroy,
                                                    .own_spec = spec,
                                                    .slot_count = 1,
                                                    .seconds = 60},
                          &pool));
  kill_spawner(pool);
  compiler_options_t options = {.file_name = "m.mlir", .spec = spec};
  assert_null(torus_parse("1x1", spec, &options.torus, NULL));
  compile_outcome_t outcome;
  assert_null(
      compile_pool_compile(pool, good, NULL, good, sizeof(good) - 1, &options, &outcome));
  destroy(&outcome);
  compile_pool_destroy(pool);
  chip_spec_destroy(spec);
}

static void test_bytes_that_are_no_answer_are_refused(void **state) {
  (void)state;
  uint8_t noise[64];
  for (size_t i = 0; i < sizeof(noise); i++) {
    noise[i] = (uint8_t)(i * 37 + 11);
  }
  compiler_result_t *result;
  const compile_frame_t frames[] = {
      {.head = noise, .head_bytes = sizeof(noise)},
      {.head = noise, .head_bytes = 0},
      {.head = noise, .head_bytes = 4, .body = noise, .body_bytes = sizeof(noise)}};
  for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
    const pod_status_t status = compile_answer_unpack(&frames[i], &result);
    assert_int_equal(pod_status_code(status), POD_INTERNAL);
    pod_status_free(status);
  }
}

int main(int argc, char **argv) {
  compile_spawner_main(argc, argv, test_compile, compiler_result_destroy);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_program_comes_back_as_the_compiler_made_it),
      cmocka_unit_test(test_an_error_of_the_module_comes_back_as_it_was),
      cmocka_unit_test(test_a_program_is_made_to_fit_the_hbm_of_the_pod),
      cmocka_unit_test(test_a_server_is_kept),
      cmocka_unit_test(test_a_crash_costs_its_own_compile_only),
      cmocka_unit_test(test_a_compile_has_so_much_memory_and_no_more),
      cmocka_unit_test(test_a_compile_has_so_much_time_and_no_more),
      cmocka_unit_test(test_a_server_that_took_much_is_given_back),
      cmocka_unit_test(test_a_server_that_was_killed_idle_is_started_anew),
      cmocka_unit_test(test_what_is_not_wanted_is_stopped_and_others_go_on),
      cmocka_unit_test(test_what_was_not_wanted_before_it_had_a_process_gets_none),
      cmocka_unit_test(test_no_descriptor_and_no_process_is_left),
      cmocka_unit_test(test_they_end_with_the_process_that_has_them),
      cmocka_unit_test(test_a_spawner_that_was_killed_is_replaced),
      cmocka_unit_test(test_what_a_spawner_took_along_is_compiled_by_the_next),
      cmocka_unit_test(test_a_spawner_that_goes_again_and_again_is_paused_for),
      cmocka_unit_test(test_the_next_spawner_knows_the_chip_that_is_ours_alone),
      cmocka_unit_test(test_bytes_that_are_no_answer_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
