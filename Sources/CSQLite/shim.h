#ifndef SATCHEL_CSQLITE_SHIM_H
#define SATCHEL_CSQLITE_SHIM_H

#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast, which Swift cannot import; and an empty text may have no address,
   which would bind null. */
static inline int satchel_bind_text(sqlite3_stmt *stmt, int index, const char *text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(stmt, index, text ? text : "", length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void satchel_result_text(sqlite3_context *context, const char *text, sqlite3_uint64 length) {
    sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Variadic functions are not imported either. */
static inline int satchel_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static inline int satchel_no_checkpoint_on_close(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
