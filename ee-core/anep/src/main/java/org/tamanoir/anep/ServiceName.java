package org.tamanoir.anep;

import java.util.regex.Pattern;

/**
 * What services may be called, in one place. A trusted publisher's have a simple name, {@code monitoring}. Those of a guest, a publisher who has quotas instead of trust,
 * begin with that guest's label: {@code ~cms/filter}. The first part of a Type ID's range is for the former, the last part for the latter.
 */
public final class ServiceName {
    /** The first Type ID of a guest's service. */
    public static final int FIRST_GUEST_TYPE = 0x5800;
    /** The last one. */
    public static final int LAST_GUEST_TYPE = 0x5FFF;
    /** The last Type ID of other services; the first is the one after {@link Anep#TYPE_CONTROL}. */
    public static final int LAST_TYPE = 0x57FF;
    /** Characters of the longest label. */
    public static final int MOST_LABEL = 63;
    /** Characters of the longest name: tilde, label, slash, simple name. */
    public static final int MOST = 1 + MOST_LABEL + 1 + 64;
    /** A simple name, as a regular expression without groups. */
    public static final String SIMPLE = "[a-z0-9][a-z0-9._-]{0,63}";
    /** A label, as a regular expression without groups. */
    public static final String LABEL = "[a-z0-9][a-z0-9._-]{0,62}";
    /** Any name, as a regular expression without groups. */
    public static final String ANY = "(?:~" + LABEL + "/)?" + SIMPLE;
    /** All services of all guests, as a pattern. */
    public static final String GUESTS = "~*";
    /** {@link #ANY} in words. */
    public static final String FORM = "1 to 64 of a-z, 0-9, '.', '_' and '-', with a letter or digit in front; in front of a guest's ~LABEL/";

    private static final String ALL = "/*";
    private static final Pattern NAME = Pattern.compile(ANY);
    private static final Pattern ONE_LABEL = Pattern.compile(LABEL);

    private ServiceName() {
    }

    /** Whether a service may be called so. Null may not. */
    public static boolean isName(String name) {
        return name != null && NAME.matcher(name).matches();
    }

    /** Whether a guest may have this label. */
    public static boolean isLabel(String label) {
        return label != null && ONE_LABEL.matcher(label).matches();
    }

    /** Whether a name is one for guests alone, whatever else is wrong with it. */
    public static boolean isGuest(String name) {
        return name != null && name.startsWith("~");
    }

    /** Whether a Type ID is one for guests alone. */
    public static boolean isGuestType(int typeId) {
        return typeId >= FIRST_GUEST_TYPE && typeId <= LAST_GUEST_TYPE;
    }

    /** The label in a guest's name: {@code cms} of {@code ~cms/filter}. Null for another name. */
    public static String label(String name) {
        return isGuest(name) && isName(name) ? name.substring(1, name.indexOf('/')) : null;
    }

    /** What stands in front of all names of a guest: {@code ~cms/}. */
    public static String prefix(String label) {
        return "~" + label + "/";
    }

    /** Whether a text names services of guests: {@code ~cms/filter}, all of one guest {@code ~cms/*}, or all of all guests {@code ~*}. */
    public static boolean isPattern(String text) {
        return text.equals(GUESTS) || isGuest(text) && isName(text) || label(text.endsWith(ALL) ? text.substring(0, text.length() - ALL.length()) + "/x" : "") != null;
    }

    /** Whether a service is among those that a {@link #isPattern pattern} names. */
    public static boolean isAmong(String pattern, String name) {
        return pattern.equals(name) || isGuest(name) && (pattern.equals(GUESTS) || pattern.endsWith(ALL) && name.startsWith(pattern.substring(0, pattern.length() - 1)));
    }

    /** All services of a guest, as a pattern. */
    public static String all(String label) {
        return prefix(label) + "*";
    }

    /**
     * A name as one segment of a path, where a slash would begin the next one: {@code ~cms~filter} for {@code ~cms/filter}. No name has a second tilde, so it can be read back.
     * A simple name is as it was.
     */
    public static String segment(String name) {
        return isGuest(name) ? name.replace('/', '~') : name;
    }

    /** The name that {@link #segment} has written. What it has not written is as it was. */
    public static String ofSegment(String segment) {
        int second = isGuest(segment) ? segment.indexOf('~', 1) : -1;
        return second < 0 ? segment : segment.substring(0, second) + "/" + segment.substring(second + 1);
    }
}
