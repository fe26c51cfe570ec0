/** Certificates and keys by which programs of Tamanoir know each other: read from PEM files, and read again when they change. */
package org.tamanoir.identity;
