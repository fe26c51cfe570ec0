/** What copies and multicast know of files alike: the names that peers may give them, the marks that they keep, their SHA-256. */
package org.tamanoir.client.file;
