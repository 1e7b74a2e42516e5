/* board.h - the little that the program sees of a board: a light, a sensor, a line of text in and
 * out, the end. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>

void board_start(void);    /* the clock and the console; first of all */
void board_light(bool on); /* counts its changes, too */
unsigned board_light_changes(void);
int board_sensor(void); /* a measurement, in hundredths of a degree */
void board_print(const char *text);
int board_key(void);         /* a character from the console; -1: none has come */
void board_wait(void);       /* until the next interrupt */
long long board_ticks(void); /* milliseconds since the start */
void board_exit(int status);

#endif
