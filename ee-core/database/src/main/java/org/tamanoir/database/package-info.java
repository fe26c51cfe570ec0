/** Databases of servers: SQLite in a file, or PostgreSQL, by the same statements. */
package org.tamanoir.database;
