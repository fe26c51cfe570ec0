package org.tamanoir.node.service;

/**
 * What a node says of a service.
 *
 * @param name       null while no source has answered
 * @param version    null while no source has answered
 * @param level      light, middle or heavy; null while no source has answered
 * @param source     where the bundle came from: {@code store} or the URL of a repository; null while that is open
 * @param reason     why it failed, with the code in front; null otherwise
 * @param waitMillis from the first request to active or failed; while it is under way, until now
 * @param streams    streams that use it now
 */
public record ServiceStatus(String typeId, String name, String version, String level, String state, String source, String reason,
                            long waitMillis, String sha256, long streams, long streamsTotal, long packets, long errors) {
}
