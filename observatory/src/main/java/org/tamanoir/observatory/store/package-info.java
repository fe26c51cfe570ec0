/** What is kept: in one SQLite file, or in PostgreSQL. Whatever goes wrong is EE-783, EE-784 or EE-785. */
package org.tamanoir.observatory.store;
