package org.tamanoir.services.qosinus;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.spec.LevelWriter;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Answer;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.qos.wire.Messages.Request;
import org.tamanoir.qos.wire.Messages.Stop;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.qos.Segment;
import org.tamanoir.service.qos.ServiceLevel;
import org.tamanoir.service.qos.ServiceLevel.Excess;
import org.tamanoir.service.qos.ServiceLevel.Flow;
import org.tamanoir.service.qos.ServiceLevel.Transfer;
import org.tamanoir.service.rule.Prefix;

/** Who may have which session: takes requests, or refuses them with a code, and does what they ask. Safe for all threads. */
final class Registrar {
    private final ServiceContext service;
    private final SessionTable table;
    private final SessionStore store;
    private final Controller controller;
    private final Counters counters;
    private final Events events;

    Registrar(ServiceContext service, SessionTable table, SessionStore store, Controller controller, Counters counters, Events events) {
        this.service = service;
        this.table = table;
        this.store = store;
        this.controller = controller;
        this.counters = counters;
        this.events = events;
    }

    Counters counters() {
        return counters;
    }

    /** This node, as it stands in paths. */
    Stop self(int hops) {
        return new Stop(service.node().name(), service.node().address(), service.probes().reflector(), Math.max(0, hops));
    }

    /**
     * Takes a request; nothing has changed yet.
     *
     * @return what is passed on: with a code, with what the flow did not say of itself, and with this node in the path
     * @throws AnepException EE-410, 801, 802, 804, 805, 806
     */
    Request accept(Request request, Stop self, StreamContext stream) {
        checkCurrent();
        InetAddress source = stream.source().getAddress();
        if (!controller.settings().allows(source)) {
            throw new AnepException(ErrorCode.QOS_NOT_ALLOWED, "node " + self.node() + " opens no sessions for " + source.getHostAddress());
        }
        boolean first = request.path().isEmpty();
        if (!first && !stream.isFromPeer()) {
            // A path makes the sender a node, with a larger quota and a session of its choice.
            throw new AnepException(ErrorCode.QOS_NOT_ALLOWED, "node " + self.node() + " believes no path of " + source.getHostAddress()
                    + ", which is not among its peers");
        }
        if (request.path().size() >= Request.MOST_STOPS || request.path().stream().anyMatch(stop -> stop.node().equals(self.node()))) {
            throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, "path comes back to node " + self.node());
        }
        Session known = request.session() == 0 ? null : table.find(request.session());
        if (request.op() != Op.OPEN && known == null && table.isIncomplete()) {
            throw new AnepException(ErrorCode.BUSY, "node " + self.node() + " still reads its sessions; ask again");
        }
        if (first && request.op() != Op.OPEN && known == null) {
            throw new AnepException(ErrorCode.NO_QOS_SESSION, "node " + self.node() + " knows no session " + Messages.hex(request.session()));
        }
        if (first && request.op() == Op.OPEN && request.session() != 0) {
            throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, "session is given by the first node, not by who asks");
        }
        ServiceLevel level = request.level() == null ? null : completed(request.level(), stream, first);
        if (level != null) {
            check(level, self, stream);
            if (known == null) {
                table.check(source, level.flow(), first);
            }
        }
        List<Stop> path = new ArrayList<>(request.path());
        path.add(self);
        return new Request(request.op(), request.number(), request.session() == 0 ? table.newCode() : request.session(), level,
                request.patienceMs(), path);
    }

    /** Sessions that are opened in a version which has handed over would be none of the next one's. */
    private void checkCurrent() {
        if (controller.isRetired()) {
            throw new AnepException(ErrorCode.BUSY, "another version of qosinus takes over; ask again");
        }
    }

    private void check(ServiceLevel level, Stop self, StreamContext stream) {
        if (level.flow().destination() != null && !level.flow().destination().contains(stream.destination().getAddress())) {
            throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, "flow.destination is " + level.flow().destination()
                    + ", and the request goes to " + stream.destination().getAddress().getHostAddress());
        }
        if (level.stop() != null && level.stop().toEpochMilli() <= System.currentTimeMillis()) {
            throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, "schedule.stop is " + level.stop() + ", which is over");
        }
        Transfer transfer = level.objectives().transfer();
        if (transfer != null && transfer.by() != null && transfer.by().toEpochMilli() <= System.currentTimeMillis()) {
            throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, "objectives.by is " + transfer.by() + ", which is over");
        }
        if (level.excess() instanceof Excess.Remark remark && controller.settings().named(remark.className()) == null) {
            throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, "excess remarks to " + remark.className() + ", which is no class of node "
                    + self.node());
        }
        if (stream.position().isFirst() && level.ingress() != null && !level.ingress().equals(self.node())) {
            throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, "scope.ingress is " + level.ingress() + ", and the flow enters at " + self.node());
        }
        if (stream.position().isLast() && !level.egress().isEmpty() && !level.egress().contains(self.node())) {
            throw new AnepException(ErrorCode.BAD_SERVICE_LEVEL, "scope.egress does not name " + self.node() + ", where the flow leaves");
        }
    }

    /** What the flow did not say of itself is what the request says: from the host that asks, to the host that it goes to. */
    private static ServiceLevel completed(ServiceLevel level, StreamContext stream, boolean first) {
        if (!first) {
            return level;
        }
        Flow flow = level.flow();
        Flow whole = new Flow(flow.transport(), flow.source() != null ? flow.source() : host(stream.source().getAddress()),
                flow.destination() != null ? flow.destination() : host(stream.destination().getAddress()), flow.sourcePort(),
                flow.destinationPort(), flow.stream());
        return level.with(whole);
    }

    private static Prefix host(InetAddress address) {
        return new Prefix(address, address.getAddress().length * Byte.SIZE);
    }

    /**
     * Does what a request asks.
     *
     * @param path this node and those behind it that have done it
     * @return completes when it survives a restart
     * @throws AnepException EE-805, 806: others were faster; EE-410: another version is
     */
    CompletionStage<Void> commit(Request request, List<Stop> path, StreamContext stream) {
        checkCurrent();
        long now = service.nanoTime();
        Session known = table.find(request.session());
        if (request.op() == Op.RELEASE) {
            if (known != null) {
                counters.released.increment();
                controller.forget(known);
            }
            return store.forget(request.session());
        }
        List<Stop> before = request.path().subList(0, request.path().size() - 1);
        List<Stop> whole = new ArrayList<>(before);
        whole.addAll(path);
        Segment segment = segment(path, stream);
        Segment toSource = toSource(before, path.get(0), stream);
        if (known == null) {
            InetAddress owner = stream.source().getAddress();
            table.check(owner, request.level().flow(), before.isEmpty());
            known = new Session(request.session(), owner, request.number(), before.isEmpty(), System.currentTimeMillis(), request.level(),
                    List.copyOf(whole), segment, now);
            known.directions(toSource, now);
            table.put(known);
            counters.opened.increment();
            events.add(System.currentTimeMillis(), known, "opened", LevelWriter.text(request.level()));
        } else {
            Session session = known;
            controller.forgetBack(table.change(session, () -> {
                session.level = request.level();
                session.path = List.copyOf(whole);
                session.segment = segment;
                session.usedNanos = now;
                return session.directions(toSource, now);
            }));
            counters.modified.increment();
            events.add(System.currentTimeMillis(), session, "modified", LevelWriter.text(request.level()));
            controller.changed(session);
        }
        return store.keep(known);
    }

    /**
     * The part of the path that can be measured from here: to the next node of the path, or to who answers for the destination. Probes go where the
     * packets of the stream go. What a node further along says of its address counts only if the operator listed it: others could be aimed at.
     */
    private Segment segment(List<Stop> path, StreamContext stream) {
        if (path.size() < 2) {
            InetSocketAddress other = controller.settings().reflector(stream.destination().getAddress());
            return other == null ? null : new Segment(Messages.text(other), other);
        }
        Stop next = path.get(1);
        return segment(next, path.get(0).hops() - next.hops() == 1 ? stream.next().getAddress() : null, stream);
    }

    /** The same for what comes back: to the node before, or to who answers for the source. */
    private Segment toSource(List<Stop> before, Stop self, StreamContext stream) {
        InetAddress source = stream.source().getAddress();
        if (before.isEmpty()) {
            InetSocketAddress other = controller.settings().reflector(source);
            return other == null ? null : new Segment(Messages.text(other), other);
        }
        Stop previous = before.get(before.size() - 1);
        return segment(previous, previous.hops() - self.hops() == 1 ? source : null, stream);
    }

    /** @param neighbour where packets to the stop go, if nobody is in between: that is reached, and what a node says of itself need not be */
    private static Segment segment(Stop stop, InetAddress neighbour, StreamContext stream) {
        if (stop.probes() == null) {
            return null;
        }
        InetAddress said = stop.probes().getAddress().isAnyLocalAddress() ? stop.address().getAddress() : stop.probes().getAddress();
        InetAddress host = neighbour != null ? neighbour : stream.isPeer(said) ? said : null;
        return host == null ? null : new Segment(stop.node(), new InetSocketAddress(host, stop.probes().getPort()));
    }

    /** What is answered when everything is done here. */
    Answer result(Request request, Answer behind, List<Stop> path) {
        ErrorCode code = behind.code();
        String text = behind.text();
        if (code != null && code != ErrorCode.PARTIAL_PATH) {
            text = "a node refused: " + code + " " + text;
            code = ErrorCode.PARTIAL_PATH;
        }
        int missing = 0;
        for (int i = 1; i < path.size(); i++) {
            missing += Math.max(0, path.get(i - 1).hops() - path.get(i).hops() - 1);
        }
        if (missing > 0 && request.path().size() == 1) {
            code = ErrorCode.PARTIAL_PATH;
            text = (text.isEmpty() ? "" : text + "; ") + missing + (missing == 1 ? " node" : " nodes") + " between them without QoSinus";
        }
        if (code == ErrorCode.PARTIAL_PATH && request.path().size() == 1) {
            counters.partial.increment();
        }
        Session stored = request.op() == Op.RELEASE ? null : table.find(request.session());
        String here = stored == null ? null : controller.assess(stored);
        String warning = here == null || behind.warning() == null ? here == null ? behind.warning() : here : here + "; " + behind.warning();
        return new Answer(request.number(), request.session(), code, text, path, warning);
    }
}
