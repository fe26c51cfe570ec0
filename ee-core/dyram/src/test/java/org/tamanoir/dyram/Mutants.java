package org.tamanoir.dyram;

import java.util.stream.Stream;

/** Every wrong protocol that the tests are held to. */
final class Mutants {
    private static final String HOP = "hop/Hop.java";
    private static final String RECOVERY = "hop/LossRecovery.java";
    private static final String RECEPTION = "receiver/Reception.java";
    private static final String FANOUT = "hop/Fanout.java";
    private static final String REPLIERS = "hop/Repliers.java";
    private static final String LINK = "hop/Link.java";
    private static final String NODE = "node/NodeSession.java";
    private static final String SOURCE = "source/SourceCore.java";
    private static final String MEMBERSHIP = "source/Membership.java";
    private static final String RECEIVER = "receiver/ReceiverCore.java";

    private static final String GOLDEN = "AGoldenTraceTest#aLossAtOneHostIsRepairedByItsNeighbourAndNobodyElseHearsOfIt";
    private static final String LOCAL = "ARepairStaysLocalTest#";
    private static final String HOSTILE = "AHostileMemberTest#";
    private static final String RESTART = "ARestartTest#";
    private static final String CHOOSES = "TheSessionChoosesTest#";
    private static final String ENDS = "ATransferEndsTest#";

    private Mutants() {
    }

    static Stream<Mutant> all() {
        return Stream.of(services(), choices(), repliers(), trust(), sessions(), networks()).flatMap(mutants -> mutants);
    }

    private static Stream<Mutant> services() {
        return Stream.of(
                new Mutant("every NACK goes up: no aggregation", RECOVERY, "if (!settings.aggregate()) {\n            askAbove", "if (true) {\n            askAbove",
                        GOLDEN),
                new Mutant("a NACK that says nothing new goes up", RECOVERY, "        counters.increment(Count.SUPPRESSED);\n        if (!settings.aggregate()) {",
                        "        counters.increment(Count.SUPPRESSED);\n        if (true) {", LOCAL + "oneRequestGoesUpForAllThatMissAPacket"),
                new Mutant("a repair goes to all links", RECOVERY, "toSome(data, loss.lacking)", "toAll(data, links.active)", GOLDEN),
                new Mutant("a repair goes to the group although some have it", FANOUT, "group != null && !links.inGroup.isEmpty() && isWholeGroup(slots)",
                        "group != null && !links.inGroup.isEmpty()", GOLDEN),
                new Mutant("a loss is forgotten before its repair comes", RECOVERY, "        replier.requests.add(terms.sequence(loss.index), loss.rank);",
                        "        replier.requests.add(terms.sequence(loss.index), loss.rank);\n        losses.free(loss);", GOLDEN),
                new Mutant("no delay to decide", REPLIERS, "return Math.min(MOST_DELAY, most - Math.min(least, most) + settings.leastDelay().toNanos());",
                        "return 0;", LOCAL + "theDelayToDecideFindsOutWhoElseMissesIt"),
                new Mutant("no pause after a repair", RECOVERY, "return loss.served.get(link.slot) && now - loss.servedAt[link.slot] <", "return loss.served.get(link.slot) && 0 >",
                        LOCAL + "aRequestThatCrossedTheRepairIsNotAnswered"),
                new Mutant("gaps are not found by the node", RECOVERY, "if (!settings.detect() || above.isHere()) {", "if (true) {",
                        LOCAL + "whatASiteLostIsFoundByItsNodeAndRepairedByAnotherSite"),
                new Mutant("the receiver repeats an early NACK", RECEPTION, "missing.postpone(first + i, until);", "missing.postpone(first + i, 0);",
                        LOCAL + "whatASiteLostIsFoundByItsNodeAndRepairedByAnotherSite"),
                new Mutant("a node keeps the content of what passes", RECOVERY,
                        "        int copies = fanout.toAll(data, held.lacking(index));\n        counters.add(Count.COPIES, copies);",
                        "        int copies = fanout.toAll(data, held.lacking(index));\n        addresses.add(io.netty.buffer.Unpooled.copiedBuffer(data.body()));\n        counters.add(Count.COPIES, copies);\n",
                        "ANodeKeepsNoContentTest#inTheMiddleOfRepairsNoOctetOfContentIsReachableFromANode").and(RECOVERY,
                        "    private long next = -1;\n", "    private long next = -1;\n    private final java.util.List<Object> addresses = new java.util.ArrayList<>();\n"));
    }

