package org.tamanoir.node.offload;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Action.Forward;
import org.tamanoir.service.rule.Action.Police;
import org.tamanoir.service.rule.Action.SetDscp;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Meter.SingleRate;
import org.tamanoir.service.rule.Meter.TwoRate;
import org.tamanoir.service.rule.Treatment;

/** Rules in words for people. */
final class RuleWords {
    private RuleWords() {
    }

    static String match(Match match) {
        List<String> parts = new ArrayList<>();
        if (match.passing()) {
            parts.add("passing");
        }
        if (match.typeId() != null) {
            parts.add("type " + Anep.typeName(match.typeId()));
        }
        if (match.destination() != null) {
            parts.add("to " + match.destination());
        }
        if (match.source() != null) {
            parts.add("from " + match.source());
        }
        if (match.session() != null) {
            parts.add("session " + String.format("%016x", match.session()));
        }
        return parts.isEmpty() ? "all" : String.join(", ", parts);
    }

    static String action(Action action) {
        if (action instanceof SetDscp set) {
            return "dscp " + set.dscp();
        }
        if (action instanceof Forward forward) {
            return forward.to() == null ? "forward" : "forward to " + forward.to().getAddress().getHostAddress() + " port " + forward.to().getPort();
        }
        if (action instanceof Police police) {
            return "police " + meter(police) + (police.colourAware() ? ", colour-aware" : "") + ": green " + treatment(police.green())
                    + ", yellow " + treatment(police.yellow()) + ", red " + treatment(police.red());
        }
        return action.word();
    }

    private static String meter(Police police) {
        if (police.meter() instanceof SingleRate single) {
            return "cir " + single.cir() + " cbs " + single.cbs() + " ebs " + single.ebs();
        }
        TwoRate two = (TwoRate) police.meter();
        return "cir " + two.cir() + " cbs " + two.cbs() + " pir " + two.pir() + " pbs " + two.pbs();
    }

    private static String treatment(Treatment treatment) {
        return switch (treatment.kind()) {
            case PASS -> "pass";
            case DROP -> "drop";
            case MARK -> "dscp " + treatment.dscp();
        };
    }
}
