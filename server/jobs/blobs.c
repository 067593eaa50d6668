// A name of a digest appears by rename(), after fdatasync(): so no order in which a disk
// takes what it was given makes a file that is less than its name says.
//
// Between looking at a file that nobody names and unlinking it, another process could
// commit the same bytes. Who commits therefore holds a shared lock of the folder while it
// renames, who unlinks an exclusive one, and does not wait for it.

#include "server/jobs/blobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/digest/digest.h"
#include "server/jobs/blobs_private.h"
#include "server/jobs/folder.h"

_Static_assert((int)JOB_DIGEST_BYTES == (int)DIGEST_BYTES, "a blob has a SHA-256");

enum { NAME_BYTES = 2 * JOB_DIGEST_BYTES + 1, CHUNK_BYTES = 256 << 10 };

struct job_blobs_t {
  char *path;  // Of the blobs, for messages.
  int blobs_fd, partial_fd;
};

struct job_blob_writer_t {
  job_blobs_t *blobs;
  int fd;
  char name[NAME_BYTES];  // In partial/.
  digest_t *digest;
  int64_t size_bytes;
};

pod_status_t job_blobs_open_at(int folder_fd, const char *folder, bool is_made,
                               job_blobs_t **out_blobs) {
  job_blobs_t *blobs = pod_alloc(sizeof(*blobs));
  *blobs = (job_blobs_t){.blobs_fd = -1, .partial_fd = -1};
  pod_text_t path = {0}, partial = {0};
  pod_text_printf(&path, "%s/blobs", folder);
  pod_text_printf(&partial, "%s/partial", folder);
  blobs->path = pod_text_take(&path);
  pod_status_t status =
      job_folder_open(folder_fd, "blobs", blobs->path, is_made, &blobs->blobs_fd);
  if (status == NULL) {
    status =
        job_folder_open(folder_fd, "partial", partial.bytes, is_made, &blobs->partial_fd);
  }
  pod_text_deinit(&partial);
  if (status != NULL) {
    job_blobs_close(blobs);
    return status;
  }
  *out_blobs = blobs;
  return NULL;
}

pod_status_t job_blobs_open(const char *folder, job_blobs_t **out_blobs) {
  int fd;
  POD_TRY(job_folder_open(AT_FDCWD, folder, folder, false, &fd));
  const pod_status_t status = job_blobs_open_at(fd, folder, false, out_blobs);
  (void)close(fd);
  return status;
}

void job_blobs_close(job_blobs_t *blobs) {
  if (blobs == NULL) {
    return;
  }
  if (blobs->blobs_fd >= 0) {
    (void)close(blobs->blobs_fd);
  }
  if (blobs->partial_fd >= 0) {
    (void)close(blobs->partial_fd);
  }
  free(blobs->path);
  free(blobs);
}

