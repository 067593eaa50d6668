#include "client/launch/hosts_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/text.h"

enum { DESTINATION_MAX = 255, NO_RANK = -1 };

typedef POD_LIST(char *) words_t;

static void free_words(words_t *words) {
  for (int32_t i = 0; i < words->count; i++) {
    free(words->items[i]);
  }
  pod_list_deinit(words);
}

// One word, from `at` on; where it ends. NULL: a quote that nothing closes.
static const char *read_word(const char *at, char **out_word) {
  pod_text_t word = {0};
  pod_text_add(&word, "");
  char quote = '\0';
  for (; *at != '\0' && *at != '\n'; at++) {
    const bool is_quote = *at == '\'' || *at == '"';
    if (quote == '\0' && (*at == ' ' || *at == '\t' || *at == '\r')) {
      break;
    }
    if (is_quote && (quote == '\0' || quote == *at)) {
      quote = quote == '\0' ? *at : '\0';
    } else {
      pod_text_add_bytes(&word, at, 1);
    }
  }
  *out_word = pod_text_take(&word);
  return quote == '\0' ? at : NULL;
}

// The words of a line; its end. NULL: a quote that nothing closes.
static const char *read_line(const char *at, words_t *words) {
  for (;;) {
    at += strspn(at, " \t\r");
    if (*at == '#') {
      at += strcspn(at, "\n");
    }
    if (*at == '\0' || *at == '\n') {
      return at;
    }
    char *word;
    at = read_word(at, &word);
    *pod_list_add(words) = word;
    if (at == NULL) {
      return NULL;
    }
  }
}

pod_status_t launch_check_destination(const char *destination) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@:%[]+";
  const size_t length = strlen(destination);
  if (length == 0 || length > DESTINATION_MAX || destination[0] == '-' ||
      strspn(destination, letters) != length) {
    return pod_error(POD_INVALID_ARGUMENT, "'%.100s' is no [user@]host", destination);
  }
  return NULL;
}

// "chips=4" with the name "chips": "4"; NULL for another name.
static const char *value_of(const char *word, const char *name) {
  const size_t length = strlen(name);
  return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1
                                                                 : NULL;
}

static pod_status_t read_number(const char *name, const char *text, int32_t least,
                                int32_t most, int32_t *out_number) {
  char *end = NULL;
  errno = 0;
  const long number = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || number < least || number > most) {
    return pod_error(POD_INVALID_ARGUMENT, "%s needs a number from %d to %d, not '%.50s'",
                     name, least, most, text);
  }
  *out_number = (int32_t)number;
  return NULL;
}

static pod_status_t read_property(const char *word, launch_host_t *host) {
  const char *value;
  if ((value = value_of(word, "chips")) != NULL) {
    return read_number("chips", value, 1, LAUNCH_CHIPS_MAX, &host->chips);
  }
  if ((value = value_of(word, "rank")) != NULL) {
    return read_number("rank", value, 0, LAUNCH_HOSTS_MAX - 1, &host->rank);
  }
  if ((value = value_of(word, "address")) != NULL) {
    free(host->address);
    host->address = pod_strdup(value);
    return launch_check_destination(value);
  }
  if ((value = value_of(word, "bin")) != NULL) {
    free(host->folder_of_programs);
    host->folder_of_programs = pod_strdup(value);
    return NULL;
  }
  return pod_error(
      POD_INVALID_ARGUMENT,
      "'%.100s' is neither chips=, rank=, address= nor bin=, nor an option of ssh", word);
}

static pod_status_t read_host(const words_t *words, launch_host_t *host) {
  POD_TRY(launch_check_destination(words->items[0]));
  host->destination = pod_strdup(words->items[0]);
  int32_t i = 1;
  for (; i < words->count && words->items[i][0] != '-'; i++) {
    POD_TRY(read_property(words->items[i], host));
  }
  for (; i < words->count; i++) {
    *pod_list_add(&host->options) = pod_strdup(words->items[i]);
  }
  return NULL;
}

