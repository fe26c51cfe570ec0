/** Reads topologies and plans that people have written: our YAML, and templates of perfSONAR's pSConfig. Every error is EE-780 and names the field. */
package org.tamanoir.paths.file;
