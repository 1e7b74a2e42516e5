/* deflate.h - prototypes behind a macro, as they were made optional. */
#define OF(args) args
#define EXPORT
#define FAR
#define local static

typedef unsigned char Byte;
typedef Byte FAR Bytef;
typedef struct deflate_state {
    Byte window[8];
    unsigned length;
    int level;
} FAR deflate_state;
struct pair {
    int a, b;
};

extern int EXPORT deflate_init OF((deflate_state * strm, int level, unsigned long size));
extern long EXPORT deflate_bound OF((deflate_state FAR * strm, long length));
const char *one_name OF((void));
const char *other_name OF((void));
unsigned long checksum OF((unsigned long check, const Bytef *buf, unsigned len, int last));
