/** What a node offers to the bundles of services. For nodes and repositories; services do not import it. */
package org.tamanoir.service.platform;
