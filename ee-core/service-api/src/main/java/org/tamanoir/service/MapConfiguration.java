package org.tamanoir.service;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The options of a service from a map: what a node hands over, and what a test does.
 *
 * <pre>{@code
 * Configuration options = new MapConfiguration("compression", Map.of("level", 9));
 * }</pre>
 */
public final class MapConfiguration implements Configuration {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h)");

    private static final Pattern ADDRESS = Pattern.compile("(?:\\[([0-9a-fA-F:.]+)\\]|([0-9.]+)):(\\d{1,5})");

    private static final Duration LONGEST = Duration.ofDays(24);

    private final String owner;
    private final Map<String, Object> values;
    private final ErrorCode wrong;
    private final Set<String> asked = ConcurrentHashMap.newKeySet();

    /** @param owner who is named in errors */
    public MapConfiguration(String owner, Map<String, ?> values) {
        this(owner, values, ErrorCode.BAD_CONFIGURATION);
    }

    /** @param wrong the code of what is wrong with a value or a name */
    public MapConfiguration(String owner, Map<String, ?> values, ErrorCode wrong) {
        this.owner = owner;
        this.values = Map.copyOf(values);
        this.wrong = wrong;
    }

    @Override
    public String text(String name, String preset) {
        asked.add(name);
        Object value = values.get(name);
        return value == null ? preset : value.toString();
    }

    @Override
    public String choice(String name, String preset, List<String> allowed) {
        String value = text(name, preset);
        if (!allowed.contains(value)) {
            throw bad(name, value, "one of " + String.join(", ", allowed));
        }
        return value;
    }

    @Override
    public int integer(String name, int preset, int least, int most) {
        String value = text(name, Integer.toString(preset));
        try {
            int number = Integer.parseInt(value.trim());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw bad(name, value, "a whole number from " + least + " to " + most);
    }

    @Override
    public boolean flag(String name, boolean preset) {
        String value = text(name, Boolean.toString(preset));
        if (!value.equals("true") && !value.equals("false")) {
            throw bad(name, value, "true or false");
        }
        return value.equals("true");
    }

    @Override
    public Duration duration(String name, Duration preset) {
        asked.add(name);
        Object value = values.get(name);
        if (value == null) {
            return preset;
        }
        try {
            return parseDuration(owner + ": " + name, value.toString());
        } catch (AnepException e) {
            throw new AnepException(wrong, e.text(), e);
        }
    }

    /** Reads {@code 250ms}, {@code 10s}, {@code 5m}, {@code 1h}. */
    public static Duration parseDuration(String what, String text) {
        Matcher match = DURATION.matcher(text.trim());
        if (!match.matches()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, what + " is '" + text + "'; it must be a time such as 250ms, 10s, 5m or 1h");
        }
        long number = Long.parseLong(match.group(1));
        Duration time = switch (match.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
        if (time.compareTo(LONGEST) > 0) {
            // Also because nanoseconds of it, and milliseconds of some in an int, must fit.
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, what + " is '" + text + "'; the longest time is " + LONGEST.toHours() + "h");
        }
        return time;
    }

    @Override
    public List<InetSocketAddress> addresses(String name) {
        List<InetSocketAddress> all = new ArrayList<>();
        for (String each : text(name, "").split("[\\s,]+")) {
            if (each.isEmpty()) {
                continue;
            }
            InetSocketAddress address = address(each);
            if (address == null) {
                throw bad(name, each, "an address and a port, such as 10.0.1.1:3322 or [2001:db8::1]:3322");
            }
            all.add(address);
        }
        return List.copyOf(all);
    }

    /** Reads {@code 10.0.1.1:3322} or {@code [2001:db8::1]:3322}; null for anything else. */
    public static InetSocketAddress address(String text) {
        Matcher match = ADDRESS.matcher(text);
        byte[] host = match.matches() ? NetUtil.createByteArrayFromIpAddressString(match.group(1) != null ? match.group(1) : match.group(2)) : null;
        int port = host == null ? 0 : Integer.parseInt(match.group(3));
        try {
            return port < 1 || port > 0xFFFF ? null : new InetSocketAddress(InetAddress.getByAddress(host), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Set<String> names() {
        return new TreeSet<>(values.keySet());
    }

    /**
     * Checks that there is no option which nobody has asked for: a name that is misspelt would otherwise do nothing, silently.
     *
     * @throws AnepException EE-501 that names the first of them
     */
    public void checkAllAsked() {
        for (String name : names()) {
            if (!asked.contains(name)) {
                throw new AnepException(wrong, owner + ": there is no '" + name + "'; there " + (asked.isEmpty() ? "are none" : "are " + String.join(", ", new TreeSet<>(asked))));
            }
        }
    }

    private AnepException bad(String name, String value, String wanted) {
        return new AnepException(wrong, owner + ": " + name + " is '" + value + "'; it must be " + wanted);
    }
}
