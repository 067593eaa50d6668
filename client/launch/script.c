// All that a script does is in functions, the last line calls one: what is cut off on its
// way does nothing.

#include "client/launch/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_DIGITS = 8 };

static const char end_of_file[] = "PODIUM_END_OF_FILE";

// A start may be told to end before it has come: who ends it leaves a mark, which is
// looked at when the folder is made and all is written. If the mark comes later still,
// the folder is gone when the process shall be noted in it.
//
// A process is told from another one that got its number later by the time it started. A
// daemon is in the session of its podium-host, also when that was killed.
static const char prelude[] =
    "umask 077\n"
    "say() { printf 'podium %s\\n' \"$*\"; }\n"
    "fail() { printf 'podium-error %s\\n' \"$*\"; exit 9; }\n"
    "alive() {\n"
    "  { read -r pid ticks <\"$1\" && stat=$(cat \"/proc/$pid/stat\"); } 2>/dev/null || "
    "return 1\n"
    "  set -- ${stat##*) }\n"
    "  [ \"$1\" != Z ] && [ \"${20}\" = \"$ticks\" ]\n"
    "}\n"
    "record() {\n"
    "  pid=$1 file=$2\n"
    "  stat=$(cat \"/proc/$pid/stat\" 2>/dev/null) || return 1\n"
    "  set -- ${stat##*) }\n"
    "  echo \"$pid ${20}\" >\"$file\"\n"
    "}\n"
    "gone() { printf '%s/.gone-%s' \"${1%/*}\" \"${1##*/}\"; }\n"
    "words() {\n"
    "  cat \"$1\"/*.log 2>/dev/null | grep -E \"^podium-(coordinator|worker|host): \" | "
    "tail -n 1\n"
    "}\n";

void launch_quote(pod_text_t *text, const char *word) {
  pod_text_add(text, "'");
  for (; *word != '\0'; word++) {
    if (*word == '\'') {
      pod_text_add(text, "'\\''");
    } else {
      pod_text_add_bytes(text, word, 1);
    }
  }
  pod_text_add(text, "'");
}

static void add_variable(pod_text_t *script, const char *name, const char *value) {
  pod_text_printf(script, "%s=", name);
  launch_quote(script, value);
  pod_text_add(script, "\n");
}

// --- Probe ---

// What is in the folder of /tmp is secret: it must be ours, and nobody else's to write.
static const char probe[] =
    "main() {\n"
    "  program=\n"
    "  if [ -n \"$folder\" ]; then\n"
    "    [ -x \"$folder/podium-host\" ] || fail \"there is no podium-host in $folder\"\n"
    "    program=$folder/podium-host\n"
    "  elif command -v podium-host >/dev/null 2>&1; then\n"
    "    program=$(command -v podium-host)\n"
    "  elif [ -x \"$other/podium-host\" ]; then\n"
    "    program=$other/podium-host\n"
    "  else\n"
    "    fail \"podium-host is neither in its PATH nor in $other; install Podium there, "
    "or say bin=FOLDER\"\n"
    "  fi\n"
    "  version=$(\"$program\" --version 2>&1 </dev/null) || fail \"$program does not run "
    "there: $version\"\n"
    "  command -v setsid >/dev/null 2>&1 || fail \"setsid is missing (util-linux)\"\n"
    "  base=/tmp/podium-$(id -u)\n"
    "  mkdir -p \"$base\" 2>/dev/null\n"
    "  [ -d \"$base\" ] && [ ! -L \"$base\" ] && [ -O \"$base\" ] ||\n"
    "    fail \"$base must be a folder of the user's own; remove it there\"\n"
    "  case $(ls -ld \"$base\") in\n"
    "    d????[-]??[-]*) ;;\n"
    "    *) fail \"others may write to $base; remove it there\" ;;\n"
    "  esac\n"
    "  set -- ${SSH_CONNECTION:-}\n"
    "  say program \"$program\"\n"
    "  say version \"$version\"\n"
    "  say base \"$base\"\n"
    "  say address \"${3:-}\"\n"
    "}\n"
    "main\n";

void launch_script_probe(pod_text_t *script, const char *folder,
                         const char *other_folder) {
  pod_text_add(script, prelude);
  add_variable(script, "folder", folder == NULL ? "" : folder);
  add_variable(script, "other", other_folder);
  pod_text_add(script, probe);
}

// --- Start ---

