/** Files that outlast a crash. */
package org.tamanoir.anep.disk;
