package org.tamanoir.services.compression;

import com.github.luben.zstd.util.Native;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/**
 * Compresses payloads between the first and the last node of a path. Type ID 0x5403.
 *
 * <p>Toward the destination the ingress compresses and the egress restores; on the way back the roles are exchanged. Each packet stands
 * alone, so packets may be lost or change their order in between. A node in transit, or one that is the only one, passes everything.
 */
@Component
public final class Compression implements ActiveService {
    private static final String ZSTD = "zstd";
    private static final String GZIP = "gzip";
    private static final int ZSTD_LEVEL = 3;
    private static final int GZIP_LEVEL = 6;
    private static final int MIN_SIZE = 64;
    /** Level that a source may ask for, whose processors are not those that pay for it. */
    private static final int MOST_ASKED = 9;
    /** What a level that follows the link may be; 0 leaves packets as they are. */
    private static final int[] ZSTD_LEVELS = {0, -7, -3, 1, ZSTD_LEVEL, 5, 7, 9};
    private static final int[] GZIP_LEVELS = {0, 1, 3, GZIP_LEVEL, 9};
    /** What a stream begins with on a link of which nothing is known: zstd 3, gzip 6. */
    private static final LevelControl.Known ZSTD_FIRST = LevelControl.Known.nothing(4);
    private static final LevelControl.Known GZIP_FIRST = LevelControl.Known.nothing(3);
    private static final LevelControl.Known FIXED = LevelControl.Known.nothing(0);
    /** Links that are remembered, those of the latest streams. */
    private static final int MOST_LINKS = 1024;
    private static final StreamHandler PASS = (packet, out) -> Verdict.PASS;

    private final Map<ContentEncoding, CodecPool> codecs = new EnumMap<>(ContentEncoding.class);
    private final ServiceCounters totals = new ServiceCounters();
    private final Map<InetAddress, LevelControl.Known> links = Collections.synchronizedMap(BoundedMap.byUse(MOST_LINKS));
    private ContentEncoding encoding;
    private int minSize;
    private int level;
    private boolean fixed;

    @Override
    public void start(ServiceContext service) {
        Configuration options = service.configuration();
        boolean zstd = options.choice("algorithm", ZSTD, List.of(ZSTD, GZIP)).equals(ZSTD);
        encoding = zstd ? ContentEncoding.ZSTD : ContentEncoding.GZIP;
        level = zstd ? options.integer("level", ZSTD_LEVEL, -7, 22) : options.integer("level", GZIP_LEVEL, 1, MOST_ASKED);
        fixed = options.names().contains("level");
        totals.level(level);
        minSize = options.integer("min-size", MIN_SIZE, 0, 0xFFFF);
        // What comes to be restored names its own encoding, so both are here.
        codecs.put(ContentEncoding.GZIP, new CodecPool(GzipCodec::new));
        String missing = loadZstd();
        if (missing == null) {
            codecs.put(ContentEncoding.ZSTD, new CodecPool(ZstdCodec::new));
        } else if (zstd) {
            throw new AnepException(ErrorCode.SERVICE_START_FAILED, missing + "; set algorithm to " + GZIP);
        } else {
            service.logger().warn("{}: streams that another node compresses with zstd will fail", missing);
        }
        totals.register(service.metrics());
    }

    /** Loads the native library from the bundle; returns what is missing, or null. */
    private static String loadZstd() {
        try {
            Native.load();
            return null;
        } catch (LinkageError e) {
            return "no zstd library for " + System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        }
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        int asked = stream.parameters().integer("level", level, encoding == ContentEncoding.ZSTD ? -7 : 1, Math.max(MOST_ASKED, level));
        boolean settled = fixed || stream.parameters().names().contains("level");
        return switch (stream.position()) {
            case INGRESS -> new CompressedStream(compressor(true, levels(stream.next(), asked, settled)), restorer(stream, false));
            case EGRESS -> new CompressedStream(restorer(stream, true), compressor(false, levels(stream.source(), asked, settled)));
            case TRANSIT, ONLY -> PASS;
        };
    }

    private DirectionCodec compressor(boolean toDestination, LevelChoice levels) {
        return new Compressor(encoding, codecs.get(encoding), minSize, levels, new DirectionCounters(totals, toDestination, true));
    }

    private LevelChoice levels(InetSocketAddress hop, int asked, boolean settled) {
        if (settled) {
            return new LevelChoice(new int[] {asked}, FIXED, known -> { });
        }
        InetAddress link = hop.getAddress();
        int[] all = encoding == ContentEncoding.ZSTD ? ZSTD_LEVELS : GZIP_LEVELS;
        LevelControl.Known first = encoding == ContentEncoding.ZSTD ? ZSTD_FIRST : GZIP_FIRST;
        return new LevelChoice(all, links.getOrDefault(link, first), known -> {
            links.put(link, known);
            totals.levelChanged(all[known.step()]);
        });
    }

    private DirectionCodec restorer(StreamContext stream, boolean toDestination) {
        return new Restorer(codecs, stream.transport(), new DirectionCounters(totals, toDestination, false));
    }

    @Override
    public void stop() {
        codecs.values().forEach(CodecPool::close);
    }

    /** Codecs that are not at work: what the service keeps of native memory. */
    int idleCodecs() {
        return codecs.values().stream().mapToInt(CodecPool::idle).sum();
    }

    /** One stream at an end of the compressed path: one direction is compressed, the other restored. Holds no native memory. */
    static final class CompressedStream implements StreamHandler {
        private final DirectionCodec toDestination;
        private final DirectionCodec toSource;

        CompressedStream(DirectionCodec toDestination, DirectionCodec toSource) {
            this.toDestination = toDestination;
            this.toSource = toSource;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            return toDestination.apply(packet, out);
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            return toSource.apply(packet, out);
        }

        @Override
        public Map<String, Object> report() {
            Map<String, Object> report = new LinkedHashMap<>();
            report.put("toDestination", report(toDestination));
            report.put("toSource", report(toSource));
            return report;
        }

        private static Map<String, Object> report(DirectionCodec work) {
            Map<String, Object> report = work.tally().report();
            if (work.level() != null) {
                report.put("level", work.level());
            }
            return report;
        }
    }
}
