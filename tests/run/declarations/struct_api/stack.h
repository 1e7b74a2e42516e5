#ifndef STACK_H
#define STACK_H

#include <co4.h>

struct stack;
struct item {
    double value;
    char name[20];
};
typedef pausable struct item filter(struct item);

struct stack *stack_create(filter *change);
void stack_destroy(struct stack *s);
int stack_is_empty(const struct stack *s);
pausable int stack_push(struct stack *s, struct item i);
pausable struct item stack_pop(struct stack *s);

#endif
