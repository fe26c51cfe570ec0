/** What a proxy adds to the set-up of a stream. */
package org.tamanoir.benchmarks.proxy;
