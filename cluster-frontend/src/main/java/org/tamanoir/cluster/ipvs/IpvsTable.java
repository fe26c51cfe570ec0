package org.tamanoir.cluster.ipvs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.Transport;

/**
 * What {@code ipvsadm -L -n} has said, in any of its forms (as it is, {@code --stats}, {@code --rate}; always with {@code --exact}): virtual services, each with
 * its words, and the numbers of their real servers. SCTP's services, which are never ours, are passed over.
 *
 * @param services in the order of the list
 */
record IpvsTable(Map<ServiceKey, Service> services) {
    private static final Pattern END = Pattern.compile("(?:\\[([0-9a-fA-F:.]{2,45})]|(\\d{1,3}(?:\\.\\d{1,3}){3})):(\\d{1,5})");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    /**
     * A virtual service.
     *
     * @param words   behind its name: in the plain form {@code wlc persistent 360}
     * @param servers what stands behind each real server: in the plain form {@code Masq 1 0 0}
     */
    record Service(List<String> words, Map<InetSocketAddress, List<String>> servers) {
    }

    /** @throws AnepException EE-907 for what cannot be ipvsadm's */
    static IpvsTable parse(String text) {
        Map<ServiceKey, Service> services = new LinkedHashMap<>();
        Map<InetSocketAddress, List<String>> servers = null;
        for (String line : text.split("\n")) {
            List<String> words = Arrays.stream(line.strip().split("\\s+")).filter(word -> !word.isEmpty()).toList();
            if (words.isEmpty() || line.startsWith("IP Virtual Server") || words.get(0).equals("Prot")
                    || words.size() > 1 && words.get(1).startsWith("RemoteAddress:")) {
                continue;
            }
            switch (words.get(0)) {
                case "TCP", "UDP", "FWM" -> {
                    servers = new LinkedHashMap<>();
                    boolean six = words.size() > 2 && words.get(0).equals("FWM") && words.get(2).equals("IPv6");
                    services.put(key(line), new Service(words.subList(Math.min(words.size(), six ? 3 : 2), words.size()), servers));
                }
                case "SCTP" -> servers = new LinkedHashMap<>();
                case "->" -> {
                    if (servers == null || words.size() < 2) {
                        throw bad(line);
                    }
                    servers.put(end(words.get(1), line), words.subList(2, words.size()));
                }
                default -> throw bad(line);
            }
        }
        return new IpvsTable(services);
    }

    /** What a line of a virtual service names: {@code TCP 10.0.0.1:80 …}, {@code FWM 17 IPv6 …}. @throws AnepException EE-907 */
    static ServiceKey key(String line) {
        String[] words = line.strip().split("\\s+");
        if (words.length < 2) {
            throw bad(line);
        }
        if (words[0].equals("FWM")) {
            return ServiceKey.ofMark(number(words[1], line), words.length > 2 && words[2].equals("IPv6"));
        }
        if (!words[0].equals("TCP") && !words[0].equals("UDP")) {
            throw bad(line);
        }
        InetSocketAddress end = end(words[1], line);
        return ServiceKey.of(Transport.valueOf(words[0]), end.getAddress(), end.getPort());
    }

    /** A number of a real server; 0 if it is not there, such as in a form without it. @param column from 0 */
    long number(ServiceKey key, InetSocketAddress server, int column) {
        Service service = services.get(key);
        List<String> columns = service == null ? null : service.servers().get(server);
        return columns == null || columns.size() <= column ? 0 : number(columns.get(column), columns.toString());
    }

    /** Active and inactive ones of a virtual service; for the plain form. */
    long connections(ServiceKey key) {
        Service service = services.get(key);
        return service == null ? 0 : service.servers().keySet().stream().mapToLong(server -> number(key, server, 2) + number(key, server, 3)).sum();
    }

    /** Whether a real server is in a virtual service. */
    boolean has(ServiceKey key, InetSocketAddress server) {
        return services.containsKey(key) && services.get(key).servers().containsKey(server);
    }

    /** Real servers with their services. */
    List<KeepalivedConf.Place> places() {
        List<KeepalivedConf.Place> places = new ArrayList<>();
        services.forEach((key, service) -> service.servers().keySet().forEach(server -> places.add(new KeepalivedConf.Place(key, server))));
        return places;
    }

    private static InetSocketAddress end(String word, String line) {
        Matcher matcher = END.matcher(word);
        if (!matcher.matches() || Integer.parseInt(matcher.group(3)) > 65_535) {
            throw bad(line);
        }
        if (matcher.group(2) != null && Arrays.stream(matcher.group(2).split("\\.")).anyMatch(octet -> Integer.parseInt(octet) > 255)) {
            throw bad(line);
        }
        try {
            // Four octets, or what stands in brackets: nothing is looked up.
            String literal = matcher.group(1) != null ? "[" + matcher.group(1) + "]" : matcher.group(2);
            return new InetSocketAddress(InetAddress.getByName(literal), Integer.parseInt(matcher.group(3)));
        } catch (UnknownHostException e) {
            throw bad(line);
        }
    }

    private static long number(String word, String line) {
        if (!NUMBER.matcher(word).matches()) {
            throw bad(line);
        }
        return Long.parseLong(word);
    }

    private static AnepException bad(String line) {
        return new AnepException(ErrorCode.DIRECTOR_REFUSED, "ipvsadm says what cannot be read: '" + line.strip() + "'");
    }
}
