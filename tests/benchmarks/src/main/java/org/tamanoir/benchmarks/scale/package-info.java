/** {@code tamanoir bench scale}: what nodes carry and take as there is more of something. On loopback; needs no root. */
package org.tamanoir.benchmarks.scale;
