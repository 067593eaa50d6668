// Files here are looked at by name every time: one that is another one now, or shorter
// than it was, is read from its beginning. On other machines `tail` does the same.

#include "client/cli/log_sources.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cli/hosts_pod.h"
#include "client/cli/local_pod.h"
#include "client/launch/script.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

enum {
  FILE_BYTES_MAX = 64 << 20,  // Of a file, the last ones.
  FILES_MAX = 8192,
  NS_PER_MS = 1000000,
};

// A file here, or one that a stream told of.
typedef struct log_file_t {
  char *name, *daemon;
  cli_log_reader_t reader;
  int descriptor;  // -1: not open, or on another machine.
  ino_t inode;
  off_t offset;
} log_file_t;

// The logs of a folder of a machine.
typedef struct stream_t {
  int32_t host;
  pid_t pid;  // 0: has ended.
  char **command;
  int files[2];  // Its standard output and error.
  pod_text_t line, errors;
  log_file_t *file;  // That it tells of now.
  bool has_told;
  int64_t end_ns;  // When it must have told something.
} stream_t;

struct cli_log_sources_t {
  const cli_pod_t *pod;
  bool follows;
  int64_t lines_max, order;
  POD_LIST(log_file_t *) files;
  stream_t *streams;
  int stream_count;
  int failed;
};

// --- Files ---

static log_file_t *add_file(cli_log_sources_t *sources, const char *name,
                            const char *prefix) {
  pod_text_t daemon = {0};
  const size_t length = strlen(name);
  const bool is_log = length > 4 && strcmp(name + length - 4, ".log") == 0;
  pod_text_printf(&daemon, "%s%.*s", prefix, (int)(is_log ? length - 4 : length), name);
  log_file_t *file = pod_alloc(sizeof(*file));
  *file = (log_file_t){
      .name = pod_strdup(name), .daemon = pod_text_take(&daemon), .descriptor = -1};
  file->reader.daemon = file->daemon;
  *pod_list_add(&sources->files) = file;
  return file;
}

static log_file_t *find_file(const cli_log_sources_t *sources, const char *daemon) {
  for (int32_t i = 0; i < sources->files.count; i++) {
    if (strcmp(sources->files.items[i]->daemon, daemon) == 0) {
      return sources->files.items[i];
    }
  }
  return NULL;
}

static int is_log(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".log") == 0;
}

// Those that have come since. False: there is no folder any more.
static bool list_files(cli_log_sources_t *sources) {
  struct dirent **entries;
  const int count = scandir(sources->pod->folder, &entries, is_log, alphasort);
  for (int i = 0; i < count; i++) {
    pod_text_t daemon = {0};
    pod_text_add_bytes(&daemon, entries[i]->d_name, strlen(entries[i]->d_name) - 4);
    if (find_file(sources, daemon.bytes) == NULL && sources->files.count < FILES_MAX) {
      add_file(sources, entries[i]->d_name, "");
    }
    pod_text_deinit(&daemon);
    free(entries[i]);
  }
  if (count >= 0) {
    free(entries);
  }
  return count >= 0;
}

static void open_file(const cli_log_sources_t *sources, log_file_t *file) {
  char *path = cli_path(sources->pod->folder, file->name);
  struct stat info;
  if (stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
      (file->descriptor < 0 || info.st_ino != file->inode)) {
    if (file->descriptor >= 0) {
      close(file->descriptor);
    }
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    file->inode = info.st_ino;
    file->offset = info.st_size > FILE_BYTES_MAX ? info.st_size - FILE_BYTES_MAX : 0;
  }
  free(path);
}

static void read_file(cli_log_sources_t *sources, log_file_t *file,
                      cli_log_lines_t *lines) {
  char bytes[16384];
  struct stat info;
  ssize_t got;
  // What the file that was there before still got is read before the new one.
  for (int turn = 0; turn < 2; turn++) {
    if (file->descriptor >= 0 && fstat(file->descriptor, &info) == 0 &&
        info.st_size < file->offset) {
      file->offset = 0;
    }
    while (file->descriptor >= 0 &&
           (got = pread(file->descriptor, bytes, sizeof(bytes), file->offset)) > 0) {
      file->offset += got;
      cli_log_feed(&file->reader, bytes, (size_t)got, &sources->order, lines);
    }
    open_file(sources, file);
  }
}

