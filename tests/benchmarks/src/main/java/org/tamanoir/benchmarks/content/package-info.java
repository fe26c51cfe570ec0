/** The services of content, each beside a peer or a bound: interest, collect, election, transcode. */
package org.tamanoir.benchmarks.content;