static pod_status_t at_line(const char *path, int line, pod_status_t status) {
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t told = pod_error(pod_status_code(status), "%s:%d: %s", path, line,
                                      pod_status_message(status));
  pod_status_free(status);
  return told;
}

static pod_status_t read_hosts(const char *path, const char *text,
                               launch_hosts_t *hosts) {
  int line = 1;
  for (const char *at = text; *at != '\0'; line++) {
    words_t words = {0};
    pod_status_t status = NULL;
    at = read_line(at, &words);
    if (at == NULL) {
      status = pod_error(POD_INVALID_ARGUMENT, "a quote is not closed");
    } else if (words.count > 0 && hosts->count == LAUNCH_HOSTS_MAX) {
      status =
          pod_error(POD_INVALID_ARGUMENT, "more than %d hosts", (int)LAUNCH_HOSTS_MAX);
    } else if (words.count > 0) {
      launch_host_t *host = pod_list_add(hosts);
      *host = (launch_host_t){.rank = NO_RANK};
      status = read_host(&words, host);
    }
    free_words(&words);
    POD_TRY(at_line(path, line, status));
    at += *at == '\n';
  }
  if (hosts->count == 0) {
    return pod_error(POD_INVALID_ARGUMENT, "%s names no host", path);
  }
  return NULL;
}

static pod_status_t check_chips(const char *path, const launch_hosts_t *hosts) {
  for (int32_t i = 1; i < hosts->count; i++) {
    if (hosts->items[i].chips != hosts->items[0].chips) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "%s: all hosts of a pod have as many chips, and each line says it "
                       "or none does: %s and %s differ",
                       path, hosts->items[0].destination, hosts->items[i].destination);
    }
  }
  return NULL;
}

static int by_rank(const void *left, const void *right) {
  const launch_host_t *a = left, *b = right;
  return (a->rank > b->rank) - (a->rank < b->rank);
}

// Each of 0 … count - 1 once.
static pod_status_t give_ranks(const char *path, launch_hosts_t *hosts) {
  int32_t said = 0;
  for (int32_t i = 0; i < hosts->count; i++) {
    said += hosts->items[i].rank != NO_RANK;
  }
  if (said != 0 && said != hosts->count) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: all lines say a rank, or none", path);
  }
  for (int32_t i = 0; said == 0 && i < hosts->count; i++) {
    hosts->items[i].rank = i;
  }
  qsort(hosts->items, (size_t)hosts->count, sizeof(hosts->items[0]), by_rank);
  for (int32_t i = 0; i < hosts->count; i++) {
    if (hosts->items[i].rank != i) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "%s: the ranks of %d hosts are 0 to %d, each once; %s has %d",
                       path, hosts->count, hosts->count - 1, hosts->items[i].destination,
                       hosts->items[i].rank);
    }
  }
  return NULL;
}

pod_status_t launch_hosts_parse(const char *path, const char *text,
                                launch_hosts_t *out_hosts) {
  launch_hosts_t hosts = {0};
  pod_status_t status = read_hosts(path, text, &hosts);
  if (status == NULL) {
    status = check_chips(path, &hosts);
  }
  if (status == NULL) {
    status = give_ranks(path, &hosts);
  }
  if (status != NULL) {
    launch_hosts_deinit(&hosts);
    return status;
  }
  *out_hosts = hosts;
  return NULL;
}

void launch_hosts_deinit(launch_hosts_t *hosts) {
  for (int32_t i = 0; i < hosts->count; i++) {
    launch_host_t *host = &hosts->items[i];
    free(host->destination);
    free(host->address);
    free(host->folder_of_programs);
    for (int32_t k = 0; k < host->options.count; k++) {
      free(host->options.items[k]);
    }
    pod_list_deinit(&host->options);
  }
  pod_list_deinit(hosts);
}
