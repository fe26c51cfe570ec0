/**
 * What an observatory and its theodolites say to each other, as JSON (docs/observatory.md, "The wire"). Needs the core of Jackson alone, so that a bundle can take
 * it in. Whoever reads leaves out keys that it does not know.
 */
package org.tamanoir.paths.wire;
