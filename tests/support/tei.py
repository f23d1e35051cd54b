"""Papers as TEI, of a few words."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape


def tei_text(
    title: str,
    *,
    abstract: str = "",
    doi: str = "",
    sections: Mapping[str, str] | None = None,
    cited: Sequence[str] = (),
    ids: Mapping[str, str] | None = None,
    authors: Sequence[str] = (),
) -> str:
    """A paper.

    Args:
        title: Its title.
        abstract: Its abstract.
        doi: Its DOI.
        sections: Texts by heading; an introduction of two words where there are none.
        cited: Titles of the works in its list of references.
        ids: The `idno` element of some of these works, by title.
        authors: Surnames.
    """
    people = "".join(
        f"<author><persName><surname>{escape(name)}</surname></persName></author>"
        for name in authors
    )
    number = f'<idno type="DOI">{doi}</idno>' if doi else ""
    body = "".join(
        f"<div><head>{escape(head)}</head><p>{escape(text)}</p></div>"
        for head, text in (sections or {"Introduction": "Some words."}).items()
    )
    entries = "".join(
        f'<biblStruct><analytic><title level="a">{escape(work)}</title></analytic>'
        f"{(ids or {}).get(work, '')}</biblStruct>"
        for work in cited
    )
    return f"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
        <title level="a" type="main">{escape(title)}</title></titleStmt><sourceDesc><biblStruct>
        <analytic>{people}</analytic>{number}</biblStruct></sourceDesc></fileDesc><profileDesc>
        <abstract><p>{escape(abstract)}</p></abstract></profileDesc></teiHeader><text><body>{body}
        </body><back><div type="references"><listBibl>{entries}</listBibl></div></back></text>
        </TEI>"""
