/** What neighbours in a space of interest say to each other: frames in the payloads of a stream, without I/O. services/interest/README.md has the format. */
package org.tamanoir.interest.wire;
