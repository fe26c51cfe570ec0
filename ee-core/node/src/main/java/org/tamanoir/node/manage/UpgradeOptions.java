package org.tamanoir.node.manage;

import java.time.Duration;
import org.tamanoir.node.deploy.LineSettings;
import org.tamanoir.service.MapConfiguration;

/** How a new version of a service takes the place of an old one, as it is written; see {@link LineSettings}. */
public final class UpgradeOptions {
    /** How long old streams may stay on a version that new ones do not get. */
    public String drain = "10m";
    /** How long the version before is kept for an automatic return. */
    public String probation = "1m";
    /** Streams after which a new version needs no probation any more. */
    public int probationStreams = 20;
    /** Failed streams on probation that bring the version before back. */
    public int failures = 3;

    LineSettings settings(Duration remember) {
        NodeConfiguration.atLeastOne("upgrade: probation-streams", probationStreams);
        NodeConfiguration.atLeastOne("upgrade: failures", failures);
        return new LineSettings(MapConfiguration.parseDuration("upgrade: drain", drain),
                MapConfiguration.parseDuration("upgrade: probation", probation), probationStreams, failures, remember);
    }
}
