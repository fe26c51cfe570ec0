/** What Linux does with files and Java has no names for: the sync of a whole file system, and holes. Where it cannot be had, callers do without. */
package org.tamanoir.transfer.disk;
