"""Asks a Tamanoir observatory what transfers cost. docs/observatory.md describes the requests."""

from .client import Cost, Observatory, ObservatoryError, Replica, Unreachable

__all__ = ["Cost", "Observatory", "ObservatoryError", "Replica", "Unreachable"]
