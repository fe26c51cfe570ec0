package org.tamanoir.cluster.ipvs;

import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.pollinterval.IterativePollInterval;
import org.awaitility.pollinterval.PollInterval;
import org.tamanoir.lab.Caller;
import org.tamanoir.lab.ClusterTestbed;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Director;
import org.tamanoir.lab.Greeter;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Port;
import org.tamanoir.lab.TunnelEnd;
import org.tamanoir.membership.Welcome.Method;

/** Back ends that say their names and answer for their health, and engines that run in directors with a real IPVS. */
final class DirectedCluster implements AutoCloseable {
    static final int PORT = 3322;
    static final int HEALTH = 8322;
    static final Duration PATIENCE = Duration.ofSeconds(90);
    /** Each look is two processes of a director, which cost many times what they cost elsewhere. */
    private static final PollInterval LESS_AND_LESS = new IterativePollInterval(pause -> pause.compareTo(Duration.ofMillis(300)) < 0
            ? pause.multipliedBy(3).dividedBy(2) : pause, Duration.ofMillis(50));
    private static final int MEGABYTES = 384;

    final ClusterTestbed testbed;
    private final Method method;
    private final Map<Integer, Closeable> backEnds = new HashMap<>();
    private final List<TunnelEnd> tunnels = new ArrayList<>();
    private final Set<Integer> unwell = ConcurrentHashMap.newKeySet();
    private final Map<Director, Integer> answers = new HashMap<>();

    DirectedCluster(int count, Method method) throws Exception {
        // Its kernel has no nftables for IP.
        DebianPackages.require("iptables-legacy", "iptables");
        this.method = method;
        testbed = ClusterTestbed.open(count);
        if (method != Method.NAT) {
            testbed.answerByRouter();
            testbed.putOnBackEnds(virtual());
        }
        if (method == Method.TUNNEL) {
            testbed.backEnds().forEach(port -> tunnels.add(TunnelEnd.open(port.host())));
        }
        for (int i = 1; i <= count; i++) {
            startBackEnd(i);
        }
    }

    /** At every address with address translation, and else at the virtual one: answers over UDP leave with the address that the socket has. */
    void startBackEnd(int number) throws Exception {
        Host host = testbed.backEnd(number).host();
        Greeter greeter = Greeter.start(host, method == Method.NAT ? new InetSocketAddress(PORT) : new InetSocketAddress(virtual(), PORT));
        HttpServer health = host.inside(() -> HttpServer.create(new InetSocketAddress(HEALTH), 64));
        health.createContext("/health", exchange -> {
            exchange.sendResponseHeaders(unwell.contains(number) ? 503 : 200, -1);
            exchange.close();
        });
        health.start();
        backEnds.put(number, () -> {
            health.stop(0);
            greeter.close();
        });
    }

    /** Whether the check of a back end that serves all the same is answered well. */
    void setWell(int number, boolean well) {
        if (well) {
            unwell.remove(number);
        } else {
            unwell.add(number);
        }
    }

    /** As kill -9: ports refuse, connections end. */
    void killBackEnd(int number) throws IOException {
        backEnds.remove(number).close();
    }

    /** Starts an engine in a director. @param arguments of {@link EngineMain} behind the directory */
    String engine(Director director, String... arguments) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        director.run("mkdir -p /run/tmp; rm -f /run/orders /run/answers; mkfifo /run/orders; : >/run/answers\n"
                + "(" + java + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=5 -XX:-UsePerfData -Xmx96m -Djava.io.tmpdir=/run/tmp -cp "
                + System.getProperty("java.class.path") + " " + EngineMain.class.getName() + " /run/tamanoir " + String.join(" ", arguments)
                + " </run/orders >/run/answers 2>&1 & echo $! >/run/engine.pid)\n"
                // Somebody has the pipe open for writing until the end, or the engine would see its end with the first order.
                + "(sleep 100000 >/run/orders </run/answers 2>/run/tmp/none & echo $! >/run/holder.pid)", PATIENCE);
        answers.put(director, 0);
        return answer(director);
    }

    String ask(Director director, String order) {
        director.run("printf '%s\\n' '" + order + "' >/run/orders", PATIENCE);
        return answer(director);
    }

    String answer(Director director) {
        int before = answers.merge(director, 1, Integer::sum) - 1;
        List<String> lines = new ArrayList<>();
        await(PATIENCE).until(() -> {
            lines.clear();
            director.run("grep '^= ' /run/answers || true", PATIENCE).lines().forEach(lines::add);
            return lines.size() > before;
        });
        return lines.get(before).substring(2);
    }

    /** Waits for what a director does or says. */
    static ConditionFactory await(Duration patience) {
        return Awaitility.await().atMost(patience).pollInterval(LESS_AND_LESS);
    }

    void killEngine(Director director) {
        director.run("kill -9 $(cat /run/engine.pid) $(cat /run/holder.pid)");
    }

    Director boot(int number) {
        return testbed.boot(number, MEGABYTES);
    }

    /** Gives a director that stands alone what clients and back ends look for. */
    void giveAddresses(Director director) {
        director.run("ip address add " + virtual().getHostAddress() + "/32 dev vec0; ip address add " + testbed.gateway().getHostAddress() + "/24 dev vec1");
    }

    InetAddress virtual() {
        return testbed.virtual(1);
    }

    /** A plan. @param weights of the back ends from the first on; -1 for one that is not in it */
    String plan(int persistence, int... weights) {
        StringBuilder text = new StringBuilder();
        for (String transport : List.of("TCP", "UDP")) {
            text.append(text.isEmpty() ? "" : " ").append(transport).append(',').append(virtual().getHostAddress()).append(",3322,").append(method)
                    .append(",WRR,").append(persistence);
            for (int i = 0; i < weights.length; i++) {
                if (weights[i] > 0 || weights[i] == 0 && transport.equals("TCP")) {
                    Port port = testbed.backEnd(i + 1);
                    text.append(",backend").append(i + 1).append('=').append(port.ipv4().getHostAddress()).append("/3322/").append(weights[i])
                            .append('/').append(HEALTH);
                }
            }
        }
        return text.toString();
    }

    Map<String, Integer> count(boolean udp, int times) throws Exception {
        return Caller.count(testbed.client().host(), new InetSocketAddress(virtual(), PORT), udp, times);
    }

    Caller tcp() throws Exception {
        return Caller.tcp(testbed.client().host(), new InetSocketAddress(virtual(), PORT));
    }

    Caller udp() throws Exception {
        return Caller.udp(testbed.client().host(), new InetSocketAddress(virtual(), PORT));
    }

    /** Whether a connection is greeted. */
    boolean serves() throws Exception {
        try (Caller caller = tcp()) {
            caller.name();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        for (Closeable each : backEnds.values()) {
            each.close();
        }
        tunnels.forEach(TunnelEnd::close);
        testbed.close();
    }
}
