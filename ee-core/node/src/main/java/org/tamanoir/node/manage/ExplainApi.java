package org.tamanoir.node.manage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.Request;
import org.tamanoir.node.deploy.Descriptor;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.stream.PoolAssignment;
import org.tamanoir.node.stream.StreamStatus;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.Settings;

/** Which level runs a service or a stream, and why not a lower one: {@code /explain}. */
final class ExplainApi {
    private final NodeParts parts;

    ExplainApi(NodeParts parts) {
        this.parts = parts;
    }

    /** Where a service runs, and why. */
    Map<String, Object> service(String type) {
        int typeId = typeId(ServiceName.ofSegment(type));
        RunningService service = parts.registry().find(typeId);
        List<Map<String, Object>> rules = parts.offload().explainer().rulesOf(typeId);
        PoolAssignment handed = parts.streams().handed(typeId);
        if (service == null && rules.isEmpty() && handed == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "no service with Type ID " + Anep.typeName(typeId) + " is active here, and no rule is for it");
        }
        Map<String, Object> explained = new LinkedHashMap<>();
        explained.put("typeId", Anep.typeName(typeId));
        explained.put("name", service == null ? null : service.name());
        explained.put("level", service == null ? null : service.level().name().toLowerCase(Locale.ROOT));
        put(explained, handed != null ? Placement.atPool(handed.pool().address(), handed.because())
                : parts.offload().explainer().ofType(typeId, service == null ? null : service.level()));
        explained.put("rules", rules);
        return explained;
    }

    /** Of a number, or of a service that runs here or comes with Tamanoir. */
    private int typeId(String text) {
        Integer known = parts.registry().named(text).stream().findFirst().map(RunningService::typeId).orElse(BundledServices.typeId(text));
        if (known == null && ServiceName.isGuest(text)) {
            known = parts.deployer().operator().typeIdOfGuest(text);
        }
        try {
            return known != null ? known : Integer.decode(text);
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + text + "' is no Type ID such as 0x5402, and no service of that name runs here", e);
        }
    }

    /**
     * A stream that somebody would like to open.
     *
     * @param from     their address; null for loopback
     * @param names    of their certificate
     * @param token    null for none
     * @param to       {@code HOST:PORT}
     * @param services by name or Type ID
     */
    private record Wish(String from, List<String> names, String token, String to, List<String> services) {
    }

    /** Whether the access policy would allow a stream, and by which line. */
    Map<String, Object> access(Request request) {
        Wish wish = request.json(Wish.class);
        if (wish.to() == null || wish.services() == null || wish.services().isEmpty()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "say what is asked for: {\"to\": \"10.2.0.1:5000\", \"services\": [\"monitoring\"]}, and who: from, names, token");
        }
        try {
            return parts.access().explain(Prefix.parse(wish.from() == null ? "127.0.0.1" : wish.from()).network(), wish.names() == null ? List.of() : wish.names(),
                    wish.token(), Settings.address("to", wish.to()), wish.services().stream().map(this::typeId).toList(),
                    typeId -> parts.deployer().describe(typeId, null).thenApply(Descriptor::name));
        } catch (AnepException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, e.text(), e);
        }
    }

    /** Where a stream runs, and why. */
    Map<String, Object> stream(String number) {
        StreamStatus stream = null;
        Placement placement = null;
        try {
            stream = parts.streams().find(Long.parseLong(number));
            placement = stream == null ? null : parts.streams().explain(stream.number());
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a stream is named by its number", e);
        }
        if (placement == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no open stream " + number);
        }
        Map<String, Object> explained = new LinkedHashMap<>();
        explained.put("stream", stream.number());
        explained.put("transport", stream.transport());
        explained.put("services", stream.services());
        if (stream.identity() != null) {
            explained.put("identity", stream.identity());
            explained.put("permittedBy", stream.permittedBy());
        }
        put(explained, placement);
        return explained;
    }

    private static void put(Map<String, Object> explained, Placement placement) {
        explained.put("runs", placement.where());
        explained.put("because", placement.because());
        explained.put("notLower", placement.notLower());
    }
}
