/** What a copy and a mover say to each other ({@link org.tamanoir.transfer.wire.Message}), and how it goes over a stream ({@link org.tamanoir.transfer.wire.MessageStream}). */
package org.tamanoir.transfer.wire;
