/** What DyRAM puts on the wire: messages, their octets, and the tags that keep them honest. {@code docs/dyram.md} has the field tables. */
package org.tamanoir.dyram.wire;
