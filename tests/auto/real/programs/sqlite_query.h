/* sqlite_query.h - one query of a database whose every read waits a millisecond. */
#ifndef SQLITE_QUERY_H
#define SQLITE_QUERY_H

/* Opens a connection of its own, and asks it. Returns a sum of the rows; -1 for an error. */
extern long sqlite_query(const char *file, int i);
/* Registers the VFS of the name "slow". Returns SQLITE_OK or an error. */
extern int slow_vfs_register(void);
/* The number of reads. */
extern long slow_vfs_reads(void);

#endif