static bool read_local(cli_log_sources_t *sources, int timeout_ms,
                       cli_log_lines_t *lines) {
  const bool is_there = list_files(sources);
  for (int32_t i = 0; i < sources->files.count; i++) {
    read_file(sources, sources->files.items[i], lines);
  }
  for (int32_t i = 0; !sources->follows && i < sources->files.count; i++) {
    cli_log_end(&sources->files.items[i]->reader, &sources->order, lines);
  }
  if (sources->follows && is_there && lines->count == 0) {
    poll(NULL, 0, timeout_ms);
  }
  return sources->follows && is_there;
}

// --- Streams ---

static void open_stream(cli_log_sources_t *sources, int32_t host, bool is_coordinator) {
  const launch_pod_t *hosts = sources->pod->hosts;
  char *folder = launch_pod_folder(hosts, host, is_coordinator);
  if (folder == NULL) {
    return;
  }
  pod_text_t script = {0};
  launch_script_logs(&script, folder, sources->lines_max, sources->follows);
  free(folder);
  stream_t *stream = &sources->streams[sources->stream_count++];
  *stream = (stream_t){.host = host,
                       .command = launch_pod_command(hosts, host),
                       .end_ns = pod_clock_now_ns() + hosts->ssh_timeout_ms * NS_PER_MS,
                       .files = {-1, -1}};
  const pid_t pid = launch_stream_start(stream->command, script.bytes,
                                        cli_hosts_children(), stream->files);
  stream->pid = pid < 0 ? 0 : pid;
  pod_text_deinit(&script);
}

// "==> worker-0.log <==" says of which file the next lines are.
static void read_line(cli_log_sources_t *sources, stream_t *stream, const char *line,
                      cli_log_lines_t *lines) {
  static const char before[] = "==> ", behind[] = " <==";
  const size_t length = strlen(line);
  const size_t around = strlen(before) + strlen(behind);
  if (length > around && strncmp(line, before, strlen(before)) == 0 &&
      strcmp(line + length - strlen(behind), behind) == 0) {
    const char *host = sources->pod->hosts->hosts.items[stream->host].destination;
    const char *at = strrchr(host, '@');
    pod_text_t name = {0}, prefix = {0}, daemon = {0};
    pod_text_add_bytes(&name, line + strlen(before), length - around);
    pod_text_printf(&prefix, "%s/", at == NULL ? host : at + 1);
    const bool is_log =
        name.length > 4 && strcmp(name.bytes + name.length - 4, ".log") == 0;
    pod_text_printf(&daemon, "%s%.*s", prefix.bytes,
                    (int)(name.length - (is_log ? 4 : 0)), name.bytes);
    stream->file = find_file(sources, daemon.bytes);
    if (stream->file == NULL && sources->files.count < FILES_MAX) {
      stream->file = add_file(sources, name.bytes, prefix.bytes);
    }
    pod_text_deinit(&name);
    pod_text_deinit(&prefix);
    pod_text_deinit(&daemon);
  } else if (stream->file != NULL && length > 0) {
    cli_log_feed(&stream->file->reader, line, length, &sources->order, lines);
    cli_log_feed(&stream->file->reader, "\n", 1, &sources->order, lines);
  } else if (length > 0) {
    pod_text_printf(&stream->errors, "%s\n", line);
  }
}

static void read_stream(cli_log_sources_t *sources, stream_t *stream,
                        cli_log_lines_t *lines) {
  char bytes[16384];
  ssize_t got;
  while (stream->files[0] >= 0 &&
         (got = read(stream->files[0], bytes, sizeof(bytes))) > 0) {
    stream->has_told = true;
    for (const char *at = bytes; at < bytes + got;) {
      const size_t left = (size_t)(bytes + got - at);
      const char *newline = memchr(at, '\n', left);
      const size_t part = newline == NULL ? left : (size_t)(newline - at);
      pod_text_add_bytes(&stream->line, at, part);
      at += part + (newline != NULL);
      if (newline != NULL) {
        read_line(sources, stream, stream->line.bytes, lines);
        pod_text_clear(&stream->line);
      }
    }
  }
  while (stream->files[1] >= 0 &&
         (got = read(stream->files[1], bytes, sizeof(bytes))) > 0) {
    pod_text_add_bytes(&stream->errors, bytes, (size_t)got);
  }
}

static void close_stream(stream_t *stream) {
  for (int i = 0; i < 2; i++) {
    if (stream->files[i] >= 0) {
      close(stream->files[i]);
      stream->files[i] = -1;
    }
  }
}

