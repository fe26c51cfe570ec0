package org.tamanoir.services.election;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.lease.Leases;
import org.tamanoir.services.election.Agreement.Action;
import org.tamanoir.services.election.Agreement.Keep;
import org.tamanoir.services.election.Agreement.Outcome;
import org.tamanoir.services.election.Agreement.Send;
import org.tamanoir.services.election.Message.Accepted;
import org.tamanoir.services.election.Message.Promise;

/**
 * Elects a holder for each group that programs name, among nodes that survive each other. Type ID 0x5411. Programs ask their own node, by a stream of this
 * type to the node itself; see the README. All of it happens among the tasks of the service.
 */
@Component(service = ActiveService.class)
public final class Election implements FlowSink, Inspected, Leases {
    private static final String ROUND = "round";
    private static final Pattern NAME = Pattern.compile("[\\p{Graph}]{1,128}");
    private static final int LEAST_LEASE_MILLIS = 1000;
    private static final int LEAST_MEMBERS = 3;
    /** A majority that does not answer is waited for so long at least. */
    private static final int LEAST_WAIT_MILLIS = 2000;
    private static final String BUSY = "the node has too much to do: ask again";
    /** Tasks that others may bring about at once, of those that a service may have. */
    private static final int MOST_PENDING = StreamContext.MOST_TIMERS / 2;

    private final Map<String, List<Asked>> waiting = new HashMap<>();
    private final Map<Integer, StreamContext> inbound = new HashMap<>();
    private final AtomicInteger pending = new AtomicInteger();
    private final LongAdder granted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder unanswered = new LongAdder();
    private ServiceContext service;
    private List<InetSocketAddress> members;
    private List<MemberLink> links;
    private Agreement agreement;
    private int self;
    private Duration patience;
    private long longestMillis;

    /** Somebody waits for the outcome of a wish. */
    private record Asked(String holder, Consumer<ObjectNode> answer) {
    }

