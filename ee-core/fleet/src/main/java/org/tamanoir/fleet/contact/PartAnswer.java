package org.tamanoir.fleet.contact;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.state.NodePart;
import org.tamanoir.fleet.tree.Fields;

/**
 * What the server of a fleet answers a node.
 *
 * @param generation whose part it is
 * @param revoked    lines of a list of revocations
 * @param poll       how often the node is to ask
 */
public record PartAnswer(long generation, NodePart part, List<String> revoked, Duration poll) {
    /** Of an answer. */
    public static final int MOST_OCTETS = 4 << 20;
    private static final long MOST_POLL = 3_600_000;
    private static final long POLL = 5_000;

    /**
     * @param node that has asked
     * @throws AnepException EE-640 if it makes no sense, is another node's, or is not what its digest says
     */
    public static PartAnswer read(JsonNode json, String node) {
        Fields fields = new Fields("what the fleet's server answers:", json, ErrorCode.FLEET_STATE);
        JsonNode values = fields.tree("part");
        String sha256 = fields.text("sha256");
        if (values == null || !values.isObject() || !node.equals(fields.text("node"))) {
            throw fields.bad("node", "it is '" + fields.text("node") + "' and not " + node + ", or it has no part");
        }
        NodePart part = new NodePart(node, values);
        if (!part.sha256().equals(sha256)) {
            throw fields.bad("sha256", "it is " + sha256 + ", and that of the part is " + part.sha256());
        }
        return new PartAnswer(fields.whole("generation", 0, 1, Long.MAX_VALUE), part, fields.texts("revoked"), Duration.ofMillis(fields.whole("pollMillis", POLL, 1, MOST_POLL)));
    }
}
