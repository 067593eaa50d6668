// The words of a command line: help, what every command takes, and what was mistyped.
//
// argp parses a command's own options. It is not asked to print help (it breaks the first
// line of a group whose longest option comes first, and knows no headings), and getopt's
// "unrecognized option" says nothing of what was meant; so the words are looked through
// once before: -h and --help print, --json is taken out, an unknown option is refused
// with the nearest one.

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/report.h"
#include "client/cli/suggest.h"
#include "client/cli/terminal.h"
#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum {
  OPTIONS_MAX = 64,  // Of a command.
  COLUMNS_MAX = 100,
  COLUMNS_OF_A_FILE = 80,
  COLUMNS_MIN = 50,
  TEXT_COLUMN = 28,  // Where what an option does begins.
  KEY_HELP = -1,     // Of common_options.
  KEY_USAGE = -2,
  KEY_JSON = -3,
  KEY_TLS_CA = -4,  // Of connection_options.
  KEY_TLS_CERTIFICATE = -5,
  KEY_TLS_KEY = -6,
  KEY_TOKEN_FILE = -7,
};

// By the `group` of an option.
static const char *const headings[] = {"Options", "Pod", "Program and files", "Running",
                                       "Predicted time"};

static const struct argp_option common_options[] = {
    {"help", KEY_HELP, NULL, 0, "Print this and end; also -h", 0},
    {"usage", KEY_USAGE, NULL, 0, "Print how the command is called and end", 0},
    {"json", KEY_JSON, NULL, 0,
     "Print one JSON object instead of text; client/cli/README.md describes it", 0},
    {0},
};

// Of commands that ask a pod: libpodium takes what they say from the environment, and so
// does what a command starts.
static const struct argp_option connection_options[] = {
    {"tls-ca", KEY_TLS_CA, "FILE", 0,
     "Call the pod by TLS and believe it when this authority has signed its certificate "
     "(PODIUM_TLS_CA)",
     0},
    {"tls-certificate", KEY_TLS_CERTIFICATE, "FILE", 0,
     "Our own certificate, for a pod that asks for one (PODIUM_TLS_CERTIFICATE)", 0},
    {"tls-key", KEY_TLS_KEY, "FILE", 0, "Its private key (PODIUM_TLS_KEY)", 0},
    {"token-file", KEY_TOKEN_FILE, "FILE", 0,
     "The token that the pod knows us by (PODIUM_TOKEN_FILE, or PODIUM_TOKEN itself); a "
     "pod of ours on this machine needs none",
     0},
    {0},
};

static bool is_end(const struct argp_option *option) {
  return option->name == NULL && option->key == 0;
}

static bool has_letter(const struct argp_option *option) {
  return option->key > ' ' && option->key < 127;
}

static bool asks_a_pod(const struct argp *argp) {
  const struct argp_option *at = argp->options;
  while (at != NULL && !is_end(at) && strcmp(at->name, "pod") != 0) {
    at++;
  }
  return (at != NULL && !is_end(at)) ||
         (argp->args_doc != NULL && strstr(argp->args_doc, "POD") != NULL);
}

// Besides its own.
enum { LISTS = 3 };
static void list_options(const struct argp *argp, const struct argp_option *out[LISTS]) {
  static const struct argp_option none = {0};
  out[0] = argp->options != NULL ? argp->options : &none;
  out[1] = common_options;
  out[2] = asks_a_pod(argp) ? connection_options : &none;
}

// --- Help ---

static int help_columns(void) {
  const int columns = cli_terminal_columns();
  if (columns == 0) {
    return COLUMNS_OF_A_FILE;
  }
  return columns > COLUMNS_MAX   ? COLUMNS_MAX
         : columns < COLUMNS_MIN ? COLUMNS_MIN
                                 : columns;
}

// Characters of UTF-8.
static int width_of(const char *text, size_t bytes) {
  int width = 0;
  for (size_t i = 0; i < bytes; i++) {
    width += ((unsigned char)text[i] & 0xC0) != 0x80;
  }
  return width;
}

// The words of `text`, in lines that begin at `indent`; the first one at `at`, where the
// caller stands.
static void print_wrapped(const char *text, int at, int indent, int columns) {
  bool is_first = true;
  while (*text != '\0') {
    const size_t bytes = strcspn(text, " ");
    const int width = width_of(text, bytes);
    if (!is_first && at + 1 + width > columns) {
      printf("\n%*s", indent, "");
      at = indent;
    } else if (!is_first) {
      printf(" ");
      at++;
    }
    printf("%.*s", (int)bytes, text);
    at += width;
    is_first = false;
    text += bytes;
    text += strspn(text, " ");
  }
  printf("\n");
}

