/**
 * What a back end does when a front-end orders another version of a service: leaves, waits for its streams, upgrades, comes back, says how it went. It does
 * all of that by itself, so that a front-end that is gone meanwhile leaves nobody away.
 */
package org.tamanoir.node.cluster.order;
