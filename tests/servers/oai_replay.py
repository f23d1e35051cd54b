"""A small OAI-PMH repository on the loopback interface, which can be told to misbehave.

It answers as the protocol describes (https://www.openarchives.org/OAI/2.0/openarchivesprotocol.htm)
and, like arXiv's, gives tokens that say from which day on and after how many records to go on.
Every request is kept by the server that it runs in, and a fault may take the place of any answer.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, Script, replaying

ENVELOPE = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">
<responseDate>2024-06-30T00:00:00Z</responseDate>
<request verb="ListRecords">https://oai.example.org/oai</request>
{content}
</OAI-PMH>"""
RECORD = """<record><header><identifier>oai:arXiv.org:{arxiv_id}</identifier>
<datestamp>{day}</datestamp><setSpec>cs:cs:CL</setSpec></header><metadata>
<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>{arxiv_id}</id><submitter>One</submitter>
<version version="v1"><date>Mon, 3 Jun 2024 10:00:00 GMT</date><size>9kb</size></version>
<title>{title}</title><authors>Ada First, Bo Second</authors><categories>cs.CL</categories>
<abstract>Words.</abstract></arXivRaw></metadata></record>"""
DELETED = """<record><header status="deleted"><identifier>oai:arXiv.org:{arxiv_id}</identifier>
<datestamp>{day}</datestamp></header></record>"""


def envelope(content: str) -> bytes:
    return ENVELOPE.format(content=content).encode()


def error_of(code: str, text: str = "a reason") -> bytes:
    return envelope(f'<error code="{code}">{text}</error>')


@dataclass
class Repository:
    """Records by id, each with the day it was changed; `answer` serves them by day and id."""

    days: dict[str, str]
    page: int = 3
    is_ordered: bool = True
    deleted: frozenset[str] = frozenset()
    titles: Mapping[str, str] = field(default_factory=dict)
    script: Script = lambda ask: None

    def answer(self, ask: Ask) -> Fault:
        fault = self.script(ask)
        if fault is not None:
            return fault
        query = {name: value[0] for name, value in parse_qs(urlsplit(ask.target).query).items()}
        if "resumptionToken" in query:
            query = {k: v[0] for k, v in parse_qs(query["resumptionToken"]).items()}
        return Fault(self.listing(query), headers={"Content-Type": "text/xml"})

    def listing(self, query: Mapping[str, str]) -> bytes:
        first, last = query.get("from", "0000"), query.get("until", "9999")
        skip = int(query.get("skip", 0))
        chosen = [(day, name) for name, day in self.days.items() if first <= day <= last]
        chosen.sort(reverse=not self.is_ordered)
        if not chosen[skip:]:
            return error_of("noRecordsMatch")
        shown = chosen[skip : skip + self.page]
        records = "".join(self.record(name, day) for day, name in shown)
        token = ""
        if skip + self.page < len(chosen):
            more = {**query, "skip": skip + self.page}
            token = urlencode(more).replace("&", "&amp;")
        return envelope(
            f"<ListRecords>{records}<resumptionToken>{token}</resumptionToken></ListRecords>"
        )

    def record(self, name: str, day: str) -> str:
        form = DELETED if name in self.deleted else RECORD
        return form.format(arxiv_id=name, day=day, title=self.titles.get(name, f"Paper {name}"))


def days_of_june(number: int, *, a_day: int = 2) -> dict[str, str]:
    """Papers 2406.00001 onward, so many of them changed on each day from 1 June 2024 on."""
    return {f"2406.{n + 1:05d}": f"2024-06-{n // a_day + 1:02d}" for n in range(number)}


def starts(server: ReplayServer) -> list[dict[str, str]]:
    """What each request asked for, without the verb."""
    queries = (parse_qs(urlsplit(ask.target).query) for ask in server.asks)
    return [{k: v[0] for k, v in query.items() if k != "verb"} for query in queries]


@contextmanager
def serving(repository: Repository, clock: FakeClock) -> Iterator[ReplayServer]:
    """A server of a repository for the length of a block."""
    with replaying({}, clock) as server:
        server.script = repository.answer
        yield server
