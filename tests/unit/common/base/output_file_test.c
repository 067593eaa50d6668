#include "common/base/output_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/file.h"

enum { PATH_SIZE = 256 };

static char folder[] = "/tmp/podium-output-test-XXXXXX";

static const char *at(const char *name, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s", folder, name);
  return path;
}

static int count_entries(void) {
  DIR *listing = opendir(folder);
  int count = 0;
  while (readdir(listing) != NULL) {
    count++;
  }
  closedir(listing);
  return count - 2;  // "." and ".."
}

static void write_text(const char *path, const char *text) {
  pod_output_file_t *file;
  assert_null(pod_output_file_check(path));
  assert_null(pod_output_file_open(path, &file));
  assert_null(pod_output_file_write(file, text, strlen(text)));
  assert_null(pod_output_file_close(file, NULL));
}

static void assert_text(const char *path, const char *expected) {
  char *text = read_text(path);
  assert_string_equal(text, expected);
  free(text);
}

static void assert_refused(pod_status_t status, pod_code_t code, const char *words) {
  assert_int_equal(pod_status_code(status), code);
  assert_non_null(strstr(pod_status_message(status), words));
  pod_status_free(status);
}

static void test_a_regular_file_is_replaced_as_a_whole_and_keeps_its_mode(void **state) {
  (void)state;
  char path[PATH_SIZE];
  write_text(at("a", path), "old");
  assert_int_equal(chmod(path, 0640), 0);
  pod_output_file_t *file;
  assert_null(pod_output_file_open(path, &file));
  assert_null(pod_output_file_write(file, "ne", 2));
  assert_text(path, "old");
  assert_null(pod_output_file_write(file, "w", 1));
  assert_null(pod_output_file_close(file, NULL));
  assert_text(path, "new");
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 07777, 0640);
  assert_int_equal(count_entries(), 1);
  unlink(path);
}

static void test_what_fails_leaves_the_old_file_and_nothing_else(void **state) {
  (void)state;
  char path[PATH_SIZE];
  write_text(at("a", path), "old");
  pod_output_file_t *file;
  assert_null(pod_output_file_open(path, &file));
  assert_null(pod_output_file_write(file, "new", 3));
  assert_refused(pod_output_file_close(file, pod_error(POD_DATA_LOSS, "no more")),
                 POD_DATA_LOSS, "no more");
  assert_text(path, "old");
  assert_int_equal(count_entries(), 1);
  unlink(path);
}

static void test_symbolic_links_are_followed_also_to_a_file_that_is_not_there(
    void **state) {
  (void)state;
  char path[PATH_SIZE], link[2][PATH_SIZE];
  assert_int_equal(symlink("a", at("relative", link[0])), 0);
  assert_int_equal(symlink(link[0], at("absolute", link[1])), 0);
  write_text(link[1], "one");
  assert_text(at("a", path), "one");
  write_text(link[0], "two");
  assert_text(path, "two");
  struct stat info;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(lstat(link[i], &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink(link[i]);
  }
  unlink(path);
}

static void test_a_circle_of_links_is_refused(void **state) {
  (void)state;
  char path[PATH_SIZE];
  assert_int_equal(symlink("b", at("b", path)), 0);
  assert_refused(pod_output_file_check(path), POD_INVALID_ARGUMENT, "symbolic links");
  unlink(path);
}

// By way of links, so that a mistake costs a link and not the machine's devices.
static void test_devices_stay_devices(void **state) {
  (void)state;
  char null[PATH_SIZE], full[PATH_SIZE];
  struct stat info;
  assert_int_equal(symlink("/dev/null", at("null", null)), 0);
  assert_int_equal(symlink("/dev/full", at("full", full)), 0);
  write_text(null, "gone");
  assert_int_equal(stat(null, &info), 0);
  assert_true(S_ISCHR(info.st_mode));
  pod_output_file_t *file;
  assert_null(pod_output_file_open(full, &file));
  const pod_status_t status = pod_output_file_write(file, "x", 1);
  assert_refused(pod_output_file_close(file, status), POD_RESOURCE_EXHAUSTED,
                 "/full: No space left on device");
  unlink(null);
  unlink(full);
}

static void test_a_fifo_is_written_through(void **state) {
  (void)state;
  char path[PATH_SIZE], text[8] = "";
  assert_int_equal(mkfifo(at("fifo", path), 0600), 0);
  const int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  assert_true(reader >= 0);
  write_text(path, "through");
  assert_int_equal(read(reader, text, sizeof(text)), 7);
  assert_memory_equal(text, "through", 7);
  close(reader);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_true(S_ISFIFO(info.st_mode));
  unlink(path);
}

static void test_an_open_file_is_written_where_it_stands(void **state) {
  (void)state;
  char path[PATH_SIZE], name[2][64];
  const int open_file = open(at("a", path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  assert_int_equal(write(open_file, "first ", 6), 6);
  snprintf(name[0], sizeof(name[0]), "/dev/fd/%d", open_file);
  snprintf(name[1], sizeof(name[1]), "/proc/self/fd/%d", open_file);
  write_text(name[0], "second ");
  write_text(name[1], "third");
  assert_text(path, "first second third");
  close(open_file);
  assert_refused(pod_output_file_check(name[0]), POD_INVALID_ARGUMENT,
                 "Bad file descriptor");
  unlink(path);
}

static void test_what_cannot_be_written_is_told_before(void **state) {
  (void)state;
  char path[PATH_SIZE];
  assert_refused(pod_output_file_check(folder), POD_INVALID_ARGUMENT, "Is a directory");
  assert_refused(pod_output_file_check(at("no/such", path)), POD_NOT_FOUND, path);
  assert_refused(pod_output_file_check(at("slash/", path)), POD_INVALID_ARGUMENT,
                 "names no file");
  assert_refused(pod_output_file_check(""), POD_INVALID_ARGUMENT, "names no file");
  if (getuid() != 0) {
    assert_refused(pod_output_file_check("/x.npy"), POD_PERMISSION_DENIED, "/x.npy");
  }
}

// In a process of its own: nothing can be written in it afterwards.
static void test_a_process_that_ends_by_a_signal_can_remove_what_is_unfinished(
    void **state) {
  (void)state;
  char path[PATH_SIZE];
  write_text(at("a", path), "old");
  const pid_t child = fork();
  if (child == 0) {
    pod_output_file_t *file;
    pod_status_t status = pod_output_file_open(path, &file);
    const int during = count_entries();
    pod_output_files_remove();
    status = pod_output_file_close(file, status);
    _exit(during == 2 && status != NULL ? 0 : 1);
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(result, 0);
  assert_int_equal(count_entries(), 1);
  assert_text(path, "old");
  unlink(path);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_regular_file_is_replaced_as_a_whole_and_keeps_its_mode),
      cmocka_unit_test(test_what_fails_leaves_the_old_file_and_nothing_else),
      cmocka_unit_test(test_symbolic_links_are_followed_also_to_a_file_that_is_not_there),
      cmocka_unit_test(test_a_circle_of_links_is_refused),
      cmocka_unit_test(test_devices_stay_devices),
      cmocka_unit_test(test_a_fifo_is_written_through),
      cmocka_unit_test(test_an_open_file_is_written_where_it_stands),
      cmocka_unit_test(test_what_cannot_be_written_is_told_before),
      cmocka_unit_test(
          test_a_process_that_ends_by_a_signal_can_remove_what_is_unfinished),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