static const char wait_for_address[] =
    "  turn=0\n"
    "  while [ ! -s \"$folder/address\" ]; do\n"
    "    alive \"$folder/pid\" || fail \"$(words \"$folder\")\"\n"
    "    turn=$((turn + 1))\n"
    "    [ $turn -lt 300 ] || fail \"the coordinator does not listen after 15 s\"\n"
    "    sleep 0.05\n"
    "  done\n"
    "  say address \"$(cat \"$folder/address\")\"\n";

static pod_status_t add_file(pod_text_t *script, const launch_file_t *file) {
  const size_t length = strlen(file->text);
  if (length == 0 || file->text[length - 1] != '\n' ||
      strstr(file->text, end_of_file) != NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "%s cannot be sent: it is no text of lines",
                     file->name);
  }
  pod_text_add(script, "  cat >\"$folder\"/");
  launch_quote(script, file->name);
  pod_text_printf(script, " <<'%s' || fail \"no room in $folder\"\n%s%s\n", end_of_file,
                  file->text, end_of_file);
  return NULL;
}

pod_status_t launch_script_start(pod_text_t *script, const launch_start_t *start) {
  pod_text_add(script, prelude);
  add_variable(script, "folder", start->folder);
  pod_text_add(script,
               "main() {\n"
               "  mkdir \"$folder\" || fail \"$folder cannot be made there\"\n");
  for (int i = 0; i < start->file_count; i++) {
    POD_TRY(add_file(script, &start->files[i]));
  }
  pod_text_add(script,
               "  if [ -e \"$(gone \"$folder\")\" ]; then\n"
               "    rm -rf \"$folder\"\n"
               "    fail \"it was ended before it began\"\n"
               "  fi\n"
               "  setsid ");
  launch_quote(script, start->program);
  for (const char *const *argument = start->arguments; *argument != NULL; argument++) {
    pod_text_add(script, " ");
    launch_quote(script, *argument);
  }
  pod_text_add(
      script,
      " </dev/null >>\"$folder/host.log\" 2>&1 &\n"
      "  record $! \"$folder/pid\" 2>/dev/null || { kill $! 2>/dev/null; fail \"it ended "
      "at once: $(words \"$folder\")\"; }\n");
  if (start->serves) {
    pod_text_add(script, wait_for_address);
  }
  pod_text_add(script,
               "  say started\n"
               "}\n"
               "main\n");
  return NULL;
}

// --- Ask ---

static const char ask[] =
    "main() {\n"
    "  [ -d \"$folder\" ] || { say state gone; return; }\n"
    "  if alive \"$folder/pid\"; then say state runs; else say state ended; fi\n"
    "  words=$(words \"$folder\")\n"
    "  if [ -z \"$words\" ]; then\n"
    "    words=$(cat \"$folder\"/worker-*.log \"$folder\"/coordinator.log 2>/dev/null |\n"
    "      grep -E '^[^ ]+Z [a-z]+ [WE] ' | tail -n 1)\n"
    "  fi\n"
    "  [ -n \"$words\" ] || words=$(tail -q -n 1 \"$folder\"/worker-0.log 2>/dev/null)\n"
    "  say words \"$words\"\n"
    "}\n"
    "main\n";

void launch_script_ask(pod_text_t *script, const char *folder) {
  pod_text_add(script, prelude);
  add_variable(script, "folder", folder);
  pod_text_add(script, ask);
}

// --- Stop ---

