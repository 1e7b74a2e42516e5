/* woven_form.h - what is known of the woven forms of functions: woven_form.c explains it. */
#ifndef CO4_WOVEN_FORM_H
#define CO4_WOVEN_FORM_H

#include <stdbool.h>

#include "base/compiler.h"

/* There was no memory for those of a unit: pointers to its functions lead to their plain forms. */
extern CO4__OWN bool co4__woven_forms_lost;

#endif
