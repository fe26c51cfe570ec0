package org.tamanoir.cluster.nft;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Rules of others that translate a virtual address too, found in what {@code nft list ruleset} prints. They are told of and not touched. No I/O. */
final class Foreign {
    private static final Pattern TABLE = Pattern.compile("^table (\\S+ \\S+) \\{.*");
    private static final Pattern TRANSLATES = Pattern.compile(".*\\b(dnat|redirect|tproxy)\\b.*");
    private static final int MOST = 3;
    private static final int LONGEST = 160;

    private Foreign() {
    }

    /** What each says, with its table in front: at most three of them. */
    static List<String> translations(String ruleset, Collection<InetAddress> virtual) {
        if (virtual.isEmpty()) {
            return List.of();
        }
        Pattern address = Pattern.compile(virtual.stream().flatMap(each -> Foreign.forms(each).stream()).map(Pattern::quote)
                .collect(Collectors.joining("|", "(?<![0-9a-f.:])(", ")(?![0-9a-f:]|\\.[0-9])")));
        List<String> found = new ArrayList<>();
        String table = "";
        for (String line : (Iterable<String>) ruleset.lines()::iterator) {
            var head = TABLE.matcher(line);
            if (head.matches()) {
                table = head.group(1);
            } else if (!table.equals(Rules.TABLE) && TRANSLATES.matcher(line).matches() && address.matcher(line).find() && found.size() < MOST) {
                String rule = line.strip();
                found.add("table " + table + ": " + (rule.length() > LONGEST ? rule.substring(0, LONGEST) + "…" : rule));
            }
        }
        return found;
    }

    /** An IPv6 address as Java writes it and as inet_ntop(3) does, which nft(8) uses: the longest run of zeros shortened (RFC 5952). */
    private static List<String> forms(InetAddress address) {
        String text = Names.text(address);
        if (text.indexOf(':') < 0) {
            return List.of(text);
        }
        String best = "";
        var runs = Pattern.compile("(?:^|:)0(?::0)+(?=:|$)").matcher(text);
        while (runs.find()) {
            best = runs.group().length() - (runs.group().startsWith(":") ? 1 : 0) > best.length() - (best.startsWith(":") ? 1 : 0) ? runs.group() : best;
        }
        if (best.isEmpty()) {
            return List.of(text);
        }
        int at = text.indexOf(best);
        String tail = text.substring(at + best.length());
        return List.of(text, text.substring(0, at) + "::" + (tail.startsWith(":") ? tail.substring(1) : tail));
    }
}
