// Stands in for libFuzzer where it is not built in, so that every test run exercises the
// fuzz targets for a moment: replays the files of a corpus folder, then feeds seeded
// mutations of them until a number of inputs or of seconds has passed.
//
// Usage: TARGET [CORPUS_FOLDER [SEED [INPUTS]]]. On a crash it prints what to type to see
// the same input again, and leaves that input in crash-TARGET in the working directory.

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/random.h"

enum { INPUT_BYTES_MAX = 64 << 10, CORPUS_MAX = 4096, INPUTS_DEFAULT = 20000 };

static const int64_t time_ns_max = 2000000000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What a sanitizer calls before it ends the process; absent without one.
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

typedef struct input_t {
  uint8_t *bytes;
  size_t size;
} input_t;

static input_t corpus[CORPUS_MAX];
static size_t corpus_count;
static const uint8_t *current;
static size_t current_size;
static char crash_path[PATH_MAX];
static char how_to_repeat[PATH_MAX + 64];

static void note_crash(void) {
  // Only calls that are safe in a signal handler. A leak is found after the last input.
  if (current == NULL) {
    return;
  }
  const int fd = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0 || write(fd, current, current_size) < 0 || close(fd) < 0 ||
      write(STDERR_FILENO, how_to_repeat, strlen(how_to_repeat)) < 0) {
    return;
  }
}

static void on_crash(int signal_number) {
  note_crash();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void run(const uint8_t *data, size_t size) {
  // In memory of exactly its size, so that a sanitizer sees a read past the end.
  uint8_t *exact = pod_alloc(size);
  memcpy(exact, data, size);
  current = exact;
  current_size = size;
  LLVMFuzzerTestOneInput(exact, size);
  current = NULL;
  current_size = 0;
  free(exact);
}

static void add_to_corpus(const char *path) {
  struct stat info;
  FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
  if (file == NULL) {
    return;
  }
  if (corpus_count < CORPUS_MAX) {
    const size_t size = (size_t)info.st_size;
    uint8_t *bytes = pod_alloc(size);
    corpus[corpus_count++] = (input_t){bytes, fread(bytes, 1, size, file)};
  }
  fclose(file);
}

// In the order of the names, so that a seed means the same on every machine.
static void read_corpus(const char *folder) {
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
    if (length > 0 && (size_t)length < sizeof(path)) {
      add_to_corpus(path);
    }
    free(entries[i]);
  }
  free(entries);
}

static uint8_t random_byte(pod_random_t *random) {
  static const uint8_t telling[] = {0,    1,   0x7f, 0x80, 0xff, ' ',
                                    '\n', '"', '(',  '<',  '['};
  const uint64_t value = pod_random_next(random);
  return (value & 1) != 0 ? telling[(value >> 8) % sizeof(telling)]
                          : (uint8_t)(value >> 16);
}

// Replaces `removed` bytes at `at` by `added` bytes of `source` (random ones when NULL).
static size_t replace(pod_random_t *random, uint8_t *bytes, size_t size, size_t at,
                      size_t removed, const uint8_t *source, size_t added) {
  if (size - removed + added > INPUT_BYTES_MAX) {
    return size;
  }
  memmove(bytes + at + added, bytes + at + removed, size - at - removed);
  for (size_t i = 0; i < added; i++) {
    bytes[at + i] = source != NULL ? source[i] : random_byte(random);
  }
  return size - removed + added;
}

static size_t mutate_once(pod_random_t *random, uint8_t *bytes, size_t size) {
  const size_t at = (size_t)pod_random_below(random, size + 1);
  const size_t rest = size - at;
  const size_t some = 1 + (size_t)pod_random_below(random, 16);
  const size_t few = some < rest ? some : rest;
  switch (pod_random_below(random, 7)) {
    case 0:  // Flips a bit.
      if (rest > 0) {
        bytes[at] = (uint8_t)(bytes[at] ^ (1u << pod_random_below(random, 8)));
      }
      return size;
    case 1:
      return replace(random, bytes, size, at, few, NULL, few);
    case 2:
      return replace(random, bytes, size, at, 0, NULL, some);
    case 3:
      return replace(random, bytes, size, at, few, NULL, 0);
    case 4:  // Cuts the end off.
      return pod_random_below(random, 4) == 0 ? at : size;
    case 5: {  // Says something twice.
      const size_t length = (size_t)pod_random_below(random, rest + 1);
      uint8_t *copy = pod_alloc(length);
      memcpy(copy, bytes + at, length);
      size = replace(random, bytes, size, at, 0, copy, length);
      free(copy);
      return size;
    }
    default: {  // Crosses with another input.
      if (corpus_count == 0) {
        return replace(random, bytes, size, at, 0, NULL, some);
      }
      const input_t *other = &corpus[pod_random_below(random, corpus_count)];
      const size_t from = (size_t)pod_random_below(random, other->size + 1);
      const size_t length = (size_t)pod_random_below(random, other->size - from + 1);
      return replace(random, bytes, size, at, few, other->bytes + from, length);
    }
  }
}

static size_t make_input(pod_random_t *random, uint8_t *bytes) {
  size_t size = 0;
  if (corpus_count > 0) {
    const input_t *seed = &corpus[pod_random_below(random, corpus_count)];
    size = seed->size < INPUT_BYTES_MAX ? seed->size : INPUT_BYTES_MAX;
    memcpy(bytes, seed->bytes, size);
  } else {
    size = replace(random, bytes, 0, 0, 0, NULL, (size_t)pod_random_below(random, 512));
  }
  for (uint64_t count = 1 + pod_random_below(random, 6); count > 0; count--) {
    size = mutate_once(random, bytes, size);
  }
  return size;
}

int main(int argc, char **argv) {
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  const long inputs = argc > 3 ? strtol(argv[3], NULL, 0) : INPUTS_DEFAULT;
  const char *name = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
  snprintf(crash_path, sizeof(crash_path), "crash-%.200s", name);
  signal(SIGABRT, on_crash);
  signal(SIGSEGV, on_crash);
  signal(SIGFPE, on_crash);
  if (__sanitizer_set_death_callback != NULL) {
    __sanitizer_set_death_callback(note_crash);
  }
  if (argc > 1) {
    read_corpus(argv[1]);
  }
  snprintf(how_to_repeat, sizeof(how_to_repeat), "fuzz: replaying the corpus\n");
  for (size_t i = 0; i < corpus_count; i++) {
    run(corpus[i].bytes, corpus[i].size);
  }
  pod_random_t random = {seed};
  uint8_t *bytes = pod_alloc(INPUT_BYTES_MAX);
  const int64_t end_ns = pod_clock_now_ns() + time_ns_max;
  long done = 0;
  while (done < inputs && (argc > 3 || pod_clock_now_ns() < end_ns)) {
    snprintf(how_to_repeat, sizeof(how_to_repeat),
             "fuzz: repeat with %.200s %s %llu %ld\n", name, argc > 1 ? argv[1] : "''",
             (unsigned long long)seed, ++done);
    run(bytes, make_input(&random, bytes));
  }
  printf("%s: %zu inputs of the corpus and %ld mutations (seed %llu)\n", name,
         corpus_count, done, (unsigned long long)seed);
  for (size_t i = 0; i < corpus_count; i++) {
    free(corpus[i].bytes);
  }
  free(bytes);
  return 0;
}
