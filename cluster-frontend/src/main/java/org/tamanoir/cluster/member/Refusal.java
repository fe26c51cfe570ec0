package org.tamanoir.cluster.member;

/**
 * A back end whose reports are refused.
 *
 * @param name  that it says it has
 * @param text  why, with the code: {@code EE-902 …}
 * @param count of reports that were refused for this
 * @param since when the first was; nanoseconds
 * @param last  when the last was; nanoseconds
 */
public record Refusal(String name, String text, long count, long since, long last) {
}
