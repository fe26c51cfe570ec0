package org.tamanoir.anep;

/** Makes the texts of strangers harmless for a log or a terminal. Every {@link AnepException} and every log line goes through here. */
public final class PlainText {
    private PlainText() {
    }

    /**
     * The same text on one line: a blank for each tab and line break, a question mark for each other character that a terminal obeys or
     * does not show (control and format characters such as escapes and changes of direction, and halves of surrogate pairs).
     */
    public static String of(String text) {
        if (text == null || text.chars().allMatch(PlainText::isPrintableAscii)) {
            return text;
        }
        StringBuilder plain = new StringBuilder(text.length());
        text.codePoints().forEach(point -> plain.appendCodePoint(replaced(point)));
        return plain.toString();
    }

    private static boolean isPrintableAscii(int c) {
        return c >= ' ' && c <= '~';
    }

    private static int replaced(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL -> Character.isWhitespace(point) ? ' ' : '?';
            case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> ' ';
            case Character.FORMAT, Character.SURROGATE -> '?';
            default -> point;
        };
    }
}
