/**
 * The rolling upgrade of a cluster: one back end after the other gets the order to change the version of a service, and only while all others of its pool
 * are there. Decides from what members report, without I/O; the orders travel in the answers to reports.
 */
package org.tamanoir.cluster.upgrade;
