"""A rank expression for HTCondor: jobs go first to machines whose input arrives soonest."""

from typing import Dict, List, Mapping, Sequence, Tuple

from .client import Observatory


def input_seconds(observatory: Observatory, files: Sequence[Tuple[float, Sequence[str]]], sites: Mapping[str, str], tolerance: float = 3600.0) -> Dict[str, float]:
    """How long the input takes to each site, file after file, each from its best replica. Sites with a file that nobody knows a way for are left out.

    :param files: the octets of each, and the hosts that have it
    :param sites: the host to which files come, for each site
    """
    seconds = dict.fromkeys(sites, 0.0)
    for size, replicas in files:
        ranked = observatory.rank(replicas, sorted(set(sites.values())), size, tolerance=tolerance)
        for site, host in sites.items():
            best = ranked[host][0]
            if site in seconds and best.known:
                seconds[site] += best.value
            else:
                seconds.pop(site, None)
    return seconds


def rank_expression(seconds: Mapping[str, float], sites: Sequence[str], attribute: str) -> str:
    """A ClassAd expression for ``rank`` of a submit file: minus the seconds, as HTCondor prefers larger ranks.

    A site that is not known ranks with the slowest that is: a job that matches only there runs there.
    """
    if not seconds:
        return "0.0"
    worst = max(seconds.values())
    cases: List[str] = [f"TARGET.{attribute} =?= {quoted(site)} ? {-seconds[site]:.3f} : " for site in sites if site in seconds and seconds[site] < worst]
    return "".join(cases) + f"{-worst:.3f}"


def quoted(text: str) -> str:
    """A string literal of ClassAds."""
    if any(ord(character) < 32 for character in text):
        raise ValueError(f"{text!r} has control characters")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
