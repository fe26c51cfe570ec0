/** Members of groups that do collective operations through the service {@code collect}. */
package org.tamanoir.client.collective;
