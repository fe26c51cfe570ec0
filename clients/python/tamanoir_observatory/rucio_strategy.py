"""A source ranking strategy for Rucio: the source from which the file comes soonest is tried first.

Needs the package ``rucio`` of the server. The class is Rucio's ``SourceRankingStrategy`` as of Rucio 41.5.1.
"""

import functools
import runpy
import shutil
import sys
from typing import Dict, List, Optional

from rucio.common.config import config_get
from rucio.core import transfer
from rucio.core.transfer import RequestRankingContext, SourceRankingStrategy

from .choice import Choice, host_of
from .client import Observatory

SECTION = "observatory"


class ObservatoryCost(SourceRankingStrategy):
    """Costs a source the more the longer the file would take from there, in steps of 10 %. Says nothing while the observatory is away."""

    def __init__(self, choice: Optional[Choice] = None, **_of_the_strategy_replaced):
        super().__init__()
        self._choice = choice or _configured()

    def for_request(self, rws, sources, *, logger=None, session=None) -> RequestRankingContext:
        hosts = {source.rse.id: _host(source.rse) for source in sources}
        return _Context(self, rws, self._choice.costs(hosts, _host(rws.dest_rse), rws.byte_count or 0))

    def apply(self, ctx: RequestRankingContext, source) -> int:
        return ctx.costs.get(source.rse.id, 0)


class _Context(RequestRankingContext):
    def __init__(self, strategy: SourceRankingStrategy, rws, costs: Dict[str, int]):
        super().__init__(strategy, rws)
        self.costs = costs


def _host(rse) -> Optional[str]:
    return host_of(rse.attributes, rse.info)


@functools.lru_cache(maxsize=None)
def _configured() -> Choice:
    # One for the whole process: Rucio makes its strategies anew for each round, and a silent observatory is remembered longer than that.
    def value(option: str, preset):
        return config_get(SECTION, option, raise_exception=False, default=preset, check_config_table=False)

    url = value("url", None)
    if not url:
        raise ValueError(f"rucio.cfg has no 'url' in [{SECTION}]")
    token_file = value("token_file", None)
    token = None
    if token_file:
        with open(token_file, encoding="utf-8") as file:
            token = file.readline().strip()
    timeout = float(value("timeout", 2.0))
    return Choice(Observatory(url, token, timeout), timeout, float(value("pause", 60.0)), float(value("step", 0.1)), float(value("tolerance", 3600.0)))


def install(instead_of: str = "FailureRate") -> None:
    """Lets ``source_ranking_strategies`` name ``ObservatoryCost``.

    Rucio keeps its strategies in a table inside a function and has no place to add one. So the class takes the place of one that the site
    does not use: its name is then unknown.
    """
    if not hasattr(transfer, instead_of):
        raise ValueError(f"this Rucio has no strategy {instead_of}")
    setattr(transfer, instead_of, ObservatoryCost)


def run(command: List[str], instead_of: str = "FailureRate") -> None:
    """Runs a program of Rucio, such as ``rucio-conveyor-submitter``, in this process, with the strategy."""
    program = shutil.which(command[0])
    if not program:
        raise FileNotFoundError(f"there is no program {command[0]}")
    install(instead_of)
    sys.argv = [program, *command[1:]]
    runpy.run_path(program, run_name="__main__")
