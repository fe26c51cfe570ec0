package org.tamanoir.services.cache.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The head of a message: what stands in its first line, and its fields in their order. A request has method, target and version in
 * {@code first}, {@code second} and {@code third}, an answer version, status and reason.
 */
public record Head(String first, String second, String third, List<Field> fields) {
    private static final String VERSION = "HTTP/1.1";
    private static final String OLD_VERSION = "HTTP/1.0";

    public Head {
        fields = List.copyOf(fields);
    }

    /** An answer of this program. */
    public static Head answer(int status, String reason, List<Field> fields) {
        return new Head(VERSION, Integer.toString(status), reason, fields);
    }

    /** Reads a head that ends with an empty line, which need not be among the octets. */
    static Head read(byte[] octets, int length, boolean isAnswer) throws NotUnderstoodException {
        String[] lines = new String(octets, 0, length, ISO_8859_1).split("\r\n", -1);
        String[] parts = lines[0].split(" ", 3);
        if (parts.length < (isAnswer ? 2 : 3)) {
            throw new NotUnderstoodException("a first line of " + parts.length + " words");
        }
        Head head = new Head(parts[0], parts[1], parts.length == 3 ? parts[2] : "",
                fields(Arrays.asList(lines).subList(1, lines.length)));
        if (isAnswer) {
            head.checkAnswer();
        } else {
            head.checkRequest();
        }
        return head;
    }

    private static List<Field> fields(List<String> lines) throws NotUnderstoodException {
        List<Field> fields = new ArrayList<>();
        for (String line : lines) {
            if (line.isEmpty()) {
                break;
            }
            int colon = line.indexOf(':');
            if (colon < 1 || !isToken(line.substring(0, colon))) {
                throw new NotUnderstoodException("a line that is no field");
            }
            fields.add(new Field(line.substring(0, colon), line.substring(colon + 1).strip()));
        }
        return fields;
    }

    private void checkRequest() throws NotUnderstoodException {
        if (!third.equals(VERSION) || !isToken(first)) {
            throw new NotUnderstoodException("a request of another version: " + third);
        }
        if (!second.startsWith("/") || second.chars().anyMatch(letter -> letter <= ' ' || letter >= 0x7F)) {
            throw new NotUnderstoodException("a target that is no path");
        }
        if (all("host").size() != 1) {
            throw new NotUnderstoodException(all("host").size() + " fields Host");
        }
    }

    private void checkAnswer() throws NotUnderstoodException {
        if (!first.equals(VERSION) && !first.equals(OLD_VERSION) || !second.matches("[1-9][0-9][0-9]")) {
            throw new NotUnderstoodException("an answer of another kind");
        }
    }

    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(letter -> letter > ' ' && letter < 0x7F && "\"(),/:;<=>?@[\\]{}".indexOf(letter) < 0);
    }

    public int status() {
        return Integer.parseInt(second);
    }

    public String method() {
        return first;
    }

    public String target() {
        return second;
    }

    /** The values of all fields of a name, in their order. */
    public List<String> all(String name) {
        return fields.stream().filter(field -> field.is(name)).map(Field::value).toList();
    }

    /** The values of a field that is a list, joined as one; null if there is none. */
    public String value(String name) {
        List<String> all = all(name);
        return all.isEmpty() ? null : String.join(", ", all);
    }

    public boolean has(String name) {
        return fields.stream().anyMatch(field -> field.is(name));
    }

    /** Whether a field that is a list of words has one, whatever the case of its letters. */
    public boolean names(String field, String word) {
        String value = value(field);
        return value != null && Arrays.stream(value.split(",")).anyMatch(each -> each.strip().equalsIgnoreCase(word));
    }

    /** Whether the connection is over with the answer (RFC 9112, section 9.3). */
    public boolean closes() {
        return names("connection", "close") || first.equals(OLD_VERSION) && !names("connection", "keep-alive");
    }

    /** The same head without some fields. */
    public Head without(String... names) {
        List<String> gone = Arrays.stream(names).map(name -> name.toLowerCase(Locale.ROOT)).toList();
        return new Head(first, second, third, fields.stream().filter(field -> !gone.contains(field.name().toLowerCase(Locale.ROOT))).toList());
    }

    /** The same head with a field behind the others. */
    public Head with(String name, String value) {
        List<Field> more = new ArrayList<>(fields);
        more.add(new Field(name, value));
        return new Head(first, second, third, more);
    }

    /** As it goes on the wire, with the empty line. */
    public byte[] octets() {
        return fields.stream().map(field -> field.name() + ": " + field.value() + "\r\n")
                .collect(Collectors.joining("", first + " " + second + " " + third + "\r\n", "\r\n")).getBytes(ISO_8859_1);
    }
}
