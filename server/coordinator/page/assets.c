#include "server/coordinator/page/assets.h"

#include <string.h>

#include "common/report/web.h"
#include "server/coordinator/page/web.h"

#define SCRIPT "text/javascript; charset=utf-8"
#define STYLE "text/css; charset=utf-8"

enum { ASSETS = 8, TAG_BYTES = 64 };

static const struct {
  const char *name, *content_type;
  const report_asset_t *asset;
} files[] = {
    {"index.html", PAGE_HTML, &page_index},    {"denied.html", PAGE_HTML, &page_denied},
    {"page.css", STYLE, &page_style},          {"page.js", SCRIPT, &page_script},
    {"report.css", STYLE, &report_style},      {"report.js", SCRIPT, &report_script},
    {"icon.svg", "image/svg+xml", &page_icon},
};

const page_asset_t *page_asset_find(const char *name) {
  static page_asset_t assets[ASSETS];
  static char tags[ASSETS][TAG_BYTES];
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
    if (strcmp(files[i].name, name) != 0) {
      continue;
    }
    if (assets[i].name == NULL) {
      tags[i][0] = '"';
      strncpy(tags[i] + 1, files[i].asset->hash, TAG_BYTES - 3);
      strcat(tags[i], "\"");
      assets[i] = (page_asset_t){.name = files[i].name,
                                 .content_type = files[i].content_type,
                                 .bytes = files[i].asset->bytes,
                                 .size_bytes = files[i].asset->size_bytes,
                                 .tag = tags[i]};
    }
    return &assets[i];
  }
  return NULL;
}
