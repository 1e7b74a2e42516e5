/* c_library.c - functions of the C library that compilers know by name: C11's, and those of POSIX
 * and GNU.
 *
 * A compiler may replace a call of such a function, even if the program declares or defines it. The
 * names are sorted. */
#include <stdlib.h>
#include <string.h>

#include "passes/passes.h"

/* clang-format off */
static const char *const names[] = {
    "_Exit", "_exit", "_longjmp", "_setjmp", "abort", "abs", "acos", "acosf", "acosh", "acoshf",
    "acoshl", "acosl", "aligned_alloc", "alloca", "asctime", "asin", "asinf", "asinh", "asinhf",
    "asinhl", "asinl", "at_quick_exit", "atan", "atan2", "atan2f", "atan2l", "atanf", "atanh",
    "atanhf", "atanhl", "atanl", "atexit", "atof", "atoi", "atol", "atoll", "bcmp", "bcopy",
    "bsearch", "btowc", "bzero", "cabs", "cabsf", "cabsl", "cacos", "cacosf", "cacosh", "cacoshf",
    "cacoshl", "cacosl", "calloc", "carg", "cargf", "cargl", "casin", "casinf", "casinh",
    "casinhf", "casinhl", "casinl", "catan", "catanf", "catanh", "catanhf", "catanhl", "catanl",
    "cbrt", "cbrtf", "cbrtl", "ccos", "ccosf", "ccosh", "ccoshf", "ccoshl", "ccosl", "ceil",
    "ceilf", "ceill", "cexp", "cexpf", "cexpl", "cimag", "cimagf", "cimagl", "clearerr", "clock",
    "clog", "clogf", "clogl", "close", "conj", "conjf", "conjl", "copysign", "copysignf",
    "copysignl", "cos", "cosf", "cosh", "coshf", "coshl", "cosl", "cpow", "cpowf", "cpowl",
    "cproj", "cprojf", "cprojl", "creal", "crealf", "creall", "csin", "csinf", "csinh", "csinhf",
    "csinhl", "csinl", "csqrt", "csqrtf", "csqrtl", "ctan", "ctanf", "ctanh", "ctanhf", "ctanhl",
    "ctanl", "ctime", "dcgettext", "dgettext", "difftime", "div", "drem", "environ", "erf",
    "erfc", "erfcf", "erfcl", "erff", "erfl", "execl", "execle", "execlp", "execv", "execve",
    "execvp", "exit", "exp", "exp10", "exp2", "exp2f", "exp2l", "expf", "expl", "expm1", "expm1f",
    "expm1l", "fabs", "fabsf", "fabsl", "fclose", "fdim", "fdimf", "fdiml", "feclearexcept",
    "fegetenv", "fegetexceptflag", "fegetround", "feholdexcept", "feof", "feraiseexcept",
    "ferror", "fesetenv", "fesetexceptflag", "fesetround", "fetestexcept", "feupdateenv",
    "fflush", "ffs", "ffsl", "ffsll", "fgetc", "fgetpos", "fgets", "fgetwc", "fgetws", "floor",
    "floorf", "floorl", "fma", "fmaf", "fmal", "fmax", "fmaxf", "fmaxl", "fmin", "fminf", "fminl",
    "fmod", "fmodf", "fmodl", "fopen", "fork", "fprintf", "fprintf_unlocked", "fputc",
    "fputc_unlocked", "fputs", "fputs_unlocked", "fputwc", "fputws", "fread", "free", "freopen",
    "frexp", "frexpf", "frexpl", "fscanf", "fseek", "fsetpos", "ftell", "fwide", "fwprintf",
    "fwrite", "fwrite_unlocked", "fwscanf", "gamma", "getc", "getchar", "getenv", "getpid",
    "gettext", "getwc", "getwchar", "gmtime", "hypot", "hypotf", "hypotl", "ilogb", "ilogbf",
    "ilogbl", "imaxabs", "imaxdiv", "index", "int", "isalnum", "isalpha", "isascii", "isblank",
    "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper",
    "iswalnum", "iswalpha", "iswblank", "iswcntrl", "iswctype", "iswdigit", "iswgraph",
    "iswlower", "iswprint", "iswpunct", "iswspace", "iswupper", "iswxdigit", "isxdigit", "j0",
    "j1", "jn", "kill", "labs", "ldexp", "ldexpf", "ldexpl", "ldiv", "lgamma", "lgamma_r",
    "lgammaf", "lgammal", "llabs", "lldiv", "llrint", "llrintf", "llrintl", "llround", "llroundf",
    "llroundl", "localeconv", "localtime", "log", "log10", "log10f", "log10l", "log1p", "log1pf",
    "log1pl", "log2", "log2f", "log2l", "logb", "logbf", "logbl", "logf", "logl", "longjmp",
    "lrint", "lrintf", "lrintl", "lround", "lroundf", "lroundl", "malloc", "mblen", "mbrlen",
    "mbrtowc", "mbsinit", "mbsrtowcs", "mbstowcs", "mbtowc", "memchr", "memcmp", "memcpy",
    "memmove", "mempcpy", "memset", "mktime", "modf", "modff", "modfl", "nan", "nanf", "nanl",
    "nearbyint", "nearbyintf", "nearbyintl", "nextafter", "nextafterf", "nextafterl",
    "nexttoward", "nexttowardf", "nexttowardl", "open", "perror", "pow", "pow10", "powf", "powl",
    "printf", "printf_unlocked", "putc", "putc_unlocked", "putchar", "putchar_unlocked", "puts",
    "puts_unlocked", "putwc", "putwchar", "qsort", "quick_exit", "raise", "rand", "read",
    "realloc", "remainder", "remainderf", "remainderl", "remove", "remquo", "remquof", "remquol",
    "rename", "rewind", "rindex", "rint", "rintf", "rintl", "round", "roundf", "roundl", "sbrk",
    "scalbln", "scalblnf", "scalblnl", "scalbn", "scalbnf", "scalbnl", "scanf", "setbuf",
    "setjmp", "setlinebuf", "setlocale", "setvbuf", "siglongjmp", "signal", "signbit", "signgam",
    "significand", "sigsetjmp", "sin", "sincos", "sinf", "sinh", "sinhf", "sinhl", "sinl",
    "sizeof", "snprintf", "sprintf", "sqrt", "sqrtf", "sqrtl", "srand", "sscanf", "stpcpy",
    "stpncpy", "strcasecmp", "strcat", "strchr", "strcmp", "strcoll", "strcpy", "strcspn",
    "strdup", "strerror", "strfmon", "strftime", "strlen", "strncasecmp", "strncat", "strncmp",
    "strncpy", "strndup", "strpbrk", "strrchr", "strspn", "strstr", "strtod", "strtof",
    "strtoimax", "strtok", "strtol", "strtold", "strtoll", "strtoul", "strtoull", "strtoumax",
    "strxfrm", "swprintf", "swscanf", "system", "tan", "tanf", "tanh", "tanhf", "tanhl", "tanl",
    "tgamma", "tgammaf", "tgammal", "time", "timespec_get", "tmpfile", "tmpnam", "toascii",
    "tolower", "toupper", "towctrans", "towlower", "towupper", "trunc", "truncf", "truncl",
    "ungetc", "ungetwc", "vfork", "vfprintf", "vfscanf", "vfwprintf", "vfwscanf", "void",
    "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf", "vswprintf", "vswscanf", "vwprintf",
    "vwscanf", "wcrtomb", "wcscat", "wcschr", "wcscmp", "wcscoll", "wcscpy", "wcscspn",
    "wcsftime", "wcslen", "wcsncat", "wcsncmp", "wcsncpy", "wcspbrk", "wcsrchr", "wcsrtombs",
    "wcsspn", "wcsstr", "wcstod", "wcstof", "wcstoimax", "wcstok", "wcstol", "wcstold", "wcstoll",
    "wcstombs", "wcstoul", "wcstoull", "wcstoumax", "wcsxfrm", "wctob", "wctomb", "wctrans",
    "wctype", "wmemchr", "wmemcmp", "wmemcpy", "wmemmove", "wmemset", "wprintf", "write",
    "wscanf", "y0", "y1", "yn",
};
/* clang-format on */

static int compare_names(const void *name, const void *entry)
{
    return strcmp(name, *(const char *const *)entry);
}

bool cw_is_c_library(const char *name)
{
    return strncmp(name, "__", 2) == 0 ||
           bsearch(name, names, sizeof names / sizeof *names, sizeof *names, compare_names) != NULL;
}
