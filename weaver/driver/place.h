/* place.h - where a build's server listens, and which builds share one. */
#ifndef CW_DRIVER_PLACE_H
#define CW_DRIVER_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct cw_place_of_server {
    char folder[88], socket[108], lock[112];
} cw_place_of_server;

/* The names for processes like this one. Returns false if this process must not share a server. The
 * folder exists only after cw_place_make(). */
bool cw_place_find(cw_place_of_server *place);

/* Makes the folder. Returns false if it is not a private folder of this user. */
bool cw_place_make(const cw_place_of_server *place);
bool cw_place_is_private(const cw_place_of_server *place);

/* The process with which a server ends: the outermost make, ninja or samu among the parents, else
 * the leader of the session, in the same root folder and namespaces; 0: none. */
pid_t cw_place_build(void);

#endif
