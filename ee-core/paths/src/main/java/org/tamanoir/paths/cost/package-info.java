/**
 * What a transfer from one host to another costs, by what was measured: {@link org.tamanoir.paths.cost.TransferTime} (DataGRID, sections 5.2.3 and 10.1),
 * {@link org.tamanoir.paths.cost.Closeness} (section 5.2.1) and {@link org.tamanoir.paths.cost.NetCost} (GlueDomains, section 5.1), side by side. Every answer
 * says by which samples, how old they are, and by which rule they were chosen.
 */
package org.tamanoir.paths.cost;
