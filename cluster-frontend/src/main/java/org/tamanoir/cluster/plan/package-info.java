/** What a director is to do, as a value: which virtual services, with which back ends, by which weights. Engines make it so. No I/O. */
package org.tamanoir.cluster.plan;
