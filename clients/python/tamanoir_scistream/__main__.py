"""SciStream's control server with gateways as its data servers: ``python -m tamanoir_scistream --via HOST:PORT --service NAMES -- OPTIONS OF s2cs``."""

import argparse
import shlex
import signal
import sys
from typing import Any, List

from . import Way, take_the_place_of_haproxy


def main(arguments: List[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tamanoir_scistream", description="Starts SciStream's control server (s2cs); its connections are streams through nodes.",
                                     epilog="Example: python -m tamanoir_scistream --via 10.0.1.1:3322 --service monitoring -- --port=5000 --listener_ip=10.0.1.2")
    parser.add_argument("--via", action="append", required=True, metavar="[tls://]HOST:PORT", help="The first node on the way; can be given several times.")
    parser.add_argument("--service", required=True, metavar="NAME[,NAME]", help="The services in order.")
    parser.add_argument("--command", default="tamanoir", help="How the program is started. Default: tamanoir.")
    parser.add_argument("--gateway-options", default="", metavar="WORDS", help="Further options of each gateway, as '--token-file FILE --drain 60'.")
    parser.add_argument("s2cs", nargs="*", help="Options of s2cs, behind --; --type is set.")
    options = parser.parse_args(arguments)
    try:
        from src import s2cs
        from src.s2ds import s2ds
    except ImportError as e:
        parser.exit(1, f"SciStream is not installed here (pip install scistream-proto): {e}\n")
    take_the_place_of_haproxy(s2ds, Way(options.via, options.service, shlex.split(options.command), shlex.split(options.gateway_options)))

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    # SciStream releases what it has when it is interrupted, and not when it is terminated.
    signal.signal(signal.SIGTERM, stop)
    sys.argv = ["s2cs", *options.s2cs, "--type=HaproxySubprocess"]
    s2cs.main()


if __name__ == "__main__":
    main(sys.argv[1:])
