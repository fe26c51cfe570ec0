/** The service {@code cache} beside nginx, before many programs, and under kill -9. */
package org.tamanoir.benchmarks.cache;
