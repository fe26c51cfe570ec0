package org.tamanoir.cluster.frontend;

import java.time.Duration;
import java.util.Optional;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.check.Check.CheckSettings;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.ipvs.CheckerSettings;
import org.tamanoir.cluster.ipvs.Ipvs;
import org.tamanoir.cluster.ipvs.IpvsEngine;
import org.tamanoir.cluster.ipvs.IpvsSettings;
import org.tamanoir.cluster.nft.Nft;
import org.tamanoir.cluster.nft.NftEngine;

/** Which engine a director has: IPVS where it can be used, nftables otherwise, or the one that was asked for. */
public final class EngineChoice {
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration QUICK = Duration.ofMillis(100);
    private static final int RISE = 2;

    private EngineChoice() {
    }

    /**
     * Opens an engine that carries nothing yet.
     *
     * @throws AnepException EE-904 if the one that was asked for, or any at all, cannot run here; EE-501, EE-905, EE-906
     */
    public static Engine open(FrontendConfiguration configuration) {
        String asked = configuration.engine;
        Ipvs.Check ipvs = asked.equals("nft") ? new Ipvs.Check(false, "nft was asked for") : Ipvs.check();
        if (ipvs.usable()) {
            return new IpvsEngine(new IpvsSettings(configuration.dataDirectory().resolve("ipvs"), checks(configuration), configuration.vrrp(),
                    IpvsSettings.FIRST_MARK, IpvsSettings.MARKS), ipvs.why());
        }
        if (asked.equals("ipvs")) {
            throw new AnepException(ErrorCode.NO_ENGINE, "IPVS was asked for: " + ipvs.why());
        }
        Optional<String> missing = Nft.check();
        if (missing.isPresent()) {
            throw new AnepException(ErrorCode.NO_ENGINE, asked.equals("nft") ? "nft was asked for: " + missing.get()
                    : ipvs.why() + "; and nftables cannot be used: " + missing.get());
        }
        if (configuration.vrrp != null) {
            throw new AnepException(ErrorCode.NO_ENGINE, "vrrp needs IPVS: the nft engine has no second director (" + ipvs.why() + ")");
        }
        return NftEngine.open(ipvs.why(), () -> "alone", new CheckSettings(configuration.checkPeriod(), configuration.checkTimeout(), QUICK,
                configuration.check.failures, RISE));
    }

    private static CheckerSettings checks(FrontendConfiguration configuration) {
        return new CheckerSettings(configuration.checkPeriod(), configuration.checkTimeout(), configuration.check.failures - 1, PAUSE);
    }
}
