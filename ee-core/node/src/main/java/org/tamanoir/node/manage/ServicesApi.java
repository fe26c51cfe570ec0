package org.tamanoir.node.manage;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.EventStream;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.node.deploy.ServiceOperator;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceCall;
import org.tamanoir.node.service.ServiceEvents.Change;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.service.Commanded;
import org.tamanoir.service.Inspected;

/** The part of the admin API that is about services: what they are doing, deploying and upgrading them. */
final class ServicesApi {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final NodeParts node;
    private final LiveConfiguration live;

    ServicesApi(NodeParts node, LiveConfiguration live) {
        this.node = node;
        this.live = live;
    }

    List<Route> routes(Guard read, Guard operate, AdminThreads threads) {
        long bundleMost = live.inForce().limits().bundleBytes();
        return List.of(Route.of("GET", "/services", request -> Response.json(Map.of("services", statuses()))).guarded(read),
                Route.of("GET", "/events", request -> Response.events(this::events)).guarded(read),
                Route.of("PUT", "/bundles", this::deploy).guarded(operate).uploads(node.deployer().incoming(), bundleMost)
                        .on(threads.deployments()),
                Route.of("POST", "/services/{name}/upgrade", this::upgrade).guarded(operate).on(threads.deployments()),
                Route.of("DELETE", "/services/{name}", this::undeploy).guarded(operate).on(threads.deployments()),
                Route.of("GET", "/services/{name}/inspect/{what}", this::inspect).guarded(read).on(threads.questions()),
                Route.of("POST", "/services/{name}/commands/{what}", this::command).guarded(operate).on(threads.questions()));
    }

    /** The service that a path names. */
    private static String name(Request request) {
        return ServiceName.ofSegment(request.parameter("name"));
    }

    private List<ServiceStatus> statuses() {
        return node.deployer().operator().statuses();
    }

    private void events(EventStream listener) {
        Consumer<Change> tell = change -> listener.send("service", text(change));
        node.events().listen(tell);
        listener.onClose(() -> node.events().forget(tell));
    }

    private static String text(Change change) {
        try {
            return JSON.writeValueAsString(change);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private Response deploy(Request request) {
        if (request.query("dry-run").map(Boolean::parseBoolean).orElse(false)) {
            return Response.json(described(node.deployer().operator().planOf(request.file())));
        }
        return Response.json(status(node.deployer().operator().deploy(request.file())));
    }

    private ServiceStatus status(RunningService service) {
        return statuses().stream().filter(status -> service.name().equals(status.name()) && service.version().equals(status.version()))
                .filter(ServiceStatus::current).findFirst().orElseThrow(() -> new AnepException(ErrorCode.SERVICE_REMOVED, service
                        + " was active for a moment and is not any more; node services says why"));
    }

    /** What an upgrade request says; {@code version} is null for the newest. */
    private record UpgradeText(String version, boolean dryRun) {
    }

    private Response upgrade(Request request) {
        String name = name(request);
        UpgradeText wanted = request.json(UpgradeText.class);
        ServiceOperator.Plan plan = node.deployer().operator().plan(name, wanted.version());
        Map<String, Object> answer = described(plan);
        if (!wanted.dryRun() && plan.to() != null) {
            ServiceStatus now = status(node.deployer().operator().upgrade(name, plan.to()));
            answer.put("to", now.version());
            answer.put("source", now.source());
            answer.put("sha256", now.sha256());
            answer.put("publisher", now.publisher());
        }
        return Response.json(answer);
    }

    /** A plan, and which streams it leaves on which version. */
    private Map<String, Object> described(ServiceOperator.Plan plan) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("name", plan.name());
        answer.put("typeId", org.tamanoir.anep.Anep.typeName(plan.typeId()));
        answer.put("from", plan.from());
        answer.put("to", plan.to());
        answer.put("source", plan.source());
        answer.put("sha256", plan.sha256());
        answer.put("publisher", plan.publisher());
        answer.put("unreachable", plan.unreachable());
        answer.put("drain", live.inForce().upgrade().drainText());
        answer.put("streams", node.streams().open().stream().filter(stream -> stream.services().contains(plan.name())
                && !stream.versions().isEmpty()).map(stream -> {
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("number", stream.number());
                    one.put("id", stream.id());
                    one.put("source", stream.source());
                    one.put("destination", stream.destination());
                    one.put("version", stream.versions().get(stream.services().indexOf(plan.name())));
                    return one;
                }).toList());
        return answer;
    }

    private Response undeploy(Request request) {
        node.deployer().operator().undeploy(name(request), request.query("version").orElse(null));
        return Response.json(Map.of("services", statuses().stream()
                .filter(status -> name(request).equals(status.name())).toList()));
    }

    /** The version of a service that is current; null if there is none. */
    private RunningService current(String name) {
        return node.registry().named(name).stream().filter(service -> node.registry().find(service.typeId()) == service).findFirst().orElse(null);
    }

    /** What a service says to a question of its own. */
    private Response inspect(Request request) {
        String name = name(request);
        RunningService service = current(name);
        if (service == null || !(service.service() instanceof Inspected inspected)) {
            throw new AnepException(ErrorCode.NOT_FOUND, service == null ? "no version of " + name + " is active here"
                    : service + " answers no questions");
        }
        Map<String, String> parameters = request.queries();
        return answer(service, () -> inspected.inspect(request.parameter("what"), parameters));
    }

    /** What a service does because an operator says so. */
    private Response command(Request request) {
        String name = name(request);
        RunningService service = current(name);
        if (service == null || !(service.service() instanceof Commanded commanded)) {
            throw new AnepException(ErrorCode.NOT_FOUND, service == null ? "no version of " + name + " is active here"
                    : service + " takes no commands");
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        request.json(JsonNode.class).properties().forEach(each -> parameters.put(each.getKey(), each.getValue().asText()));
        return answer(service, () -> commanded.command(request.parameter("what"), parameters));
    }

    private Response answer(RunningService service, Supplier<Map<String, Object>> asked) {
        return ServiceCall.of(service, node.watch(), "answer", () -> {
            Map<String, Object> answer = asked.get();
            if (answer == null) {
                throw new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, service + " has answered nothing");
            }
            return Response.json(answer);
        });
    }
}
