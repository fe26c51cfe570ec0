package org.tamanoir.fleet.report;

/**
 * Why a node has not taken a part.
 *
 * @param sha256 of the part
 * @param code   {@code EE-501}
 */
public record PartRefusal(String sha256, String code, String message) {
}
