// gzip by zlib where it is asked for, else plain; the first error is kept.

#include "client/cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/memory.h"
#include "common/base/output_file.h"

struct cli_output_t {
  char *path;
  pod_output_file_t *target;
  FILE *file;   // Writes to `target`.
  gzFile gzip;  // Instead of `file`.
  int error;    // errno of the first write that failed.
};

pod_status_t cli_output_open(const char *path, bool is_gzip, cli_output_t **out_output) {
  pod_output_file_t *target;
  POD_TRY(pod_output_file_open(path, &target));
  const int descriptor = dup(pod_output_file_descriptor(target));
  FILE *file = is_gzip || descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  gzFile gzip = is_gzip && descriptor >= 0 ? gzdopen(descriptor, "wb") : NULL;
  if (file == NULL && gzip == NULL) {
    const pod_status_t status =
        pod_error(POD_RESOURCE_EXHAUSTED, "%s: %s", path, strerror(errno));
    if (descriptor >= 0) {
      (void)close(descriptor);
    }
    return pod_output_file_close(target, status);
  }
  cli_output_t *output = pod_alloc(sizeof(*output));
  *output = (cli_output_t){
      .path = pod_strdup(path), .target = target, .file = file, .gzip = gzip};
  *out_output = output;
  return NULL;
}

static void note_error(cli_output_t *output, bool failed) {
  if (failed && output->error == 0) {
    output->error = errno == 0 ? EIO : errno;
  }
}

void cli_output_write(cli_output_t *output, const void *bytes, size_t size_bytes) {
  enum { PIECE_BYTES = 1 << 20 };  // gzwrite counts in unsigned.
  errno = 0;
  for (size_t done = 0; done < size_bytes;) {
    const size_t left = size_bytes - done;
    const size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
    const char *from = (const char *)bytes + done;
    const bool failed = output->gzip != NULL
                            ? gzwrite(output->gzip, from, (unsigned)piece) <= 0
                            : fwrite(from, 1, piece, output->file) != piece;
    note_error(output, failed);
    done += piece;
  }
}

void cli_output_add(cli_output_t *output, const char *text) {
  cli_output_write(output, text, strlen(text));
}

pod_status_t cli_output_close(cli_output_t *output) {
  errno = 0;
  const bool failed =
      output->gzip != NULL ? gzclose(output->gzip) != Z_OK : fclose(output->file) != 0;
  note_error(output, failed);
  const pod_status_t failed_status =
      output->error == 0 ? NULL
                         : pod_error(POD_RESOURCE_EXHAUSTED, "cannot write %s: %s",
                                     output->path, strerror(output->error));
  const pod_status_t status = pod_output_file_close(output->target, failed_status);
  free(output->path);
  free(output);
  return status;
}
