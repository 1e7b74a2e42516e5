/* home.h - where co4's header and library are, for programs that do not name them. */
#ifndef CW_DRIVER_HOME_H
#define CW_DRIVER_HOME_H

/* The path of a header in co4/, or of libco4.a; NULL: not found, and that has been said. Caller
 * frees the header's. */
char *cw_home_header(const char *name);
const char *cw_home_library(void);
/* The same, without a message. */
const char *cw_home_library_or_null(void);

#endif
