#include "measure.h"

pausable_or_plain int measure(const char *text)
{
    int length = 0;
    while (text[length] != '\0') {
        co4_yield();
        length++;
    }
    return length;
}
