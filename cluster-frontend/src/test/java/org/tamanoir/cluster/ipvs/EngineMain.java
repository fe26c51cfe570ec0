package org.tamanoir.cluster.ipvs;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.engine.Engine.EngineStatus;

/**
 * An engine in a process of its own, which can be killed, in a namespace or another machine. Arguments: its directory and, for VRRP, the interface, the own
 * address, the peer's, the virtual one, the priority, the interface
 * of synchronisation and the address that back ends answer by, on the same interface. Then one order a line; each answers with one line that begins with
 * {@code =}: {@code apply PLAN} (see {@link Plans}), {@code status}, {@code alive}, {@code counters}, {@code close}.
 */
final class EngineMain {
    private EngineMain() {
    }

    public static void main(String[] arguments) throws Exception {
        Vrrp vrrp = arguments.length < 6 ? null : new Vrrp(arguments[1], 51, Integer.parseInt(arguments[5]), Plans.address(arguments[2]),
                List.of(Plans.address(arguments[3])), Duration.ofMillis(300), addresses(arguments),
                arguments.length < 7 ? null : arguments[6]);
        IpvsSettings settings = new IpvsSettings(Path.of(arguments[0]), CheckerSettings.DEFAULT, vrrp, IpvsSettings.FIRST_MARK, IpvsSettings.MARKS);
        try (IpvsEngine engine = new IpvsEngine(settings, Ipvs.check().why())) {
            System.out.println("= ready");
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
            for (String order = orders.readLine(); order != null && !order.equals("close"); order = orders.readLine()) {
                System.out.println("= " + answer(engine, order));
            }
        } catch (AnepException e) {
            System.out.println("= " + e.getMessage());
        }
        System.out.println("= closed");
        System.exit(0);
    }

    private static List<VirtualAddress> addresses(String[] arguments) {
        VirtualAddress virtual = VirtualAddress.of(Plans.address(arguments[4]));
        return arguments.length < 8 ? List.of(virtual) : List.of(virtual, new VirtualAddress(Plans.address(arguments[7]), 24, arguments[6]));
    }

    private static String answer(IpvsEngine engine, String order) {
        try {
            if (order.startsWith("apply ")) {
                long start = System.nanoTime();
                engine.apply(Plans.parse(order.substring(6)));
                return "applied in " + (System.nanoTime() - start) / 1_000_000 + " ms";
            }
            return switch (order) {
                case "status" -> {
                    EngineStatus status = engine.status();
                    yield status.role() + " carries=" + status.carries() + " problem=" + status.problem();
                }
                case "alive" -> String.join(" ", engine.alive());
                case "counters" -> engine.counters().toString();
                default -> "no order: " + order;
            };
        } catch (AnepException e) {
            return e.getMessage();
        }
    }
}
