/**
 * Which transfers run when: {@link org.tamanoir.transfer.queue.TransferQueue} decides without I/O and without a clock, {@link org.tamanoir.transfer.queue.Forecast}
 * says whether a deadline will be met. Times are milliseconds since 1970. Of one thread at a time.
 */
package org.tamanoir.transfer.queue;
