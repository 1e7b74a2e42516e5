/* httpd.h - the parts of httpd: http.h reads requests, answer.c writes heads, files.c answers from
 * a folder, httpd.c has the other routes. */
#ifndef HTTPD_H
#define HTTPD_H

#include "http.h"

/* answer.c: appends to the output; nothing here waits. */

/* Writes the head of an answer. `length` is that of the body; -1: not known, and the body is sent
 * by answer_piece(). `more` are header lines, each with its end. */
void answer_head(const struct http *h, int status, const char *type, int64_t length,
                 const char *more);
/* Writes an answer that says its status. */
void answer_status(const struct http *h, int status, const char *more);
/* "Hello, World!" */
void answer_hello(const struct http *h);
/* Frames a piece of a body of unknown length: before and after its bytes. Size 0 ends the body. */
void answer_piece(const struct http *h, size_t size);
void answer_piece_end(const struct http *h);
/* Sends the output if it is large. False: the peer is gone, or too slow. */
pausable bool answer_relieve(struct http *h);

/* files.c */
bool files_begin(const char *folder, bool follows_links); /* false with `errno` */
/* Answers a GET or HEAD from the folder. */
pausable void files_answer(struct http *h);

#endif