    private static Stream<Mutant> choices() {
        return Stream.of(
                new Mutant("a node does what the session did not ask for", NODE, "settings.hop().within(asked);", "settings.hop();",
                        CHOOSES + "theSourcesNodeDetectsAndTheOthersElect"),
                new Mutant("a node takes itself for the source's", NODE, "of(!settings.neighbours().get().contains(parent));", "of(true);",
                        CHOOSES + "theSourcesNodeDetectsAndTheOthersElect"),
                new Mutant("a node does more than its operator allows", "hop/HopSettings.java", "services().and(asked)", "asked",
                        CHOOSES + "aNodeDoesNoMoreThanItsOperatorAllowsAndSaysSo"),
                new Mutant("the tag does not vouch for the choice", "wire/Writer.java", "head(out, Kind.ANNOUNCE, ofTerms(announce), 0).writeLong(announce.session());\n            fields(announce, out);",
                        "head(out, Kind.ANNOUNCE, 0, 0).writeLong(announce.session());\n            out.writeInt(announce.number());",
                        CHOOSES + "whoeverChangesTheChoiceOnItsWayKeepsReceiversOut"));
    }

    private static Stream<Mutant> repliers() {
        return Stream.of(
                new Mutant("one that misses the packet is elected", REPLIERS, "links.active.get(slot) && !loss.lacking.get(slot)", "links.active.get(slot)",
                        LOCAL + "theDelayToDecideFindsOutWhoElseMissesIt"),
                new Mutant("a dead replier is elected again", REPLIERS, "if (again && link.lastHeard - loss.askedAt <= 0) {", "if (false) {",
                        LOCAL + "whenAllRepliersAreDeadItIsAskedForAbove"),
                new Mutant("a dead replier is elected again before others", REPLIERS, "- (again ? AGAIN : 0)", "+ (again ? AGAIN : 0)",
                        LOCAL + "aReplierThatDiesIsReplacedByTheNodeWithinItsTimer").and(REPLIERS, "if (again && link.lastHeard - loss.askedAt <= 0) {", "if (false) {"),
                new Mutant("no repair timer", RECOVERY, "now + (settings.repairTimer() ? usual :", "now + (false ? usual :",
                        LOCAL + "aReplierThatDiesIsReplacedByTheNodeWithinItsTimer"),
                new Mutant("no site is elected", REPLIERS, "link.node && settings.elect() == Election.HOSTS", "link.node",
                        LOCAL + "whatASiteLostIsFoundByItsNodeAndRepairedByAnotherSite"),
                new Mutant("a repair of one who was not asked is handed on", RECOVERY, "loss == null || !loss.asked.get(link.slot) ||", "loss == null ||",
                        LOCAL + "onlyWhoWasAskedMayRepair"),
                new Mutant("a repair that nobody misses is handed on", RECOVERY, "        if (loss == null || !loss.asked.get(link.slot)",
                        "        if (loss == null) {\n            fanout.toAll(data, links.active);\n        }\n        if (loss == null || !loss.asked.get(link.slot)",
                        HOSTILE + "aRepairThatNobodyAskedForGoesNowhere"),
                new Mutant("who sent wrong repairs may be elected", HOP, "blamed.excluded = true;", "blamed.excluded = false;",
                        HOSTILE + "wrongRepairsAreFoundAndTheirSenderIsNamedAndNotAskedAgain"));
    }

    private static Stream<Mutant> trust() {
        return Stream.of(
                new Mutant("cookies are not looked at", HOP, "if (link == null || link.cookie != cookie) {", "if (link == null) {",
                        HOSTILE + "withoutTheCookieNothingIsBelieved"),
                new Mutant("a link may speak for others", "hop/MemberReports.java", "MemberState last = link.members.remove(member);",
                        "MemberState last = links.of(member) == null ? null : links.of(member).members.remove(member);",
                        HOSTILE + "withoutTheCookieNothingIsBelieved"),
                new Mutant("the receiver does not look at tags", RECEIVER, "if (isNew && !key.verify(data)) {", "if (false) {",
                        HOSTILE + "wrongRepairsAreFoundAndTheirSenderIsNamedAndNotAskedAgain"),
                new Mutant("a blame is believed without a repair", HOP, "recent.has(index, member) ||", "true ||",
                        HOSTILE + "aBlameIsBelievedOnlyOfOneWhoRepaired"),
                new Mutant("a link may ask without end", LINK, "if (allowance < 1) {", "if (false) {", LOCAL + "overlargeRequestsAreCountedAndNotServed"),
                new Mutant("a range is not held to what was sent, and its end may wrap", "wire/SessionTerms.java", "return index >= 0 && index < packets && range.count() <= packets - index;",
                        "return index >= 0 && index + range.count() <= packets;",
                        HOSTILE + "aRangeBeyondAllNumbersIsRefusedWhole").and(RECOVERY, "Math.max(0, Math.min(range.count(), next - first))", "range.count()"),
                new Mutant("the source does not look at the tags of joins", SOURCE, "if (!key.verify(join)) {", "if (false) {",
                        ENDS + "aJoinThatTheSecretDoesNotVouchForIsRefused"),
                new Mutant("the receiver joins whatever is announced", RECEIVER, "if (!candidate.verify(heard)) {", "if (false) {",
                        ENDS + "whoHasAnotherSecretTakesNoPartAndSaysWhy"));
    }

