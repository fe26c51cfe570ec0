"""The command line: ``tamanoir-observatory``."""

import argparse
import json
import os
import re
import ssl
import sys
from typing import List, Optional

from . import condor
from .client import Observatory, ObservatoryError, Unreachable
from .distances import Distance, Rucio, distances, read_hosts

DONE, FAILED, USAGE, NOT_FOUND, REFUSED, UNREACHABLE = range(6)
EXIT_CODES = "Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 refused or not trusted, 5 unreachable"
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def size(text: str) -> float:
    """Octets, as all commands of Tamanoir read them: 10G."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}' is no size, such as 500M or 10G")
    return float(found[1]) * UNITS[found[2]]


def input_file(text: str):
    """``SIZE=HOST,HOST``."""
    octets, _, hosts = text.partition("=")
    if not hosts:
        raise argparse.ArgumentTypeError(f"'{text}' is not SIZE=HOST,HOST...")
    return size(octets), hosts.split(",")


def site(text: str):
    """``NAME=HOST``."""
    name, _, host = text.rpartition("=")
    if not name or not host:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=HOST")
    return name, host


def parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--observatory", metavar="URL", default=os.environ.get("TAMANOIR_OBSERVATORY", "127.0.0.1:3337"), help="where it listens; default: $TAMANOIR_OBSERVATORY, or 127.0.0.1:3337")
    common.add_argument("--token-file", metavar="FILE", help="a file whose first line is a token of a reader")
    common.add_argument("--authorities", metavar="FILE", help="who signs the certificate of the observatory, in PEM")
    common.add_argument("--certificate", metavar="FILE", help="a certificate of your own, in PEM")
    common.add_argument("--key", metavar="FILE", help="its key")
    common.add_argument("--timeout", metavar="SECONDS", type=float, default=10.0, help="default: %(default)s")
    common.add_argument("--tolerance", metavar="SECONDS", type=float, default=3600.0, help="how old a sample may be; default: %(default)s")
    common.add_argument("--json", action="store_true", help="print JSON")

    top = argparse.ArgumentParser(prog="tamanoir-observatory", description="Asks an observatory what transfers cost, for those who choose.", epilog=EXIT_CODES)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, what: str, example: str, **more) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=what, description=what, parents=[common], formatter_class=argparse.RawDescriptionHelpFormatter, epilog=f"Example:\n  tamanoir-observatory {example}\n\n{EXIT_CODES}", **more)

    costs = command("costs", "What a transfer costs, by each function.", "costs --size 1G se.na.infn.it se1.df.unipi.it")
    costs.add_argument("source", metavar="FROM")
    costs.add_argument("destination", metavar="TO")
    rank = command("rank", "Replicas in order, the best first.", "rank --size 1G --to se1.df.unipi.it se.na.infn.it se.ct.infn.it")
    rank.add_argument("replicas", metavar="REPLICA", nargs="+", help="hosts that have the file")
    rank.add_argument("--to", metavar="HOST", action="append", required=True, help="where the file is to come to; may be repeated")
    rank.add_argument("--by", metavar="FUNCTION", default="time", choices=("time", "closeness", "netcost"), help="time, closeness or netcost; default: %(default)s")
    command("matrix", "The newest sample of every session, a line each.", "matrix --json")

    exporter = command("distances", "Distances of Rucio's RSEs, in seconds for a file of this size. Changes nothing unless --apply is given.", "distances --rses rses.txt --size 10G")
    exporter.add_argument("--rses", metavar="FILE", help="lines of 'RSE HOST'; without it Rucio is asked for its RSEs and the hosts of their protocols")
    exporter.add_argument("--expression", metavar="RSES", help="an RSE expression: only these, of those that Rucio has")
    exporter.add_argument("--compare", action="store_true", help="ask Rucio for its distances, and print those that differ")
    exporter.add_argument("--apply", action="store_true", help="change in Rucio what differs")
    exporter.add_argument("--add", action="store_true", help="also add distances between RSEs that have none. Rucio then uses these pairs, which it did not before")
    exporter.add_argument("--change", metavar="RATIO", type=float, default=0.2, help="a distance that differs by less stays; default: %(default)s")

    ranking = command("condor-rank", "A line for a submit file of HTCondor: machines whose input arrives soonest come first.", "condor-rank --input 2G=se1.na.infn.it,se.ct.infn.it --site PISA=se1.df.unipi.it --site NAPLES=se.na.infn.it")
    ranking.add_argument("--input", metavar="SIZE=HOST,HOST", type=input_file, action="append", required=True, help="a file that the job reads, and the hosts that have it; may be repeated")
    ranking.add_argument("--site", metavar="NAME=HOST", type=site, action="append", required=True, help="a value of --attribute, and the host to which files come there; may be repeated")
    ranking.add_argument("--attribute", metavar="NAME", default="GLIDEIN_Site", help="of machines; default: %(default)s")

    for each in (costs, rank, exporter):
        each.add_argument("--size", type=size, default=size("1G"), help="of the file; default: 1G")

    runs = commands.add_parser("rucio-run", help="Runs a program of Rucio's server with the strategy ObservatoryCost.", formatter_class=argparse.RawDescriptionHelpFormatter,
                               description="Runs a program of Rucio's server with the strategy ObservatoryCost.", epilog=f"Example:\n  tamanoir-observatory rucio-run rucio-conveyor-submitter --run-once\n\n{EXIT_CODES}")
    runs.add_argument("--instead-of", metavar="STRATEGY", default="FailureRate", help="one of Rucio's strategies that the site does not use: ObservatoryCost takes its place; default: %(default)s")
    runs.add_argument("program", metavar="PROGRAM", nargs=argparse.REMAINDER, help="with its options")
    return top


def observatory(options: argparse.Namespace) -> Observatory:
    token = None
    if options.token_file:
        with open(options.token_file, encoding="utf-8") as file:
            token = file.readline().strip()
    context = None
    if options.authorities or options.certificate:
        context = ssl.create_default_context(cafile=options.authorities)
        if options.certificate:
            context.load_cert_chain(options.certificate, options.key)
    return Observatory(options.observatory, token, options.timeout, context)


def costs(options: argparse.Namespace) -> None:
    found = observatory(options).costs(options.source, options.destination, options.size, tolerance=options.tolerance)
    if options.json:
        print(json.dumps({name: vars(each) for name, each in found.items()}, indent=2))
        return
    for name, each in found.items():
        print(f"{name:<10} " + (f"{each.value:.6g} {each.unit} ± {each.error:.3g}, {'; '.join(each.why)}" if each.known else f"not known: {'; '.join(each.why)}"))


def rank(options: argparse.Namespace) -> None:
    ranked = observatory(options).rank(options.replicas, options.to, options.size, options.by, tolerance=options.tolerance, explain=True)
    if options.json:
        print(json.dumps({to: [vars(each) for each in replicas] for to, replicas in ranked.items()}, indent=2))
        return
    for to, replicas in ranked.items():
        for each in replicas:
            print(f"{each.host} {to} " + (f"{each.value:.6g} ± {each.error:.3g}" if each.known else f"not known: {'; '.join(each.why)}"))


def matrix(options: argparse.Namespace) -> None:
    newest = observatory(options).matrix()
    if options.json:
        print(json.dumps(newest, indent=2))
        return
    for each in newest:
        print(each["session"], *(f"{name}={value:g}" for name, value in each["values"].items()))


def export(options: argparse.Namespace) -> None:
    rucio = Rucio() if options.apply or options.compare or not options.rses else None
    if options.rses:
        with open(options.rses, encoding="utf-8") as file:
            hosts = read_hosts(file)
    else:
        hosts = rucio.hosts(options.expression)
    found = distances(observatory(options), hosts, options.size, options.tolerance)
    if rucio:
        found = [each for each in map(rucio.known, found) if each.differs(options.change) and (each.old is not None or options.add)]
    if options.json:
        print(json.dumps([vars(each) for each in found], indent=2))
    for each in found:
        if options.apply:
            rucio.put(each)
        if not options.json:
            print(line(each, rucio is not None))
    if not options.apply:
        print("nothing was changed; --apply changes it in Rucio", file=sys.stderr)


def line(distance: Distance, is_compared: bool) -> str:
    return f"{distance.source} {distance.destination} {distance.new}" + (f" was {'none' if distance.old is None else distance.old}" if is_compared else "")


def condor_rank(options: argparse.Namespace) -> None:
    sites = dict(options.site)
    seconds = condor.input_seconds(observatory(options), options.input, sites, options.tolerance)
    if options.json:
        print(json.dumps({"seconds": seconds, "rank": condor.rank_expression(seconds, list(sites), options.attribute)}, indent=2))
        return
    for unknown in sites.keys() - seconds.keys():
        print(f"nothing is known of a way to {unknown} for some of the input", file=sys.stderr)
    print("rank = " + condor.rank_expression(seconds, list(sites), options.attribute))


def rucio_run(options: argparse.Namespace) -> None:
    if not options.program:
        raise ValueError("rucio-run needs a program of Rucio, such as rucio-conveyor-submitter")
    from . import rucio_strategy

    rucio_strategy.run(options.program, options.instead_of)


def main(arguments: Optional[List[str]] = None) -> int:
    options = parser().parse_args(arguments)
    work = {"costs": costs, "rank": rank, "matrix": matrix, "distances": export, "condor-rank": condor_rank, "rucio-run": rucio_run}[options.command]
    try:
        work(options)
    except Unreachable as error:
        return said(error, UNREACHABLE)
    except ObservatoryError as error:
        return said(error, {400: USAGE, 401: REFUSED, 403: REFUSED, 404: NOT_FOUND}.get(error.status, FAILED))
    except ImportError as error:
        return said(f"{error}: install it beside this package, with pip install rucio-clients, or rucio for rucio-run", FAILED)
    except (ValueError, OSError) as error:
        return said(error, USAGE)
    except Exception as error:
        if not type(error).__module__.startswith("rucio."):
            raise
        return said(f"Rucio says: {error}", FAILED)
    return DONE


def said(error, code: int) -> int:
    print(f"tamanoir-observatory: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
