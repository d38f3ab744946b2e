"""How asking can fail; each message is one line for a person."""


class DreamError(Exception):
    """This part of the dream failed for now; its events are offered again."""


class Unanswerable(DreamError):
    """What was asked about, not the way there, is why: try its sessions alone, and park one that keeps failing."""


class TooLong(Unanswerable):
    """The answer did not fit: ask about less."""


class NoAccess(DreamError):
    """We are not let in; asking again for another part is useless."""
