// Folders for sockets: what dead workers have left in /tmp goes, and nothing else does.
//
// In a /tmp of the test's own where the system lets it have one; else only what can be
// looked at without being in others' way.

#include "server/worker/socket_folder.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/log.h"

enum { OTHER_USER = 12345, PATH_BYTES = 128 };

static bool has_own_tmp;

static int make_tmp(void **state) {
  (void)state;
  pod_log_init("test", POD_LOG_NONE);
  unsetenv("XDG_RUNTIME_DIR");
  has_own_tmp = unshare(CLONE_NEWNS) == 0 &&
                mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                mount("tmp", "/tmp", "tmpfs", 0, "mode=1777") == 0;
  if (!has_own_tmp) {
    print_message("no /tmp of its own here: not all is tried\n");
  }
  return 0;
}

static const char *lone(const char *end) {
  static char paths[8][PATH_BYTES];
  static int turn;
  char *path = paths[turn++ % 8];
  snprintf(path, PATH_BYTES, "/tmp/podium-%lu-%s", (unsigned long)getuid(), end);
  return path;
}

static void make_with_file(const char *path, mode_t mode) {
  char file[PATH_BYTES + 8];
  snprintf(file, sizeof(file), "%s/socket", path);
  assert_int_equal(mkdir(path, 0700), 0);
  const int made = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_true(made >= 0);
  close(made);
  assert_int_equal(chmod(path, mode), 0);
}

static bool is_there(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0;
}

static void remove_all(const char *path) {
  char command[PATH_BYTES + 16];
  snprintf(command, sizeof(command), "rm -rf '%s'", path);
  assert_int_equal(system(command), 0);
}

static void make_and_destroy(void) {
  socket_folder_t *folder;
  assert_null(socket_folder_create(&folder));
  socket_folder_destroy(folder);
}

static void test_what_a_dead_worker_left_in_tmp_is_removed(void **state) {
  (void)state;
  make_with_file(lone("dEad01"), 0700);
  make_and_destroy();
  assert_false(is_there(lone("dEad01")));
}

static void test_what_is_locked_is_not(void **state) {
  (void)state;
  make_with_file(lone("aLive1"), 0700);
  const int lock = open(lone("aLive1"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
  make_and_destroy();
  assert_true(is_there(lone("aLive1/socket")));
  close(lock);
  make_and_destroy();
  assert_false(is_there(lone("aLive1")));
}

// A link of that name, which anybody may lay there; a folder that others may enter or
// have; one of another name.
static void test_what_is_not_ours_is_not(void **state) {
  (void)state;
  make_with_file("/tmp/podium-socket-folder-victim", 0700);
  assert_int_equal(symlink("/tmp/podium-socket-folder-victim", lone("sLink1")), 0);
  make_with_file(lone("oPen01"), 0755);
  make_with_file(lone("longer1"), 0700);
  make_with_file(lone("sub001"), 0700);
  char below[PATH_BYTES];
  snprintf(below, sizeof(below), "%s/kept", lone("sub001"));
  make_with_file(below, 0700);
  const bool is_root = getuid() == 0;
  if (is_root) {
    make_with_file(lone("oTher1"), 0700);
    assert_int_equal(chown(lone("oTher1"), OTHER_USER, OTHER_USER), 0);
  }
  make_and_destroy();
  assert_true(is_there("/tmp/podium-socket-folder-victim/socket"));
  assert_true(is_there(lone("sLink1")));
  assert_true(is_there(lone("oPen01/socket")));
  assert_true(is_there(lone("longer1/socket")));
  assert_true(is_there(lone("sub001/kept/socket")));  // No worker makes such.
  assert_true(!is_root || is_there(lone("oTher1/socket")));
  remove_all("/tmp/podium-socket-folder-victim");
  static const char *const ends[] = {"sLink1", "oPen01", "longer1", "sub001", "oTher1"};
  for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
    remove_all(lone(ends[i]));
  }
}

// The whole life of one: the name of the folder above is taken, a worker makes its own,
// is killed, and the next one sweeps it.
static void test_a_killed_lone_worker_is_swept_by_the_next(void **state) {
  (void)state;
  if (!has_own_tmp) {
    skip();
  }
  char taken[PATH_BYTES], path[PATH_BYTES] = "";
  snprintf(taken, sizeof(taken), "/tmp/podium-%lu", (unsigned long)getuid());
  remove_all(taken);
  close(open(taken, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t worker = fork();
  if (worker == 0) {
    socket_folder_t *folder;
    if (socket_folder_create(&folder) == NULL) {
      const char *made = socket_folder_path(folder);
      (void)!write(ends[1], made, strlen(made) + 1);
    }
    for (;;) {
      pause();
    }
  }
  assert_true(read(ends[0], path, sizeof(path)) > 0);
  assert_memory_equal(path, lone(""), strlen(lone("")));
  socket_folder_t *other;
  assert_null(socket_folder_create(&other));
  assert_true(is_there(path));
  assert_int_equal(kill(worker, SIGKILL), 0);
  assert_int_equal(waitpid(worker, NULL, 0), worker);
  make_and_destroy();
  assert_false(is_there(path));
  assert_true(is_there(socket_folder_path(other)));
  socket_folder_destroy(other);
  close(ends[0]);
  close(ends[1]);
  remove_all(taken);
}

// Many at once: none takes another's new folder for a dead one's, unnoticed.
static void test_who_come_at_once_each_have_a_folder(void **state) {
  (void)state;
  if (!has_own_tmp) {
    skip();
  }
  enum { WORKERS = 8, ROUNDS = 50 };
  char taken[PATH_BYTES];
  snprintf(taken, sizeof(taken), "/tmp/podium-%lu", (unsigned long)getuid());
  close(open(taken, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  for (int i = 0; i < WORKERS; i++) {
    if (fork() == 0) {
      for (int round = 0; round < ROUNDS; round++) {
        socket_folder_t *folder;
        if (socket_folder_create(&folder) != NULL ||
            !is_there(socket_folder_path(folder))) {
          _exit(1);
        }
        socket_folder_destroy(folder);
      }
      _exit(0);
    }
  }
  for (int i = 0; i < WORKERS; i++) {
    int result = -1;
    assert_true(wait(&result) > 0);
    assert_int_equal(result, 0);
  }
  remove_all(taken);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_a_dead_worker_left_in_tmp_is_removed),
      cmocka_unit_test(test_what_is_locked_is_not),
      cmocka_unit_test(test_what_is_not_ours_is_not),
      cmocka_unit_test(test_a_killed_lone_worker_is_swept_by_the_next),
      cmocka_unit_test(test_who_come_at_once_each_have_a_folder),
  };
  return cmocka_run_group_tests(tests, make_tmp, NULL);
}