    @Override
    public void start(ServiceContext context) {
        service = context;
        Configuration options = context.configuration();
        members = options.addresses("members");
        List<InetSocketAddress> named = options.addresses("self");
        if (named.size() > 1) {
            throw wrong("self has " + named.size() + " addresses; a node is one of the members");
        }
        InetSocketAddress own = named.isEmpty() ? context.node().address() : named.get(0);
        longestMillis = options.duration("longest-lease", Duration.ofMinutes(1)).toMillis();
        patience = options.duration("patience", Duration.ofMillis(250));
        self = members.indexOf(own);
        if (members.size() < LEAST_MEMBERS || members.size() > 1023) {
            throw wrong("members has " + members.size() + " nodes; name all of them, the same at each, " + LEAST_MEMBERS + " or more: HOST:PORT, …");
        }
        if (self < 0) {
            throw wrong("this node, " + NetUtil.toSocketAddressString(own) + ", is not among the members; say by 'self' which of them it is");
        }
        if (longestMillis < LEAST_LEASE_MILLIS || patience.isZero()) {
            throw wrong("longest-lease is 1s or more, and patience more than 0");
        }
        byte[] kept = context.store().all().get(ROUND);
        long round = kept == null ? 0 : ByteBuffer.wrap(kept).getLong();
        // One that may have accepted something before keeps silent until that has run out.
        long answersFrom = context.nanoTime() + (kept == null ? 0 : Duration.ofMillis(longestMillis).toNanos());
        agreement = new Agreement(self, members.size(), round, answersFrom, patience.toNanos(), new SecureRandom());
        links = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            int index = i;
            links.add(i == self ? null : new MemberLink(context, members.get(i), self, message -> received(index, message)));
        }
        context.metrics().counter("wishes", "Wishes for a group.", Map.of("outcome", "granted"), granted::sum);
        context.metrics().counter("wishes", "Wishes for a group.", Map.of("outcome", "held-by-another"), refused::sum);
        context.metrics().counter("wishes", "Wishes for a group.", Map.of("outcome", "no-majority"), unanswered::sum);
        context.later(Duration.ZERO, this::tick);
    }

    private static AnepException wrong(String text) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "election: " + text);
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        throw new AnepException(ErrorCode.SERVICE_REFUSED, "a stream to election ends at a node: name the node itself as its destination");
    }

    @Override
    public StreamHandler openSink(StreamContext stream) {
        return new Talk(stream);
    }

    /** What a member or a program says, line by line. */
    private final class Talk implements StreamHandler {
        private final StreamContext stream;
        private final Lines lines = new Lines();
        private int member = -1;
        private volatile boolean asking;

        Talk(StreamContext stream) {
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            lines.take(packet.payload(), this::said);
            return Verdict.TAKEN;
        }

        private void said(JsonNode line) {
            if (line.has("member")) {
                introduced(line.path("member").asInt(-1));
            } else if (member >= 0) {
                Message message = Lines.message(line);
                int from = member;
                soon(() -> {
                    inbound.put(from, stream);
                    received(from, message);
                });
            } else {
                asks(line);
            }
        }

        private void introduced(int index) {
            if (index < 0 || index >= members.size() || index == self || !stream.isFromPeer() || !stream.source().getAddress().equals(members.get(index).getAddress())) {
                throw new AnepException(ErrorCode.NOT_PERMITTED, "only a member of the election that is listed under peers speaks as one");
            }
            member = index;
        }

        private void asks(JsonNode line) {
            if (line.has("who")) {
                String asked = name(line, "who");
                soon(() -> say(stream, who(asked)));
                return;
            }
            String group = name(line, "group");
            String holder = name(line, "holder");
            if (line.path("release").asBoolean()) {
                soon(() -> {
                    releases(group, holder);
                    say(stream, Lines.object().put("group", group).put("released", true));
                });
                return;
            }
            long millis = lease(line.path("lease").asLong());
            if (asking) {
                throw new AnepException(ErrorCode.BAD_CONTENT, "a stream wants one thing at a time: the answer to the line before comes first");
            }
            asking = true;
            soon(() -> wants(group, new Asked(holder, this::answer), millis));
        }

        /** What it wanted is known. */
        private void answer(ObjectNode said) {
            asking = false;
            say(stream, said);
        }

        /** A message of a member that finds no room is lost, as on any network. */
        private void soon(Runnable task) {
            if (!Election.this.soon(task) && member < 0) {
                answer(Lines.object().put("error", "EE-309 " + BUSY));
            }
        }

        @Override
        public void onEnd(Output out) {
            stream.execute((forward, back) -> back.finish());
        }
    }

    /** Runs a task among those of the service, which has room for its own; false if there is none. */
    private boolean soon(Runnable task) {
        if (pending.incrementAndGet() > MOST_PENDING) {
            pending.decrementAndGet();
            return false;
        }
        service.later(Duration.ZERO, () -> {
            pending.decrementAndGet();
            task.run();
        });
        return true;
    }

    private void wants(String group, Asked asked, long millis) {
        waiting.computeIfAbsent(group, unused -> new ArrayList<>()).add(asked);
        long giveUp = service.nanoTime() + Duration.ofMillis(Math.max(millis, LEAST_WAIT_MILLIS)).toNanos();
        if (!agreement.want(service.nanoTime(), group, asked.holder(), millis, giveUp)) {
            waiting.remove(group);
            asked.answer().accept(Lines.object().put("group", group).putNull("holder").put("error", "EE-309 all groups that a node remembers are held"));
        }
        act();
    }

    /** Gives a group up; who still waits for it in the same name is told so. */
    private void releases(String group, String holder) {
        agreement.release(group, holder);
        act();
        tell(group, holder, Lines.object().put("group", group).putNull("holder").put("error", "EE-204 the wish was given up: the group was released meanwhile"));
    }

    private static String name(JsonNode line, String field) {
        return name(line.path(field).asText(), field);
    }

    private static String name(String name, String field) {
        if (!NAME.matcher(name).matches()) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "'" + field + "' is a name of 1 to 128 characters without blanks");
        }
        return name;
    }

    private long lease(long millis) {
        if (millis < LEAST_LEASE_MILLIS || millis > longestMillis) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a lease of " + millis + " ms; it is from " + LEAST_LEASE_MILLIS + " to " + longestMillis);
        }
        return millis;
    }

    // For other services of this node.

    @Override
    public void want(String group, Duration lease, BiConsumer<Lease, AnepException> outcome) {
        try {
            name(group, "group");
            long millis = lease(lease.toMillis());
            if (!soon(() -> wants(group, new Asked(service.node().name(), answer -> told(answer, outcome)), millis))) {
                throw new AnepException(ErrorCode.SERVICE_LIMIT, BUSY);
            }
        } catch (AnepException e) {
            outcome.accept(null, e);
        }
    }

    private void told(ObjectNode answer, BiConsumer<Lease, AnepException> outcome) {
        String[] error = answer.path("error").asText().split(" ", 2);
        if (error.length == 2) {
            outcome.accept(null, new AnepException(error[0].equals("EE-309") ? ErrorCode.SERVICE_LIMIT : ErrorCode.UNREACHABLE, error[1]));
            return;
        }
        boolean isOwn = answer.has("number");
        outcome.accept(new Lease(answer.path("holder").asText(), isOwn, answer.path("number").asLong(),
                isOwn ? service.nanoTime() + Duration.ofMillis(answer.path("remaining").asLong()).toNanos() : 0), null);
    }

    @Override
    public Duration longest() {
        return Duration.ofMillis(longestMillis);
    }

    @Override
    public void release(String group) {
        soon(() -> releases(group, service.node().name()));
    }

    private ObjectNode who(String group) {
        Message.Lease lease = agreement.holder(service.nanoTime(), group);
        ObjectNode answer = Lines.object().put("group", group);
        return lease == null ? answer.putNull("holder") : answer.put("holder", lease.holder()).put("number", lease.number());
    }

    private static void say(StreamContext stream, ObjectNode said) {
        ByteBuf line = Lines.line(said);
        if (!stream.execute((forward, back) -> back.emitPayload(line))) {
            line.release();
        }
    }

    private void tick() {
        long now = service.nanoTime();
        long next = agreement.tick(now);
        act();
        service.later(Duration.ofNanos(Math.max(next - service.nanoTime(), 5_000_000L)), this::tick);
    }

    private void received(int from, Message message) {
        agreement.receive(service.nanoTime(), from, message);
        act();
    }

    private void act() {
        for (List<Action> actions = agreement.actions(); !actions.isEmpty(); actions = agreement.actions()) {
            for (Action action : actions) {
                if (action instanceof Send send) {
                    send(send);
                } else if (action instanceof Keep keep) {
                    service.store().put(ROUND, ByteBuffer.allocate(Long.BYTES).putLong(keep.round()).array()).whenComplete((done, failure) -> kept(keep, failure));
                } else if (action instanceof Outcome outcome) {
                    told(outcome);
                }
            }
        }
    }

    private void kept(Keep keep, Throwable failure) {
        if (failure != null) {
            // Nothing was promised: the others go on without this node.
            service.logger().warn("this node takes no part in elections: {}", failure.getMessage());
            return;
        }
        agreement.kept(keep.round());
        keep.then().forEach(this::send);
        act();
    }

    private void send(Send send) {
        Message message = send.message();
        if (send.to() == self) {
            agreement.receive(service.nanoTime(), self, message);
        } else if (message instanceof Promise || message instanceof Accepted) {
            StreamContext asker = inbound.get(send.to());
            if (asker != null) {
                ByteBuf line = Lines.line(message);
                if (!asker.execute((forward, back) -> back.emitPayload(line))) {
                    line.release();
                }
            }
        } else {
            links.get(send.to()).say(message);
        }
    }

    private void told(Outcome outcome) {
        (outcome.lease() != null ? granted : outcome.holder() != null ? refused : unanswered).increment();
        ObjectNode answer = Lines.object().put("group", outcome.group()).put("holder", outcome.holder());
        if (outcome.lease() != null) {
            answer.put("number", outcome.lease().number()).put("remaining", Math.max(0, (outcome.until() - service.nanoTime()) / 1_000_000));
        } else if (outcome.holder() == null) {
            answer.put("error", "EE-204 no majority of the members answers");
        }
        tell(outcome.group(), outcome.wanted(), answer);
    }

    private void tell(String group, String holder, ObjectNode answer) {
        List<Asked> all = waiting.getOrDefault(group, new ArrayList<>());
        List<Asked> those = all.stream().filter(asked -> asked.holder().equals(holder)).toList();
        all.removeAll(those);
        if (all.isEmpty()) {
            waiting.remove(group);
        }
        those.forEach(asked -> asked.answer().accept(answer));
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        if (!what.equals("members")) {
            throw new AnepException(ErrorCode.NOT_FOUND, "election shows 'members' and not '" + what + "'");
        }
        List<Map<String, Object>> shown = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("member", NetUtil.toSocketAddressString(members.get(i)));
            String problem = i == self ? null : links.get(i).problem();
            one.put("state", i == self ? "this node" : problem == null ? "connected" : problem);
            shown.add(one);
        }
        return Map.of("members", shown);
    }
}
