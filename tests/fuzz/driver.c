// Stands in for libFuzzer where it is not built in: feeds the inputs of a corpus, then
// mutations of them until a number of inputs or of seconds has passed.
//
// Usage: TARGET [--seed S] [--seconds N] [--inputs N] [--only K] [FILE | FOLDER ...]
//
// A file's sections (parted by `// -----`, as MLIR's tools have it) are inputs of their
// own. Mutation K of a seed depends on nothing but the seed, K and the corpus. A target
// with a mutator of its own (LLVMFuzzerCustomMutator) is fed by that. A crash, a finding
// of a sanitizer, 5 s of CPU time or 1 GiB of memory for one input end the process: it
// prints what to type to see that input again, and leaves it in crash-TARGET.

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/random.h"

enum {
  INPUT_BYTES_MAX = 64 << 10,
  CORPUS_MAX = 65536,
  INPUTS_DEFAULT = 20000,
  SECONDS_DEFAULT = 2,
  CPU_SECONDS_MAX = 5,
  WATCH_US = 100000,
};

static const int64_t memory_bytes_max = (int64_t)1 << 30;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Of targets that know better than to mutate bytes.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed) __attribute__((weak));
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t max_out_size,
                                 unsigned int seed) __attribute__((weak));

// AddressSanitizer asks for it: larger allocations are findings.
const char *__asan_default_options(void);
__attribute__((visibility("default"), used)) const char *__asan_default_options(void) {
  return "max_allocation_size_mb=1024";
}

// UndefinedBehaviorSanitizer calls no death callback, but a signal is caught.
const char *__ubsan_default_options(void);
__attribute__((visibility("default"), used)) const char *__ubsan_default_options(void) {
  return "abort_on_error=1:print_stacktrace=1";
}

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
static int64_t current_cpu_ns, current_memory_bytes;
static int memory_file = -1;
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

static int64_t cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// What the process holds now, of /proc/self/statm. Safe in a signal handler.
static int64_t memory_bytes(void) {
  char text[128];
  const ssize_t size = pread(memory_file, text, sizeof(text) - 1, 0);
  int64_t pages = 0;
  ssize_t at = 0;
  while (at < size && text[at] != ' ') {
    at++;
  }
  for (at++; at < size && text[at] >= '0' && text[at] <= '9'; at++) {
    pages = pages * 10 + text[at] - '0';
  }
  return pages * sysconf(_SC_PAGESIZE);
}

// Now and then: whether the input takes too much.
static void watch(int signal_number) {
  (void)signal_number;
  const int64_t time_ns = cpu_ns() - current_cpu_ns;
  const bool is_slow = time_ns > CPU_SECONDS_MAX * (int64_t)1000000000;
  if (current == NULL ||
      (!is_slow && memory_bytes() - current_memory_bytes < memory_bytes_max)) {
    return;
  }
  static const char slow[] = "fuzz: an input takes more than 5 s\n";
  static const char large[] = "fuzz: an input takes more than 1 GiB\n";
  note_crash();
  const ssize_t written = write(STDERR_FILENO, is_slow ? slow : large,
                                is_slow ? sizeof(slow) - 1 : sizeof(large) - 1);
  _exit(written < 0 ? 3 : 2);
}

static void run(const uint8_t *data, size_t size) {
  // In memory of exactly its size, so that a sanitizer sees a read past the end.
  uint8_t *exact = pod_alloc(size);
  memcpy(exact, data, size);
  current_cpu_ns = cpu_ns();
  current_memory_bytes = memory_bytes();
  current_size = size;
  current = exact;
  LLVMFuzzerTestOneInput(exact, size);
  current = NULL;
  current_size = 0;
  free(exact);
}

static void add_to_corpus(const uint8_t *bytes, size_t size) {
  if (corpus_count < CORPUS_MAX && size <= INPUT_BYTES_MAX) {
    uint8_t *copy = pod_alloc(size);
    memcpy(copy, bytes, size);
    corpus[corpus_count++] = (input_t){copy, size};
  }
}

static void add_sections(const uint8_t *bytes, size_t size) {
  static const char separator[] = "// -----\n";
  const uint8_t *end = bytes + size;
  const uint8_t *next = NULL;
  for (; (next = memmem(bytes, (size_t)(end - bytes), separator,
                        sizeof(separator) - 1)) != NULL;
       bytes = next + sizeof(separator) - 1) {
    add_to_corpus(bytes, (size_t)(next - bytes));
  }
  add_to_corpus(bytes, (size_t)(end - bytes));
}

static void read_file(const char *path, size_t size) {
  FILE *file = fopen(path, "rb");
  if (file != NULL) {
    uint8_t *bytes = pod_alloc(size);
    add_sections(bytes, fread(bytes, 1, size, file));
    free(bytes);
    fclose(file);
  }
}

