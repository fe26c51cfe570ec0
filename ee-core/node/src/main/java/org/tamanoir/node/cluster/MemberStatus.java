package org.tamanoir.node.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Welcome;
import org.tamanoir.node.cluster.virtual.VirtualSetup;
import org.tamanoir.node.transport.TcpSockets;

/**
 * How a back end is, for operators.
 *
 * @param state     {@code serving}, {@code leaving} or {@code stopping}
 * @param address   where directors send streams to
 * @param health    where it answers their checks
 * @param check     what it answers: {@code ok}, or another word and why
 * @param frontends each of them, in the order of the configuration
 * @param virtual   what the machine is set up for, a line each
 * @param problems  what is wrong, with a code each; empty if nothing is
 * @param load      as it is reported
 * @param order     how far it is with the last order of a front-end; null if it had none
 */
public record MemberStatus(String name, String instance, String pool, String state, String address, String health, String check,
                           List<FrontendStatus> frontends, List<String> virtual, List<String> problems, Load load, Outcome order) {
    /**
     * How a front-end has this node.
     *
     * @param name     that it calls itself; null before it has answered
     * @param standing {@code in}, {@code unchecked}, {@code down}, {@code held}, {@code draining}, or {@code unknown} while it does not take reports
     * @param why      of a standing other than {@code in}; of {@code unknown} with its code
     * @param since    when this began
     * @param method   how it forwards; null before it has answered
     * @param services virtual addresses with their ports
     * @param reports  that it has taken
     * @param failed   reports that it has not taken
     */
    public record FrontendStatus(String url, String name, String standing, String why, String since, String method, List<String> services,
                                 long reports, long failed) {
        static FrontendStatus of(Frontend frontend) {
            FrontendContact.View view = frontend.contact().view();
            Welcome welcome = view.welcome();
            boolean stands = view.standing() != null;
            return new FrontendStatus(frontend.url(), welcome == null ? null : welcome.frontend(), stands ? lower(welcome.standing()) : "unknown",
                    stands ? welcome.why() : view.failure() == null ? "it has not answered yet" : view.failure().getMessage(),
                    Instant.now().minusNanos(System.nanoTime() - view.sinceNanos()).truncatedTo(ChronoUnit.SECONDS).toString(),
                    welcome == null ? null : lower(welcome.method()),
                    welcome == null ? List.of() : welcome.services().stream().map(each -> text(each.address(), each.port())).toList(),
                    view.taken(), view.failed());
        }
    }

    static MemberStatus of(ClusterSettings settings, String instance, int port, InetSocketAddress health, String state, Health check,
                           List<Frontend> frontends, VirtualSetup setup, Load load, Outcome order) {
        List<FrontendStatus> each = frontends.stream().map(FrontendStatus::of).toList();
        List<String> problems = new ArrayList<>(setup.problems());
        if (frontends.stream().noneMatch(frontend -> frontend.contact().answers())) {
            problems.add(0, new AnepException(ErrorCode.NO_FRONTEND, "no front-end takes this node's reports; it gets new streams only from directors "
                    + "that have it already").getMessage());
        }
        return new MemberStatus(settings.name(), instance, settings.pool(), state, text(settings.address(), port), TcpSockets.text(health),
                check.why() == null ? check.word() : check.word() + ": " + check.why(), each, setup.state(), List.copyOf(problems), load, order);
    }

    private static String text(InetAddress address, int port) {
        return TcpSockets.text(new InetSocketAddress(address, port));
    }

    private static String text(String address, int port) {
        return (address.indexOf(':') < 0 ? address : "[" + address + "]") + ":" + port;
    }

    private static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }
}
