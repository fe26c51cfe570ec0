package org.tamanoir.cluster.member;

/**
 * A back end whose reports are refused.
 *
 * @param name     that it says it has
 * @param instance that it says it is
 * @param text     why, with the code: {@code EE-902 …}
 * @param count    of reports that were refused for this
 * @param since    when the first was; nanoseconds
 * @param last     when the last was; nanoseconds
 */
public record Refusal(String name, String instance, String text, long count, long since, long last) {
}
