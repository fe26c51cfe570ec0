"""What goes wrong with a stream, by the codes of docs/errors.md."""


class TamanoirError(Exception):
    """A stream, or a request for one, has failed. ``code`` is such as ``EE-202``, ``text`` says it in words."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code} {text}" if text else code)
        self.code = code
        self.text = text


class Refused(TamanoirError):
    """A node, or the far end, has ended the stream with an error packet: its code and its words."""


class MalformedPacket(TamanoirError):
    """Octets that are no packet: EE-101 to EE-109."""


def wrong(text: str) -> TamanoirError:
    """EE-408: a request that makes no sense."""
    return TamanoirError("EE-408", text)
