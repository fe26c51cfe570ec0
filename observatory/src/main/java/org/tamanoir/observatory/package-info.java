/**
 * The observatory's server (docs/observatory.md): keeps topology, plan and samples, tells theodolites what to do, and answers what paths cost.
 *
 * <p>{@code api} speaks HTTP and uses {@code live}, which knows what is going on and uses {@code store}, the database. {@code publish} gives samples to others.
 */
package org.tamanoir.observatory;