// A folder's files in the order of their names, so that a seed means the same everywhere.
static void read_corpus(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) {
    fprintf(stderr, "fuzz: there is no %s\n", path);
    exit(1);
  }
  if (S_ISREG(info.st_mode)) {
    read_file(path, (size_t)info.st_size);
    return;
  }
  struct dirent **entries = NULL;
  const int count = scandir(path, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    char below[PATH_MAX];
    const int length = snprintf(below, sizeof(below), "%s/%s", path, entries[i]->d_name);
    if (length > 0 && (size_t)length < sizeof(below) && entries[i]->d_name[0] != '.') {
      read_corpus(below);
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

// By the target's own mutator.
static size_t make_by_target(pod_random_t *random, const input_t *seed, uint8_t *bytes) {
  size_t size = seed->size;
  memcpy(bytes, seed->bytes, size);
  if (LLVMFuzzerCustomCrossOver != NULL && pod_random_below(random, 4) == 0) {
    const input_t *other = &corpus[pod_random_below(random, corpus_count)];
    size = LLVMFuzzerCustomCrossOver(seed->bytes, seed->size, other->bytes, other->size,
                                     bytes, INPUT_BYTES_MAX,
                                     (unsigned int)pod_random_next(random));
    if (pod_random_below(random, 2) == 0) {
      return size;
    }
  }
  return LLVMFuzzerCustomMutator(bytes, size, INPUT_BYTES_MAX,
                                 (unsigned int)pod_random_next(random));
}

static size_t make_input(uint64_t seed, uint64_t number, uint8_t *bytes) {
  pod_random_t mixed = {seed ^ (number << 32 | number >> 32)};
  pod_random_t random = {pod_random_next(&mixed)};
  size_t size = 0;
  if (corpus_count > 0) {
    const input_t *input = &corpus[pod_random_below(&random, corpus_count)];
    if (LLVMFuzzerCustomMutator != NULL) {
      return make_by_target(&random, input, bytes);
    }
    size = input->size;
    memcpy(bytes, input->bytes, size);
  } else {
    size = replace(&random, bytes, 0, 0, 0, NULL, (size_t)pod_random_below(&random, 512));
  }
  for (uint64_t count = 1 + pod_random_below(&random, 6); count > 0; count--) {
    size = mutate_once(&random, bytes, size);
  }
  return size;
}

typedef struct options_t {
  uint64_t seed, inputs, only;
  int64_t seconds;
} options_t;

// Reads options and the corpus.
static options_t read_options(int argc, char **argv) {
  options_t options = {.seed = 1, .seconds = -1};
  for (int i = 1; i < argc; i++) {
    const uint64_t value = i + 1 < argc ? strtoull(argv[i + 1], NULL, 0) : 0;
    if (strcmp(argv[i], "--seed") == 0) {
      options.seed = value;
    } else if (strcmp(argv[i], "--seconds") == 0) {
      options.seconds = (int64_t)value;
    } else if (strcmp(argv[i], "--inputs") == 0) {
      options.inputs = value;
    } else if (strcmp(argv[i], "--only") == 0) {
      options.only = value;
    } else {
      read_corpus(argv[i]);
      continue;
    }
    i++;
  }
  if (options.seconds < 0) {
    options.seconds = options.inputs > 0 ? INT32_MAX : SECONDS_DEFAULT;
    options.inputs = options.inputs > 0 ? options.inputs : INPUTS_DEFAULT;
  }
  return options;
}

static void watch_inputs(void) {
  signal(SIGABRT, on_crash);
  signal(SIGSEGV, on_crash);
  signal(SIGFPE, on_crash);
  signal(SIGILL, on_crash);
  signal(SIGTRAP, on_crash);
  if (__sanitizer_set_death_callback != NULL) {
    __sanitizer_set_death_callback(note_crash);
  }
  memory_file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const struct sigaction action = {.sa_handler = watch, .sa_flags = SA_RESTART};
  sigaction(SIGPROF, &action, NULL);
  const struct timeval often = {.tv_usec = WATCH_US};
  setitimer(ITIMER_PROF, &(struct itimerval){often, often}, NULL);
}

int main(int argc, char **argv) {
  const char *name = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
  const options_t options = read_options(argc, argv);
  snprintf(crash_path, sizeof(crash_path), "crash-%.200s", name);
  watch_inputs();
  for (size_t i = 0; i < corpus_count && options.only == 0; i++) {
    snprintf(how_to_repeat, sizeof(how_to_repeat), "fuzz: input %zu of the corpus\n", i);
    run(corpus[i].bytes, corpus[i].size);
  }
  uint8_t *bytes = pod_alloc(INPUT_BYTES_MAX);
  const int64_t start_ns = pod_clock_now_ns();
  const int64_t end_ns = start_ns + options.seconds * 1000000000;
  uint64_t done = options.only > 0 ? options.only - 1 : 0;
  const uint64_t last = options.only > 0     ? options.only
                        : options.inputs > 0 ? options.inputs
                                             : UINT64_MAX;
  while (done < last && (options.only > 0 || pod_clock_now_ns() < end_ns)) {
    const size_t size = make_input(options.seed, ++done, bytes);
    snprintf(how_to_repeat, sizeof(how_to_repeat),
             "fuzz: repeat with %.200s --seed %llu --only %llu and the same files\n",
             name, (unsigned long long)options.seed, (unsigned long long)done);
    run(bytes, size);
  }
  printf("%s: %zu inputs of the corpus and %llu mutations in %lld s (seed %llu)\n", name,
         corpus_count, (unsigned long long)done,
         (long long)((pod_clock_now_ns() - start_ns) / 1000000000),
         (unsigned long long)options.seed);
  for (size_t i = 0; i < corpus_count; i++) {
    free(corpus[i].bytes);
  }
  free(bytes);
  close(memory_file);
  return 0;
}
