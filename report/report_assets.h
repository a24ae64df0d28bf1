/* Style sheets, scripts and whole pages: file name.js of this folder is report_name_js. Their
 * contents are compiled in by embed.cmake; a new file needs a line here and no more. */
#pragma once

extern const char report_exemplars_css[];
extern const char report_house_css[];
extern const char report_live_html[];
extern const char report_topics_css[];
extern const char report_video_css[];
extern const char report_video_js[];
