// What the build makes of web/ (common/report/embed.py).

#ifndef SERVER_COORDINATOR_PAGE_WEB_H_
#define SERVER_COORDINATOR_PAGE_WEB_H_

#include "common/report/web.h"

extern const report_asset_t page_index, page_denied, page_style, page_script, page_icon;

#endif  // SERVER_COORDINATOR_PAGE_WEB_H_
