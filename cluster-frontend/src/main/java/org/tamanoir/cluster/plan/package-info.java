/**
 * What a director is to do, as a value: which virtual services, with which back ends, by which weights; and how it follows from what is wanted
 * ({@link org.tamanoir.cluster.plan.ClusterConfiguration}) and what is there ({@link org.tamanoir.cluster.plan.BackEnd}). Engines make it so. No I/O.
 */
package org.tamanoir.cluster.plan;
