/* comments.h - puts back the comments that the preprocessor dropped. */
#ifndef CW_TEXT_COMMENTS_H
#define CW_TEXT_COMMENTS_H

#include "base/types.h"

/* Puts back the comments that the preprocessor took away, where the files that the text came from
 * have them. */
void cw_restore_comments(cw_unit *unit);

#endif
