package org.tamanoir.http.fetch;

/**
 * One server-sent event.
 *
 * @param name what the server calls this kind of event; {@code message} if it says nothing
 * @param data text; its lines are separated by a line feed
 */
public record Event(String name, String data) {
}
