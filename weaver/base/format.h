/* format.h - formats that compilers check. */
#ifndef CW_BASE_FORMAT_H
#define CW_BASE_FORMAT_H

#if defined(__GNUC__)
#define CW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CW_PRINTF(text, first)
#endif

#endif
