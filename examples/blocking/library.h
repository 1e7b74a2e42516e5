/* library.h - a sensor that takes a second to answer. */
#ifndef LIBRARY_H
#define LIBRARY_H

int ask_sensor(int number);

#endif
