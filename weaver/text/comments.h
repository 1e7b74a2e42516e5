/* comments.h - puts back the comments that the preprocessor dropped. */
#ifndef CW_TEXT_COMMENTS_H
#define CW_TEXT_COMMENTS_H

#include "base/types.h"

/* Inserts the comments that the preprocessor removed, if the original files contain them. */
void cw_restore_comments(cw_unit *unit);

#endif
