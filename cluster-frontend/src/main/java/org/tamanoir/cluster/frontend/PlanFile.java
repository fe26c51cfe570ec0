package org.tamanoir.cluster.frontend;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Pool.Scheduler;
import org.tamanoir.cluster.plan.Transport;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Welcome.Method;

/** The plan that was carried last, kept so that a front-end that starts anew does not begin by taking everything away. */
final class PlanFile {
    private static final Logger LOG = LoggerFactory.getLogger(PlanFile.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long MOST = 8 << 20;

    private final Path file;

    /** @param file in a directory that is there */
    PlanFile(Path file) {
        this.file = file;
    }

    /** What was kept; nothing if there is nothing that can be read: the back ends will report soon. */
    Plan read() {
        try {
            if (Files.size(file) > MOST) {
                throw new IOException("it is larger than " + MOST + " octets");
            }
            List<VirtualService> services = new ArrayList<>();
            for (JsonNode each : JSON.readTree(file.toFile()).path("services")) {
                services.add(service(each));
            }
            return new Plan(services);
        } catch (NoSuchFileException e) {
            return Plan.EMPTY;
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn("{} is not read, and the last plan is forgotten: {}", file, e.getMessage());
            return Plan.EMPTY;
        }
    }

    private static VirtualService service(JsonNode of) {
        List<RealServer> servers = new ArrayList<>();
        for (JsonNode each : of.path("servers")) {
            servers.add(new RealServer(each.path("name").asText(), address(each), each.path("port").asInt(), each.path("weight").asInt(),
                    each.path("health").asInt()));
        }
        return new VirtualService(of.path("pool").asText(), address(of), of.path("port").asInt(), Transport.valueOf(of.path("transport").asText()),
                Method.valueOf(of.path("method").asText()), Scheduler.valueOf(of.path("scheduler").asText()),
                Duration.ofSeconds(of.path("persistenceSeconds").asLong()), servers);
    }

    private static InetAddress address(JsonNode of) {
        InetAddress address = Addresses.literal(of.path("address").asText());
        if (address == null) {
            throw new IllegalArgumentException("'" + of.path("address").asText() + "' is no address");
        }
        return address;
    }

    /** Keeps a plan; one that cannot be kept costs only what a restart would have of it. */
    void write(Plan plan) {
        ArrayNode services = JSON.createArrayNode();
        for (VirtualService service : plan.services()) {
            ObjectNode one = services.addObject().put("pool", service.pool()).put("address", Addresses.text(service.address())).put("port", service.port())
                    .put("transport", service.transport().name()).put("method", service.method().name()).put("scheduler", service.scheduler().name())
                    .put("persistenceSeconds", service.persistence().toSeconds());
            ArrayNode servers = one.putArray("servers");
            service.servers().forEach(server -> servers.addObject().put("name", server.name()).put("address", Addresses.text(server.address()))
                    .put("port", server.port()).put("weight", server.weight()).put("health", server.health()));
        }
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.write(fresh, JSON.writeValueAsBytes(JSON.createObjectNode().set("services", services)));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            LOG.warn("the plan is not kept in {}: {}", file, AnepException.reason(e));
        }
    }
}
