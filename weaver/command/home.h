/* home.h - finds co4's header and library for programs that do not name them. */
#ifndef CW_COMMAND_HOME_H
#define CW_COMMAND_HOME_H

/* The path of a header in co4/, or of libco4.a. Returns NULL after a message if it is not found.
 * The caller frees the header's path. */
char *cw_home_header(const char *name);
const char *cw_home_library(void);
/* The same, without a message. */
const char *cw_home_library_or_null(void);

#endif
