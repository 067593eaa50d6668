// The files of the page, as the build has put them into the program.

#ifndef SERVER_COORDINATOR_PAGE_ASSETS_H_
#define SERVER_COORDINATOR_PAGE_ASSETS_H_

#include <stddef.h>

#define PAGE_HTML "text/html; charset=utf-8"

typedef struct page_asset_t {
  const char *name;
  const char *content_type;
  const char *bytes;
  size_t size_bytes;
  const char *tag;  // With its quotes.
} page_asset_t;

// NULL: there is none of that name.
const page_asset_t *page_asset_find(const char *name);

#endif  // SERVER_COORDINATOR_PAGE_ASSETS_H_
