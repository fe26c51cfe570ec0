package org.tamanoir.node.service;

/**
 * What a node says of one version of a service.
 *
 * @param name       null while no source has answered
 * @param version    null while no source has answered
 * @param level      light, middle or heavy; null while no source has answered
 * @param source     where the bundle came from: {@code store}, {@code node HOST:PORT}, {@code pushed} or the URL of a repository; null
 *                   while that is open
 * @param publisher  who signed it; null for nobody, or while that is open
 * @param reason     why it failed or was removed, with the code in front; null otherwise
 * @param advice     what to do about it; null where there is nothing to be done
 * @param waitMillis from the first request to active or failed; while it is under way, until now
 * @param current    whether new streams get it
 * @param streams    streams that use it now
 * @param workers    programs that run for it now
 */
public record ServiceStatus(String typeId, String name, String version, String level, String state, String source, String publisher,
                            String reason, String advice, long waitMillis, String sha256, boolean current, long streams,
                            long streamsTotal, long packets, long errors, int workers) {
}
