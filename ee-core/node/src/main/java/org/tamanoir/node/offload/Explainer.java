package org.tamanoir.node.offload;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Level;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.RuleCounters;

/** Says which level runs a service and its rules, and why not a lower one. */
public final class Explainer {
    /** Why a TCP stream on the port of all streams is not in the kernel. */
    public static final String NOT_TCP = "this node has accepted the connection: the kernel cannot join it to the one to the next hop. Light "
            + "streams that enter by the light port are forwarded in the kernel before they are accepted";
    private static final String NEEDS_HANDLER = "no rule forwards or drops its packets, so its handler has to see them";

    private final RuleTable rules;
    private final KernelPath kernel;

    Explainer(RuleTable rules, KernelPath kernel) {
        this.rules = rules;
        this.kernel = kernel;
    }

    /** Where the datagrams of a service run. @param level of the service; null if only rules of the operator serve the Type ID */
    public Placement ofType(int typeId, Level level) {
        List<LiveRule> matching = ofType(typeId).stream().filter(rule -> rule.rule().isFinal()).toList();
        if (matching.isEmpty()) {
            return handled(level, NEEDS_HANDLER);
        }
        String names = String.join(", ", matching.stream().map(LiveRule::toString).toList());
        if (!kernel.isUsed()) {
            return handled(level, kernel.whyNot());
        }
        if (matching.stream().noneMatch(LiveRule::isInKernel)) {
            return handled(level, "another rule with the same match comes before " + names);
        }
        return Placement.inKernel("datagrams are finished by " + names + "; the first of each stream, and those that the kernel cannot finish, "
                + "go through the same rules on the event loop. TCP streams run there too: " + NOT_TCP);
    }

    private static Placement handled(Level level, String notKernel) {
        if (level == Level.HEAVY) {
            return Placement.onOwnThreads("declared heavy: it runs on threads of its own, each stream in order", notKernel);
        }
        return Placement.onEventLoop(level == null ? "only rules serve it" : level == Level.LIGHT
                ? "declared light: its rules and its handler run on the event loop of each stream"
                : "declared middle: it runs on the event loop of its stream", notKernel);
    }

    private List<LiveRule> ofType(int typeId) {
        return rules.all().stream().filter(rule -> !rule.rule().match().passing())
                .filter(rule -> rule.rule().match().typeId() == null || rule.rule().match().typeId() == typeId).toList();
    }

    /** Each rule that packets of a Type ID may get, in order. */
    public List<Map<String, Object>> rulesOf(int typeId) {
        return ofType(typeId).stream().map(this::describe).toList();
    }

    /** Every rule, in order. */
    public List<Map<String, Object>> allRules() {
        return rules.all().stream().map(this::describe).toList();
    }

    private Map<String, Object> describe(LiveRule live) {
        LightRule rule = live.rule();
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("owner", live.owner());
        told.put("name", rule.name());
        told.put("match", RuleWords.match(rule.match()));
        told.put("actions", rule.actions().stream().map(RuleWords::action).toList());
        told.put("runs", live.isInKernel() ? Placement.KERNEL : rule.match().passing() ? "nowhere" : Placement.EVENT_LOOP);
        told.put("because", because(live));
        RuleCounters counters = live.counters();
        told.put("packets", counters.packets());
        told.put("octets", counters.octets());
        told.put("green", counters.green());
        told.put("yellow", counters.yellow());
        told.put("red", counters.red());
        told.put("dropped", counters.dropped());
        told.put("forwarded", counters.forwarded());
        return told;
    }

    private String because(LiveRule live) {
        if (live.isInKernel()) {
            return live.rule().isFinal() || live.rule().match().passing() ? "the kernel finishes what it matches"
                    : "it lets packets go on to their service, so the kernel hands them up and only keeps its meter and counters";
        }
        String before = "another rule with the same match comes before it";
        if (live.rule().match().passing()) {
            String why = kernel.passingWhyNot();
            return ErrorCode.NEEDS_KERNEL + " only the kernel sees packets that the host forwards: " + (why == null ? before : why);
        }
        return kernel.isUsed() ? before : kernel.whyNot();
    }
}
