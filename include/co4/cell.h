/* co4/cell.h - a place for one message.
 *
 * A cell is a mailbox (mailbox.h) of capacity one: a put waits until the last value has been taken,
 * a get until there is one. Every function of mailbox.h takes a cell as well; here are their names
 * for it, in four forms each: pausing, try_, _block for threads, each of those that wait also
 * _until a deadline.
 * */
#ifndef CO4_CELL_H
#define CO4_CELL_H

#include "mailbox.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef co4_mailbox co4_cell;

/* As co4_mailbox_create() and co4_mailbox_make(). */
#define co4_cell_create(elem_size)     co4_mailbox_create((elem_size), 1)
#define co4_cell_make(cell, elem_size) co4_mailbox_make((cell), (elem_size), 1)
#define co4_cell_destroy               co4_mailbox_destroy

#define co4_cell_put             co4_mailbox_put
#define co4_cell_try_put         co4_mailbox_try_put
#define co4_cell_put_until       co4_mailbox_put_until
#define co4_cell_put_block       co4_mailbox_put_block
#define co4_cell_put_block_until co4_mailbox_put_block_until
#define co4_cell_get             co4_mailbox_get
#define co4_cell_try_get         co4_mailbox_try_get
#define co4_cell_get_until       co4_mailbox_get_until
#define co4_cell_get_block       co4_mailbox_get_block
#define co4_cell_get_block_until co4_mailbox_get_block_until
#define co4_cell_close           co4_mailbox_close
#define co4_cell_is_closed       co4_mailbox_is_closed
#define co4_cell_source          co4_mailbox_source
#define co4_cell_putting         co4_mailbox_putting

#ifdef __cplusplus
}
#endif

#endif