pod_status_t job_blob_create(job_blobs_t *blobs, job_blob_writer_t **out_writer) {
  job_blob_writer_t *writer = pod_alloc(sizeof(*writer));
  *writer = (job_blob_writer_t){.blobs = blobs};
  job_blob_t random;  // A name that nobody else has.
  digest_random(random.digest, sizeof(random.digest));
  job_blob_name(&random, writer->name);
  writer->fd = openat(blobs->partial_fd, writer->name,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (writer->fd < 0) {
    const int error = errno;
    free(writer);
    return job_folder_error(error, blobs->path, 0, "make a file for");
  }
  writer->digest = digest_create();
  *out_writer = writer;
  return NULL;
}

pod_status_t job_blob_append(job_blob_writer_t *writer, const void *data,
                             size_t size_bytes) {
  for (size_t done = 0; done < size_bytes;) {
    const ssize_t put =
        write(writer->fd, (const uint8_t *)data + done, size_bytes - done);
    if (put < 0 && errno != EINTR) {
      return job_folder_error(errno, writer->blobs->path, (int64_t)(size_bytes - done),
                              "write to");
    }
    done += put < 0 ? 0 : (size_t)put;
  }
  digest_add(writer->digest, data, size_bytes);
  writer->size_bytes += (int64_t)size_bytes;
  return NULL;
}

int64_t job_blob_written(const job_blob_writer_t *writer) {
  return writer->size_bytes;
}

static void free_writer(job_blob_writer_t *writer) {
  digest_destroy(writer->digest);
  free(writer);
}

void job_blob_abandon(job_blob_writer_t *writer) {
  if (writer == NULL) {
    return;
  }
  (void)unlinkat(writer->blobs->partial_fd, writer->name, 0);
  (void)close(writer->fd);
  free_writer(writer);
}

// A descriptor of the folder of its own, so that its lock is nobody else's. -1 when there
// is none to be had now.
static int lock_folder(const job_blobs_t *blobs, int how) {
  const int fd = openat(blobs->blobs_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int result = -1;
  do {
    result = fd < 0 ? -1 : flock(fd, how);
  } while (fd >= 0 && result != 0 && errno == EINTR);
  if (fd >= 0 && result != 0) {
    const int error = errno;
    (void)close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

static int put_in_place(const job_blob_writer_t *writer, const char *name) {
  const job_blobs_t *blobs = writer->blobs;
  const int lock = lock_folder(blobs, LOCK_SH);
  if (lock < 0) {
    return errno;
  }
  // It is as young as its name, however long the writing took.
  const bool is_put =
      futimens(writer->fd, NULL) == 0 &&
      renameat(blobs->partial_fd, writer->name, blobs->blobs_fd, name) == 0;
  const int error = is_put ? 0 : errno;
  (void)close(lock);
  return error;
}

pod_status_t job_blob_commit(job_blob_writer_t *writer, job_blob_t *out_blob) {
  job_blob_t blob = {.size_bytes = writer->size_bytes};
  digest_finish(writer->digest, blob.digest);
  char name[NAME_BYTES];
  job_blob_name(&blob, name);
  const int error = fdatasync(writer->fd) != 0 ? errno : put_in_place(writer, name);
  if (error != 0) {
    const pod_status_t status =
        job_folder_error(error, writer->blobs->path, writer->size_bytes, "write to");
    job_blob_abandon(writer);
    return status;
  }
  (void)close(writer->fd);
  free_writer(writer);
  *out_blob = blob;
  return NULL;
}

pod_status_t job_blobs_sync(job_blobs_t *blobs) {
  return job_folder_sync(blobs->blobs_fd, blobs->path);
}

static pod_status_t check_size(const job_blobs_t *blobs, const job_blob_t *blob,
                               const char *name, const struct stat *info) {
  if (!S_ISREG(info->st_mode)) {
    return pod_error(POD_DATA_LOSS, "%s/%s is no file", blobs->path, name);
  }
  if (info->st_size != blob->size_bytes) {
    return pod_error(POD_DATA_LOSS,
                     "%s/%s is damaged: it has %lld bytes, %lld were stored", blobs->path,
                     name, (long long)info->st_size, (long long)blob->size_bytes);
  }
  return NULL;
}

static pod_status_t not_there(const job_blobs_t *blobs, const char *name, int error) {
  // ELOOP: a link in its place, which is not followed.
  return error == ENOENT || error == ELOOP
             ? pod_error(POD_DATA_LOSS, "%s/%s is missing%s", blobs->path, name,
                         error == ELOOP ? ": a symbolic link is in its place" : "")
             : job_folder_error(error, blobs->path, 0, "read from");
}

pod_status_t job_blob_open(const job_blobs_t *blobs, const job_blob_t *blob,
                           int *out_fd) {
  POD_CHECK(job_blob_is_some(blob));
  char name[NAME_BYTES];
  job_blob_name(blob, name);
  const int fd =
      openat(blobs->blobs_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return not_there(blobs, name, errno);
  }
  struct stat info;
  const pod_status_t status = fstat(fd, &info) != 0
                                  ? not_there(blobs, name, errno)
                                  : check_size(blobs, blob, name, &info);
  if (status != NULL) {
    (void)close(fd);
    return status;
  }
  *out_fd = fd;
  return NULL;
}

// Adds all bytes up to the size to the digest and, where it is not NULL, to `out`.
static pod_status_t read_all(int fd, const job_blob_t *blob, digest_t *digest,
                             char *out) {
  const size_t chunk_bytes =
      blob->size_bytes < CHUNK_BYTES ? (size_t)blob->size_bytes : CHUNK_BYTES;
  char *chunk = out == NULL ? pod_alloc(chunk_bytes) : NULL;
  pod_status_t status = NULL;
  for (int64_t at = 0; at < blob->size_bytes && status == NULL;) {
    const int64_t rest = blob->size_bytes - at;
    char *to = out == NULL ? chunk : out + at;
    const ssize_t got =
        pread(fd, to, rest < CHUNK_BYTES ? (size_t)rest : CHUNK_BYTES, (off_t)at);
    if (got > 0) {
      digest_add(digest, to, (size_t)got);
      at += got;
    } else if (got == 0 || errno != EINTR) {
      status = pod_error(POD_DATA_LOSS, "byte %lld of %lld cannot be read: %s",
                         (long long)at, (long long)blob->size_bytes,
                         got == 0 ? "the file ends" : strerror(errno));
    }
  }
  free(chunk);
  return status;
}

static pod_status_t check_bytes(int fd, const job_blob_t *blob, char *out) {
  digest_t *digest = digest_create();
  pod_status_t status = read_all(fd, blob, digest, out);
  uint8_t found[DIGEST_BYTES];
  digest_finish(digest, found);
  digest_destroy(digest);
  char name[NAME_BYTES];
  job_blob_name(blob, name);
  if (status == NULL && memcmp(found, blob->digest, sizeof(found)) != 0) {
    status = pod_error(POD_DATA_LOSS, "its %lld bytes are not those that were stored",
                       (long long)blob->size_bytes);
  }
  return pod_status_context(status, "blob %s is damaged", name);
}

pod_status_t job_blob_check(int fd, const job_blob_t *blob) {
  return check_bytes(fd, blob, NULL);
}

pod_status_t job_blob_read(const job_blobs_t *blobs, const job_blob_t *blob,
                           int64_t size_max, char **out_bytes) {
  if (blob->size_bytes > size_max) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "a blob of %lld bytes, at most %lld are read",
                     (long long)blob->size_bytes, (long long)size_max);
  }
  int fd;
  POD_TRY(job_blob_open(blobs, blob, &fd));
  char *bytes = malloc((size_t)blob->size_bytes + 1);
  pod_status_t status =
      bytes == NULL ? pod_error(POD_RESOURCE_EXHAUSTED, "no memory for %lld bytes",
                                (long long)blob->size_bytes)
                    : check_bytes(fd, blob, bytes);
  (void)close(fd);
  if (status != NULL) {
    free(bytes);
    return status;
  }
  bytes[blob->size_bytes] = '\0';
  *out_bytes = bytes;
  return NULL;
}

pod_status_t job_blob_inode(const job_blobs_t *blobs, const job_blob_t *blob,
                            ino_t *out_inode) {
  char name[NAME_BYTES];
  job_blob_name(blob, name);
  struct stat info;
  if (fstatat(blobs->blobs_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return not_there(blobs, name, errno);
  }
  POD_TRY(check_size(blobs, blob, name, &info));
  *out_inode = info.st_ino;
  return NULL;
}

pod_status_t job_blob_unlink(job_blobs_t *blobs, const job_blob_t *blob, ino_t inode,
                             int64_t before_s, int64_t *out_bytes) {
  char name[NAME_BYTES];
  job_blob_name(blob, name);
  *out_bytes = 0;
  const int lock = lock_folder(blobs, LOCK_EX | LOCK_NB);
  if (lock < 0) {
    return NULL;  // Somebody commits; there is a next time.
  }
  struct stat info;
  int error = 0;
  if (fstatat(blobs->blobs_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      (inode != 0 ? info.st_ino == inode : info.st_mtim.tv_sec < before_s)) {
    error = unlinkat(blobs->blobs_fd, name, 0) == 0 ? 0 : errno;
    *out_bytes = error == 0 ? (int64_t)info.st_size : 0;
  }
  (void)close(lock);
  return error == 0 || error == ENOENT
             ? NULL
             : job_folder_error(error, blobs->path, 0, "remove a file from");
}

typedef struct walk_t {
  job_blobs_t *blobs;
  pod_status_t (*each)(void *user, const job_blob_t *blob, ino_t inode);
  void *user;
  int64_t count, bytes;
} walk_t;

static pod_status_t visit_blob(void *user, const char *name) {
  const walk_t *walk = user;
  job_blob_t blob = {.size_bytes = 0};
  struct stat info;
  if (!job_blob_parse(name, &blob) ||
      fstatat(walk->blobs->blobs_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return NULL;  // None of ours.
  }
  blob.size_bytes = (int64_t)info.st_size;
  return walk->each(walk->user, &blob, info.st_ino);
}

pod_status_t job_blobs_each(job_blobs_t *blobs,
                            pod_status_t (*each)(void *user, const job_blob_t *blob,
                                                 ino_t inode),
                            void *user) {
  walk_t walk = {.blobs = blobs, .each = each, .user = user};
  return job_folder_each(blobs->blobs_fd, blobs->path, visit_blob, &walk);
}

static pod_status_t sweep_one(void *user, const char *name) {
  walk_t *walk = user;
  struct stat info;
  if (fstatat(walk->blobs->partial_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
    walk->count++;
    walk->bytes += (int64_t)info.st_size;
  }
  return unlinkat(walk->blobs->partial_fd, name, 0) == 0 || errno == ENOENT
             ? NULL
             : job_folder_error(errno, walk->blobs->path, 0, "sweep beside");
}

pod_status_t job_blobs_sweep_partial(job_blobs_t *blobs, int64_t *inout_count,
                                     int64_t *inout_bytes) {
  walk_t walk = {.blobs = blobs};
  const pod_status_t status =
      job_folder_each(blobs->partial_fd, blobs->path, sweep_one, &walk);
  *inout_count += walk.count;
  *inout_bytes += walk.bytes;
  return status;
}