// The number of a leader that has gone is given to nobody else as long as one is in its
// session: only a living process of another start time says that the session is not ours.
static const char stop[] =
    "members() {\n"
    "  session=$1\n"
    "  for entry in /proc/[0-9]*/stat; do\n"
    "    { read -r line <\"$entry\"; } 2>/dev/null || continue\n"
    "    number=${entry#/proc/}\n"
    "    set -- ${line##*) }\n"
    "    if [ \"${4:-}\" = \"$session\" ] && [ \"$1\" != Z ]; then\n"
    "      printf '%s ' \"${number%/stat}\"\n"
    "    fi\n"
    "  done\n"
    "}\n"
    "end() {\n"
    "  read -r leader started <\"$1\" || return 0\n"
    "  if ! alive \"$1\"; then\n"
    "    set -- $(sed 's/.*) //' \"/proc/$leader/stat\" 2>/dev/null)\n"
    "    [ $# -eq 0 ] || [ \"${20}\" = \"$started\" ] || return 0\n"
    "  fi\n"
    "  kill -TERM \"$leader\" 2>/dev/null\n"
    "  turn=0\n"
    "  while left=$(members \"$leader\"); [ -n \"$left\" ]; do\n"
    "    turn=$((turn + 1))\n"
    "    [ $turn -ne 5 ] || alive \"$1\" || kill -TERM $left 2>/dev/null\n"
    "    [ $turn -lt 150 ] || kill -KILL $left 2>/dev/null\n"
    "    [ $turn -lt 200 ] || fail \"processes do not end: $left\"\n"
    "    sleep 0.1\n"
    "  done\n"
    "}\n"
    "main() {\n"
    "  count=0\n"
    "  blanks=$IFS IFS=\n"
    "  set -- \"$parent\"/$pattern\n"
    "  IFS=$blanks\n"
    "  find \"$parent\" -maxdepth 1 -name '.gone-*' -user \"$(id -u)\" -mtime +1 "
    "-delete 2>/dev/null\n"
    "  for folder; do\n"
    "    case $folder in\n"
    "      *[*?]*) ;;\n"
    "      *) [ ! -d \"$parent\" ] || : >\"$(gone \"$folder\")\" || fail \"no room in "
    "$parent\" ;;\n"
    "    esac\n"
    "    if [ ! -d \"$folder\" ] || [ -L \"$folder\" ] || [ ! -O \"$folder\" ]; then\n"
    "      continue\n"
    "    fi\n"
    "    [ ! -s \"$folder/pid\" ] || end \"$folder/pid\"\n"
    "    rm -rf \"$folder\" || fail \"$folder cannot be removed\"\n"
    "    count=$((count + 1))\n"
    "  done\n"
    "  say stopped \"$count\"\n"
    "}\n"
    "main\n";

void launch_script_stop(pod_text_t *script, const char *folder) {
  const char *slash = strrchr(folder, '/');
  pod_text_t parent = {0};
  pod_text_add_bytes(&parent, folder, (size_t)(slash - folder));
  pod_text_add(script, prelude);
  add_variable(script, "parent", parent.bytes);
  add_variable(script, "pattern", slash + 1);
  pod_text_add(script, stop);
  pod_text_deinit(&parent);
}

void launch_script_sweep(pod_text_t *script, const char *name) {
  pod_text_add(script, prelude);
  pod_text_add(script, "parent=/tmp/podium-$(id -u)\n");
  pod_text_add(script, "pattern=");
  pod_text_t pattern = {0};
  pod_text_printf(&pattern, "host-%s-", name);
  for (int i = 0; i < TAG_DIGITS; i++) {
    pod_text_add(&pattern, "[0-9a-f]");
  }
  pod_text_add(&pattern, "-*");
  launch_quote(script, pattern.bytes);
  pod_text_add(script, "\n");
  pod_text_add(script, stop);
  pod_text_deinit(&pattern);
}

// --- Logs ---

// tail has the folder's files that are there when it begins; podium-host opens all logs
// when it starts.
void launch_script_logs(pod_text_t *script, const char *folder, int64_t lines,
                        bool follows) {
  pod_text_add(script, prelude);
  add_variable(script, "folder", folder);
  pod_text_add(script,
               "main() {\n"
               "  cd \"$folder\" 2>/dev/null || fail \"$folder is gone\"\n"
               "  exec tail -v ");
  if (lines < 0) {
    pod_text_add(script, "-n +1");
  } else {
    pod_text_printf(script, "-n %" PRId64, lines);
  }
  pod_text_printf(script,
                  "%s -- *.log 2>/dev/null\n"
                  "}\n"
                  "main\n",
                  follows ? " -F" : "");
}

// --- What was said ---

char *launch_said(const char *output, const char *word) {
  static const char start[] = "podium ";
  const size_t length = strlen(word);
  for (const char *at = output; at != NULL && *at != '\0';) {
    if (strncmp(at, start, strlen(start)) == 0 &&
        strncmp(at + strlen(start), word, length) == 0 &&
        at[strlen(start) + length] == ' ') {
      const char *value = at + strlen(start) + length + 1;
      pod_text_t text = {0};
      pod_text_add_bytes(&text, value, strcspn(value, "\n"));
      return pod_text_take(&text);
    }
    at = strchr(at, '\n');
    at = at == NULL ? NULL : at + 1;
  }
  return NULL;
}

char *launch_refusal(const char *output) {
  static const char start[] = "podium-error ";
  const char *at = output == NULL ? NULL : strstr(output, start);
  if (at == NULL) {
    return NULL;
  }
  at += strlen(start);
  size_t length = strlen(at);
  while (length > 0 && at[length - 1] == '\n') {
    length--;
  }
  pod_text_t text = {0};
  pod_text_add_bytes(&text, at, length);
  return pod_text_take(&text);
}