    private static Stream<Mutant> networks() {
        String once = "AnyTreeTest#networksThatWereWrongOnce";
        return Stream.of(
                new Mutant("what was just served is taken for missing", RECOVERY, "loss.phase != Phase.SERVED && lackedByAll(loss)", "lackedByAll(loss)", once),
                new Mutant("a repair is no news of its packet", RECOVERY, "if (next < 0 || index < next) {\n            return false;", "if (true) {\n            return false;",
                        once),
                new Mutant("the answer to a request does not restart the timer", RECOVERY, "                askAbove(now, loss);\n                loss.rank = asked;",
                        "                above.ask(index, loss.rank);", once),
                new Mutant("who was served is forgotten when another link asks", RECOVERY, "loss.servedNow(now);", "loss.served.clear();", once),
                new Mutant("who was served is forgotten when above is given the packet", "hop/MissingPacket.java", "served.or(lacking);\n        if", "served.clear();\n        served.or(lacking);\n        if", once),
                new Mutant("neighbours are not asked for in a row", "receiver/MissingPackets.java", ": Long.compare(a.one().index, b.one().index));", ": 0);",
                        RESTART + "aReceiverThatComesBackGoesOnWithWhatItHad"),
                new Mutant("the rate does not fall", "source/RateControl.java", "rate = Math.max(rate * MOST_DECREASE, Math.min(rate * DECREASE, through));",
                        "rate = Math.max(rate, through);", "TheRateFollowsTheSlowestTest#aBottleneckAtOneSiteIsFound"));
    }

    private static Stream<Mutant> sessions() {
        return Stream.of(
                new Mutant("an accept that was lost comes from the source alone", NODE, "            acceptAgain(now, join);\n", "",
                        ENDS + "anAcceptThatWasLostOnTheLastLinkIsSaidAgainByTheNode"),
                new Mutant("a source that closes answers a challenge", SOURCE, "\n                && state != State.CLOSING && state != State.OVER;", ";",
                        ENDS + "aSourceThatIsChallengedAtItsEndIsNotKeptAwake"),
                new Mutant("what above alone wants is remembered without end", RECOVERY, "if (there && !settings.repairTimer()) {\n            if (loss.lacking.isEmpty()) {",
                        "if (there && !settings.repairTimer()) {\n            if (false) {", LOCAL + "whatAboveAloneWantsIsForgottenWithoutARepairTimer"),
                new Mutant("who comes late is taken in spite of REFUSE", MEMBERSHIP, "started && settings.late() == Late.REFUSE", "false",
                        RESTART + "whoComesLateIsRefused"),
                new Mutant("two receivers have one name", MEMBERSHIP, "if (member.instance != join.instance() && !gone) {", "if (false) {",
                        ENDS + "oneNameIsForOneReceiver"),
                new Mutant("who is not expected is taken", MEMBERSHIP, "if (!settings.members().isEmpty() ||", "if (", ENDS + "onlyWhoIsExpectedTakesPart"),
                new Mutant("sequence numbers do not wrap", "wire/SessionTerms.java", "return index >= 0 && index < packets;",
                        "return sequence >= first && sequence < first + packets;", ENDS + "sequenceNumbersWrapAt63And64Bits"),
                new Mutant("who is not reported any more is waited for", "hop/MemberReports.java", "now - link.reported.get(member) <= timeout", "true",
                        RESTART + "aReceiverThatDiesWithItsNodeIsGivenUpToo"),
                new Mutant("a node that was restarted does not say so", NODE, "outlet.send(new Rejoin(announce.session()), from);", "counters.refused();",
                        RESTART + "aNodeThatDiesAtTheEndIsReplacedAtTheEnd").and("node/NodeCore.java", "outlet.send(new Rejoin(message.session()), from);",
                        "counters.refused();"),
                new Mutant("a receiver forgets what it had", RECEPTION, "have = store.open(session, its);",
                        "store.open(session, its);\n        have = new PacketSet(its.packets());", RESTART + "aReceiverThatComesBackGoesOnWithWhatItHad"),
                new Mutant("who is too slow stays", SOURCE, "if (behind && (double)", "if (false && (double)",
                        RESTART + "aReceiverThatIsTooSlowIsTakenOutByName"));
    }
}
