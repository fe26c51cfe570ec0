/** Which domain a host belongs to, where that is, and what its traffic has in common with that of others. */
package org.tamanoir.paths.topology;