// What it told when it could not, else how it ended.
static void explain(cli_log_sources_t *sources, const stream_t *stream, bool is_late) {
  const char *host = sources->pod->hosts->hosts.items[stream->host].destination;
  char *refusal = launch_refusal(stream->errors.bytes);
  const char *said = refusal != NULL             ? refusal
                     : stream->errors.length > 0 ? stream->errors.bytes
                     : is_late                   ? "no answer by ssh"
                                                 : "ssh has lost the connection";
  const size_t length = strlen(said);
  fprintf(stderr, "podium: logs of %s: %.*s\n", host,
          (int)(length - (length > 0 && said[length - 1] == '\n')), said);
  free(refusal);
  sources->failed++;
}

// Whether the pod is what it was when following began.
static bool is_pod_there(const cli_log_sources_t *sources) {
  char *path = cli_path(sources->pod->folder, "pod.json");
  const bool is_there = access(path, R_OK) == 0;
  free(path);
  return is_there;
}

static void serve_stream(cli_log_sources_t *sources, stream_t *stream,
                         cli_log_lines_t *lines) {
  int status;
  const bool has_ended = waitpid(stream->pid, &status, WNOHANG) == stream->pid;
  const bool is_late = !stream->has_told && pod_clock_now_ns() > stream->end_ns;
  read_stream(sources, stream, lines);
  if (!has_ended && !is_late) {
    return;
  }
  if (!has_ended) {
    kill(stream->pid, SIGKILL);
    waitpid(stream->pid, &status, 0);
  }
  stream->pid = 0;
  close_stream(stream);
  if ((is_late || status != 0) && is_pod_there(sources)) {
    explain(sources, stream, is_late);
  }
}

static bool read_streams(cli_log_sources_t *sources, int timeout_ms,
                         cli_log_lines_t *lines) {
  struct pollfd *files = pod_alloc((size_t)sources->stream_count * sizeof(*files));
  nfds_t open_count = 0;
  for (int i = 0; i < sources->stream_count; i++) {
    if (sources->streams[i].pid != 0) {
      files[open_count++] =
          (struct pollfd){.fd = sources->streams[i].files[0], .events = POLLIN};
    }
  }
  (void)poll(files, open_count, timeout_ms);
  free(files);
  bool is_any = false;
  for (int i = 0; i < sources->stream_count; i++) {
    stream_t *stream = &sources->streams[i];
    if (stream->pid != 0) {
      serve_stream(sources, stream, lines);
      is_any |= stream->pid != 0;
    }
  }
  return is_any && is_pod_there(sources);
}

// --- Both ---

cli_log_sources_t *cli_log_sources_open(const cli_pod_t *pod, int64_t lines_max,
                                        bool follows) {
  cli_log_sources_t *sources = pod_alloc(sizeof(*sources));
  sources->pod = pod;
  sources->follows = follows;
  sources->lines_max = lines_max;
  if (pod->hosts != NULL) {
    const int32_t count = pod->hosts->hosts.count;
    sources->streams = pod_alloc(((size_t)count + 1) * sizeof(*sources->streams));
    open_stream(sources, pod->hosts->coordinator, true);
    for (int32_t i = 0; i < count; i++) {
      open_stream(sources, i, false);
    }
  }
  return sources;
}

bool cli_log_sources_read(cli_log_sources_t *sources, int timeout_ms,
                          cli_log_lines_t *lines, int *out_failed) {
  const bool goes_on = sources->pod->hosts != NULL
                           ? read_streams(sources, timeout_ms, lines)
                           : read_local(sources, timeout_ms, lines);
  *out_failed = sources->failed;
  return goes_on;
}

bool cli_log_sources_have_told(const cli_log_sources_t *sources) {
  for (int i = 0; i < sources->stream_count; i++) {
    if (sources->streams[i].pid != 0 && !sources->streams[i].has_told) {
      return false;
    }
  }
  return true;
}

void cli_log_sources_close(cli_log_sources_t *sources) {
  for (int i = 0; i < sources->stream_count; i++) {
    stream_t *stream = &sources->streams[i];
    if (stream->pid != 0) {
      kill(stream->pid, SIGKILL);
      waitpid(stream->pid, NULL, 0);
    }
    close_stream(stream);
    launch_command_free(stream->command);
    pod_text_deinit(&stream->line);
    pod_text_deinit(&stream->errors);
  }
  free(sources->streams);
  for (int32_t i = 0; i < sources->files.count; i++) {
    log_file_t *file = sources->files.items[i];
    if (file->descriptor >= 0) {
      close(file->descriptor);
    }
    pod_text_deinit(&file->reader.rest);
    free(file->name);
    free(file->daemon);
    free(file);
  }
  pod_list_deinit(&sources->files);
  free(sources);
}
