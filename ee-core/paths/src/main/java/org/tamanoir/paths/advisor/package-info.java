/** How large the windows of TCP have to be, and what of the kernel's limits is in their way (DataGRID, sections 4.2.2 and 9.2). */
package org.tamanoir.paths.advisor;