static void print_option(const struct argp_option *option, int columns) {
  pod_text_t label = {0};
  if (has_letter(option)) {
    pod_text_printf(&label, "  -%c, --%s", option->key, option->name);
  } else {
    pod_text_printf(&label, "      --%s", option->name);
  }
  if (option->arg != NULL) {
    pod_text_printf(&label, "=%s", option->arg);
  }
  printf("%s", label.bytes);
  int at = width_of(label.bytes, label.length);
  if (at > TEXT_COLUMN - 2) {
    printf("\n");
    at = 0;
  }
  printf("%*s", TEXT_COLUMN - at, "");
  print_wrapped(option->doc, TEXT_COLUMN, TEXT_COLUMN, columns);
  pod_text_deinit(&label);
}

static int by_name(const void *left, const void *right) {
  const struct argp_option *const *a = left, *const *b = right;
  return strcmp((*a)->name, (*b)->name);
}

static void print_group(const struct argp *argp, int group, int columns) {
  const struct argp_option *sorted[OPTIONS_MAX];
  size_t count = 0;
  for (const struct argp_option *at = argp->options; at != NULL && !is_end(at); at++) {
    if (at->group == group) {
      POD_CHECK(count < OPTIONS_MAX);
      sorted[count++] = at;
    }
  }
  if (count == 0) {
    return;
  }
  qsort(sorted, count, sizeof(sorted[0]), by_name);
  printf("\n%s:\n", headings[group]);
  for (size_t i = 0; i < count; i++) {
    print_option(sorted[i], columns);
  }
}

static void print_usage(const struct argp *argp, const char *command) {
  printf("Usage: podium %s [OPTION...]%s%s\n", command, argp->args_doc == NULL ? "" : " ",
         argp->args_doc == NULL ? "" : argp->args_doc);
}

static void print_help(const struct argp *argp, const char *command) {
  const int columns = help_columns();
  print_usage(argp, command);
  const char *rest = strchr(argp->doc, '\v');
  pod_text_t doc = {0};
  pod_text_add_bytes(&doc, argp->doc,
                     rest == NULL ? strlen(argp->doc) : (size_t)(rest - argp->doc));
  print_wrapped(doc.bytes, 0, 0, columns);
  pod_text_deinit(&doc);
  for (int group = 0; group < (int)POD_COUNT_OF(headings); group++) {
    print_group(argp, group, columns);
  }
  if (asks_a_pod(argp)) {
    printf("\nConnection:\n");
    for (const struct argp_option *at = connection_options; !is_end(at); at++) {
      print_option(at, columns);
    }
  }
  printf("\nOf every command:\n");
  for (const struct argp_option *at = common_options; !is_end(at); at++) {
    print_option(at, columns);
  }
  if (rest != NULL) {
    printf("\n%s\n", rest + 1);  // Examples stay as they are.
  }
  printf("\n%s", cli_exit_codes);
}

// --- Looking through the words ---

typedef struct words_t {
  const struct argp *argp;
  const char *command;
  int count;  // What stays of them.
  char **list;
} words_t;

static const struct argp_option *find_letter(const words_t *words, char letter) {
  const struct argp_option *at = words->argp->options;
  while (at != NULL && !is_end(at) && at->key != letter) {
    at++;
  }
  return at == NULL || is_end(at) ? NULL : at;
}

// By name, or by a beginning of it as getopt_long allows; NULL for none. Which one a
// beginning of several means is left to getopt_long to ask.
static const struct argp_option *find_name(const words_t *words, const char *name,
                                           size_t length) {
  const struct argp_option *lists[LISTS];
  const struct argp_option *beginning = NULL;
  list_options(words->argp, lists);
  for (size_t i = 0; i < POD_COUNT_OF(lists); i++) {
    for (const struct argp_option *at = lists[i]; !is_end(at); at++) {
      if (strncmp(at->name, name, length) != 0) {
        continue;
      }
      if (at->name[length] == '\0') {
        return at;
      }
      beginning = beginning == NULL ? at : beginning;
    }
  }
  return beginning;
}

static void refuse(const words_t *words, const char *what, const char *suggestion) {
  fprintf(stderr, "podium %s: no option '%s'", words->command, what);
  if (suggestion != NULL) {
    fprintf(stderr, "; did you mean --%s?", suggestion);
  }
  fprintf(stderr, "%s `podium %s --help` lists them\n", suggestion == NULL ? ";" : "",
          words->command);
  exit(CLI_USAGE);
}

