/** What a TCP connection did over a minute, in few octets. */
package org.tamanoir.paths.series;
