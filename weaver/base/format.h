/* format.h - lets compilers check format strings. */
#ifndef CW_BASE_FORMAT_H
#define CW_BASE_FORMAT_H

#if defined(__GNUC__)
#define CW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CW_PRINTF(text, first)
#endif

#endif
