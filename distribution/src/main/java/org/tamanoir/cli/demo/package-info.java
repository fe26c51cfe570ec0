/** The parts of {@code tamanoir demo}: servers as processes of their own, a file sent through them, and what was seen of it. */
package org.tamanoir.cli.demo;
