"""
Streams through Tamanoir's active nodes, for asyncio.

    import asyncio, tamanoir

    async def main() -> None:
        async with tamanoir.open(via="127.0.0.1:3322", to="127.0.0.1:7000", services=["monitoring"]) as stream:
            await stream.send(b"hello")
            await stream.finish()
            async for payload in stream:
                print(bytes(payload))

    asyncio.run(main())
"""

from .collective import Collective, GroupFailed, join
from .datagram_listening import DatagramListener, listen_datagrams
from .datagrams import Datagrams, open_datagrams
from .errors import MalformedPacket, Refused, TamanoirError
from .listening import Listener, listen
from .opening import Tls, Token, open
from .packet import Options
from .resuming import Resume, ResumableStream
from .stream import Stream

__all__ = ["Collective", "DatagramListener", "Datagrams", "GroupFailed", "Listener", "MalformedPacket", "Options", "Refused", "Resume", "ResumableStream", "Stream", "TamanoirError", "Tls", "Token", "join", "listen", "listen_datagrams", "open",
           "open_datagrams"]
