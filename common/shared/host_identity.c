// Parts joined by colons: the kernel's boot id, device and inode of the two namespaces
// and of the root folder, the user. Two processes print the same only when all parts
// agree; a part that cannot be read is the process id, which agrees with nobody's.

#include "common/shared/host_identity.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_own(pod_text_t *text) {
  pod_text_printf(text, "pid-%ld", (long)getpid());
}

static void add_boot_id(pod_text_t *text) {
  char line[64] = "";
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file == NULL || fgets(line, sizeof(line), file) == NULL) {
    add_own(text);
  } else {
    line[strcspn(line, "\n")] = '\0';
    pod_text_add(text, line);
  }
  if (file != NULL) {
    (void)fclose(file);
  }
}

static void add_inode(pod_text_t *text, const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) {
    add_own(text);
  } else {
    pod_text_printf(text, "%lx-%lx", (unsigned long)info.st_dev,
                    (unsigned long)info.st_ino);
  }
}

void host_identity_print(pod_text_t *text) {
  add_boot_id(text);
  pod_text_add(text, ":");
  add_inode(text, "/proc/self/ns/net");
  pod_text_add(text, ":");
  add_inode(text, "/proc/self/ns/mnt");
  pod_text_add(text, ":");
  add_inode(text, "/");
  pod_text_printf(text, ":%lu", (unsigned long)getuid());
}
