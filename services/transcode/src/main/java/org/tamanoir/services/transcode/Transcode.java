package org.tamanoir.services.transcode;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.worker.Workers.Program;
import org.tamanoir.services.transcode.Settings.OnFailure;

/**
 * Makes other sizes of video on its way, and packs arrays, by programs in a sandbox: a file octet for octet, live media without keeping their source waiting, and channels,
 * which one publishes and many view. Type ID 0x540F; see the README.
 */
@Component(service = ActiveService.class)
public final class Transcode implements FlowSink, Inspected {
    private static final String ZFP = "zfp";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final Map<String, Channel> channels = new ConcurrentHashMap<>();
    private ServiceContext service;
    private LiveCounters counters;
    private volatile Settings settings;

    @Override
    public void start(ServiceContext context) {
        service = context;
        settings = Settings.of(context.configuration());
        counters = new LiveCounters(context.metrics());
        context.metrics().gauge("channels", "Channels that are published.", channels::size);
        context.metrics().gauge("viewers", "Streams that view channels.", () -> channels.values().stream().mapToInt(Channel::receivers).sum());
    }

    /** What is open goes on as it was opened. */
    @Override
    public boolean reconfigure(Configuration options) {
        settings = Settings.of(options);
        return true;
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        Settings now = settings;
        Configuration asked = stream.parameters();
        String size = asked.text("size", null);
        String array = asked.text("array", null);
        String mode = asked.text("zfp", "reversible");
        boolean live = asked.flag("live", false);
        if (asked.text("channel", null) != null || asked.text("role", null) != null) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "a channel is at a node: name the node itself as the destination");
        }
        List<String> packing = array == null ? null : ArrayPacking.arguments(array, mode);
        Rung rung = size != null ? Rung.parse(size, now.mostHeight(), ErrorCode.BAD_PARAMETER)
                : packing != null ? Rung.PASS : now.ladder().of(stream.destination().getAddress(), stream.next().getAddress());
        // What a stream asks for is done by the first node of its way, and not again by those behind.
        boolean done = (size != null || packing != null) && !stream.position().isFirst();
        boolean datagrams = stream.transport() != Transport.TCP;
        if (done || packing == null && rung.passes() || datagrams && size == null && packing == null) {
            return Transcode::passes;
        }
        if (datagrams) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "transcode takes streams over TCP: datagrams may be lost");
        }
        boolean passesWithout = now.onFailure() == OnFailure.BYPASS;
        if (packing != null) {
            return new WorkerStream(service, stream, new Program(ZFP, packing), passesWithout);
        }
        return live ? new LiveHandlers.Through(new Channel(service, now, counters), rung, stream, counters)
                : new WorkerStream(service, stream, new Program(Feed.PROGRAM, rung.arguments(false, now.codec(), now.audio())), passesWithout);
    }

    private static Verdict passes(Packet packet, Output out) {
        return Verdict.PASS;
    }

    @Override
    public StreamHandler openSink(StreamContext stream) {
        Settings now = settings;
        Configuration asked = stream.parameters();
        String name = asked.text("channel", "");
        String size = asked.text("size", "pass");
        if (!NAME.matcher(name).matches()) {
            throw new AnepException(ErrorCode.BAD_PARAMETER, "channel is '" + name + "'; a stream to the node itself names one by letters, digits, '.', '_' and '-', 64 at most");
        }
        return asked.choice("role", "view", List.of("view", "publish")).equals("publish") ? publisher(now, name, stream)
                : new LiveHandlers.Viewer(published(name), Rung.parse(size, now.mostHeight(), ErrorCode.BAD_PARAMETER), stream, counters);
    }

    private synchronized StreamHandler publisher(Settings now, String name, StreamContext stream) {
        if (channels.containsKey(name)) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "the channel " + name + " has a source already");
        }
        if (channels.size() >= now.channels()) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "there are " + channels.size() + " channels and may be no more (channels of the options of transcode)");
        }
        Channel channel = new Channel(service, now, counters);
        channels.put(name, channel);
        return new LiveHandlers.Publisher(channel, stream, () -> channels.remove(name, channel));
    }

    private Channel published(String name) {
        Channel channel = channels.get(name);
        if (channel == null) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "nobody publishes the channel " + name + " here now");
        }
        return channel;
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        Map<String, Object> shown = new LinkedHashMap<>();
        switch (what) {
            case "channels" -> channels.forEach((name, channel) -> shown.put(name, channel.shown()));
            case "programs" -> List.of(Feed.PROGRAM, ZFP).forEach(program -> {
                String problem = service.workers().problem(program);
                shown.put(program, problem == null ? "ready" : problem);
            });
            default -> throw new AnepException(ErrorCode.NOT_FOUND, "transcode shows 'channels' and 'programs', and not '" + what + "'");
        }
        return shown;
    }
}