static void refuse_name(const words_t *words, const char *name, size_t length) {
  const char *names[OPTIONS_MAX + POD_COUNT_OF(common_options) +
                    POD_COUNT_OF(connection_options)];
  int count = 0;
  const struct argp_option *lists[LISTS];
  list_options(words->argp, lists);
  for (size_t i = 0; i < POD_COUNT_OF(lists); i++) {
    for (const struct argp_option *at = lists[i]; !is_end(at); at++) {
      POD_CHECK(count < (int)POD_COUNT_OF(names));
      names[count++] = at->name;
    }
  }
  pod_text_t word = {0};
  pod_text_printf(&word, "--%.*s", (int)length, name);
  refuse(words, word.bytes, cli_suggest(word.bytes + 2, count, names));
}

// True: the word is used up here.
static bool obey(const words_t *words, int key) {
  switch (key) {
    case KEY_HELP:
      print_help(words->argp, words->command);
      exit(CLI_OK);
    case KEY_USAGE:
      print_usage(words->argp, words->command);
      exit(CLI_OK);
    case KEY_JSON:
      cli_report_start(words->command);
      return true;
    default:
      return false;
  }
}

// Of connection_options; NULL for other keys.
static const char *variable_of(int key) {
  switch (key) {
    case KEY_TLS_CA:
      return "PODIUM_TLS_CA";
    case KEY_TLS_CERTIFICATE:
      return "PODIUM_TLS_CERTIFICATE";
    case KEY_TLS_KEY:
      return "PODIUM_TLS_KEY";
    case KEY_TOKEN_FILE:
      return "PODIUM_TOKEN_FILE";
    default:
      return NULL;
  }
}

static bool connection_is_given;

bool cli_connection_is_given(void) {
  return connection_is_given;
}

static void set_variable(const words_t *words, const char *variable, const char *option,
                         const char *value) {
  if (value == NULL || *value == '\0') {
    fprintf(stderr, "podium %s: option '--%s' requires an argument\n", words->command,
            option);
    exit(CLI_USAGE);
  }
  connection_is_given = true;
  char *path = realpath(value, NULL);  // What is started may go to another folder.
  setenv(variable, path != NULL ? path : value, 1);
  free(path);
}

// "--name" or "--name=value". Returns how many words it and its value are; below 0: they
// are taken out.
static int look_at_name(const words_t *words, int at) {
  const char *name = words->list[at] + 2;
  const size_t length = strcspn(name, "=");
  const struct argp_option *option = find_name(words, name, length);
  if (option == NULL) {
    refuse_name(words, name, length);
  } else if (obey(words, option->key)) {
    return -1;
  }
  const bool is_apart = option->arg != NULL && name[length] != '=';
  const char *variable = variable_of(option->key);
  if (variable == NULL) {
    return is_apart ? 2 : 1;
  }
  set_variable(words, variable, option->name,
               is_apart ? words->list[at + 1] : name + length + 1);
  return is_apart ? -2 : -1;
}

// "-q", "-qc" or "-cv4".
static int look_at_letters(const words_t *words, const char *word) {
  for (const char *letter = word + 1; *letter != '\0'; letter++) {
    if (*letter == 'h' || *letter == '?') {
      obey(words, KEY_HELP);
    }
    const struct argp_option *option = find_letter(words, *letter);
    if (option == NULL) {
      const char name[3] = {'-', *letter, '\0'};
      refuse(words, name, NULL);
    } else if (option->arg != NULL) {
      return letter[1] == '\0' ? 2 : 1;
    }
  }
  return 1;
}

static void look_through(words_t *words) {
  int kept = 1;
  bool is_over = false;  // Behind "--".
  for (int i = 1; i < words->count;) {
    char *word = words->list[i];
    int taken = 1;
    if (!is_over && strcmp(word, "--") == 0) {
      is_over = true;
    } else if (!is_over && strncmp(word, "--", 2) == 0) {
      taken = look_at_name(words, i);
    } else if (!is_over && word[0] == '-' && word[1] != '\0') {
      taken = look_at_letters(words, word);
    }
    i += taken < 0 ? -taken : 0;
    for (; taken > 0 && i < words->count; taken--) {
      words->list[kept++] = words->list[i++];
    }
  }
  words->count = kept;
  words->list[kept] = NULL;
}

void cli_parse(const struct argp *argp, int argc, char **argv, void *input) {
  words_t words = {.argp = argp, .command = argv[0], .count = argc, .list = argv};
  look_through(&words);
  // argp names the program by argv[0] in its errors.
  pod_text_t name = {0};
  pod_text_printf(&name, "podium %s", words.command);
  argv[0] = name.bytes;
  argp_err_exit_status = CLI_USAGE;
  argp_parse(argp, words.count, argv, ARGP_NO_HELP, NULL, input);
  argv[0] = "podium";
  pod_text_deinit(&name);
}
