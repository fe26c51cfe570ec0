/**
 * Who copies what ({@link org.tamanoir.transfer.plan.Dispatch}) and over how many streams ({@link org.tamanoir.transfer.plan.StreamCount}): decisions without
 * I/O, of one thread at a time.
 */
package org.tamanoir.transfer.plan;
