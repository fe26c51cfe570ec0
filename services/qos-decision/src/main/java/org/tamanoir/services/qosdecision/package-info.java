/**
 * Which class a flow gets: {@link org.tamanoir.services.qosdecision.Decision} asks {@link org.tamanoir.services.qosdecision.Ranking} what the
 * measurements say now, and {@link org.tamanoir.services.qosdecision.Hysteresis} whether that is a reason to change.
 */
package org.tamanoir.services.qosdecision;
