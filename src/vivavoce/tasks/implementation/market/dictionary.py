"""What a model is told about the market: a data dictionary in three levels, and domain notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from vivavoce.errors import InputError

Level = Literal["none", "brief", "full"]
LEVELS: tuple[str, ...] = get_args(Level)
"""How much a contestant is told of the columns, by name."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    meaning: str
    unit: str
    detail: str = ""
    """Adjustment, values to expect, what NaN means: only in a full dictionary."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table, stored as NAME.parquet."""

    title: str
    detail: tuple[str, ...]
    columns: Mapping[str, Column]


_INSTRUMENT = Column("Code of the stock", "text", "Exchange and number, such as SH600001.")
_REPORT = "Changes with a new report, about every 60 trading days. NaN: no report"
_RATIO = "Moves with the price every day"
_ADJUSTED = "Adjusted for dividends."
_PAID = "As paid, not adjusted."

DAILY_PV = Table(
    "prices and volumes, one row a trading day and stock",
    (
        "Prices are adjusted: the price paid, times `$factor`. Shares and money are not adjusted.",
        "On a day locked at the price limit, open, high, low and close are the same, so that a "
        "division by their differences has no finite result.",
        "No value is NaN here: a day without trading has no row.",
    ),
    {
        "datetime": Column("Trading day", "timestamp", "Midnight, without time zone."),
        "instrument": _INSTRUMENT,
        "$open": Column("Opening price", "currency a share", _ADJUSTED),
        "$close": Column("Closing price", "currency a share", _ADJUSTED),
        "$high": Column("Highest price of the day", "currency a share", _ADJUSTED),
        "$low": Column("Lowest price of the day", "currency a share", _ADJUSTED),
        "$vwap": Column(
            "Average price of the day, weighted by volume", "currency a share", _ADJUSTED
        ),
        "$volume": Column(
            "Shares traded that day",
            "shares",
            "Not adjusted. Volume counts shares; it is not volatility, which is the deviation of "
            "returns.",
        ),
        "$money": Column(
            "Money traded that day", "currency", "Not adjusted: `$vwap / $factor * $volume`."
        ),
        "$factor": Column(
            "Adjustment factor: price here / price paid",
            "ratio",
            "1 at first; rises on the days a dividend is paid. `$close / $factor` is the closing "
            "price as paid.",
        ),
        "industry": Column(
            "Industry group of the stock", "text", "One of 8 groups; a stock stays in its group."
        ),
    },
)

DAILY_F = Table(
    "fundamentals, one row a trading day and stock, the same rows as daily_pv",
    (
        "A value is what was known on that day: the last report, where a ratio has a price, "
        "divided by or into that day's closing price as paid.",
        "NaN is missing, never 0. Values can be 0 or negative.",
    ),
    {
        "datetime": Column("Trading day", "timestamp", "Midnight, without time zone."),
        "instrument": _INSTRUMENT,
        "B/P": Column(
            "Book value a share / price",
            "ratio",
            f"The inverse of price to book. {_RATIO}. NaN: no report.",
        ),
        "PE": Column(
            "Price / earnings a share of the last year",
            "ratio",
            f"{_RATIO}. Negative with a loss. NaN: no report, or earnings of nearly 0.",
        ),
        "ROE": Column(
            "Return on equity: yearly earnings / book value",
            "fraction",
            f"0.12 is 12%. {_REPORT}.",
        ),
        "net_profit_growth": Column(
            "Growth of net profit against a year before",
            "fraction",
            f"0.25 is 25%; can be 0. {_REPORT}, or a loss the year before.",
        ),
        "turnover": Column(
            "Share of the free float traded that day",
            "fraction",
            "`$volume / free_float_shares`; 0.01 is 1%. NaN: shares unknown.",
        ),
        "free_float_shares": Column(
            "Shares free to be traded", "shares", "Steps up on some days. NaN: unknown."
        ),
        "free_float_cap": Column(
            "Market value of the free float",
            "currency",
            "`free_float_shares` times the closing price as paid. NaN: shares unknown.",
        ),
    },
)

HIGH_FREQ = Table(
    "quotes and trades, one row a minute and stock, for 20 stocks and 10 days",
    (
        "A day has 240 minutes, stamped with their end: 09:31 to 11:30 and 13:01 to 15:00.",
        "Prices are as paid; none is NaN. A factor of a day has that day's midnight as datetime.",
    ),
    {
        "datetime": Column("End of the minute", "timestamp", "Without time zone."),
        "instrument": _INSTRUMENT,
        "bid": Column("Best price a buyer offers", "currency a share", _PAID),
        "ask": Column("Best price a seller asks", "currency a share", _PAID),
        "bidV": Column(
            "Shares wanted at the bid",
            "shares",
            "In some minutes bidV and askV are both 0, for one stock all day: what is divided by "
            "their sum is undefined there.",
        ),
        "askV": Column("Shares offered at the ask", "shares", "See bidV."),
        "close": Column("Last price of the minute", "currency a share", _PAID),
        "volume": Column(
            "Shares traded in the minute",
            "shares",
            "Can be 0. A day's minutes add up to its `$volume`.",
        ),
    },
)

DICTIONARY: Mapping[str, Table] = {
    "daily_pv": DAILY_PV,
    "daily_f": DAILY_F,
    "high_freq": HIGH_FREQ,
}

_ROWS = (
    "Rows are in no order: sort them by datetime and instrument before anything that looks back.",
    "Some stocks are listed late and have no earlier rows; some are suspended and have no rows "
    "for days or weeks. No rows are to be added for those days.",
)

NOTES: Mapping[str, str] = {
    "neutralisation": "To neutralise a value against a group, such as the industry, subtract from "
    "each stock's value the mean of its group on the same day, over the stocks of the group that "
    "have a value. It is done within a day, never over time, and leaves each group with mean 0.",
    "growth": "Growth is a relative change, new / old - 1, and not the difference new - old. A "
    "growth of 25% is stored as 0.25.",
    "lags": "A lag of k days is the k-th row before among the rows of the same stock, sorted by "
    "datetime: group by instrument first. Days without a row are not counted. A stock's first k "
    "rows have no such value: NaN, unless the formula says otherwise. The same holds for windows.",
    "ranks": "A cross-sectional rank is taken among the stocks of one day, ascending from 1 for "
    "the smallest. Ties share the mean of their ranks; NaN has no rank. A percentile rank is that "
    "rank divided by the number of ranked values.",
    "deviation": "A standard deviation is the sample one, divided by n - 1; so is a covariance. "
    "A window that has fewer values than its length gives NaN.",
    "returns": "A return is close / previous close - 1 of the same stock, of adjusted prices. "
    "Volatility is the deviation of returns; volume is a number of shares.",
    "decay": "A linear decay over d days is a weighted mean: today's value weighs d, the day "
    "before d - 1, down to 1, and the sum is divided by d * (d + 1) / 2.",
    "result": "A result is one Parquet file with datetime, instrument (columns or index levels) "
    "and exactly one value column of floats, one row for each day and stock of the input, NaN "
    "where the value is undefined, no row twice.",
}
"""What a note tells about the market, by the subject of the note."""


def describe(tables: Sequence[str], level: str) -> str:
    """The dictionary of some tables as Markdown; `InputError` for an unknown table or level."""
    if level not in LEVELS:
        raise InputError(f"There is no data level {level!r}; there are {', '.join(LEVELS)}.")
    chosen = _choose(DICTIONARY, tables, "market table")
    if level == "none":
        return "\n".join(
            f"- `{name}.parquet`: {_code(table.columns)}" for name, table in chosen.items()
        )
    if level == "brief":
        return "\n\n".join(_describe_briefly(name, table) for name, table in chosen.items())
    rows = "\n".join(f"- {line}" for line in _ROWS)
    parts = [_describe_fully(name, table) for name, table in chosen.items()]
    return "\n\n".join([*parts, f"All tables:\n\n{rows}"])


def texts(tables: Sequence[str]) -> dict[str, str]:
    """What every level says of some tables, by level, and the `notes`: what a round keeps."""
    return {**{level: describe(tables, level) for level in LEVELS}, "notes": notes()}


def notes(names: Iterable[str] | None = None) -> str:
    """Domain notes of `NOTES` by name, all without names, as a Markdown list."""
    chosen = _choose(NOTES, NOTES if names is None else names, "domain note")
    return "\n".join(f"- **{name}**: {text}" for name, text in chosen.items())


def _describe_briefly(name: str, table: Table) -> str:
    lines = [f"- `{column}`: {entry.meaning}." for column, entry in table.columns.items()]
    return "\n".join([f"`{name}.parquet`: {table.title}.", "", *lines])


def _describe_fully(name: str, table: Table) -> str:
    head = ["| column | unit | meaning | details |", "|---|---|---|---|"]
    rows = [
        f"| `{column}` | {entry.unit} | {entry.meaning} | {entry.detail} |"
        for column, entry in table.columns.items()
    ]
    details = [f"- {line}" for line in table.detail]
    title = f"`{name}.parquet`: {table.title}."
    return "\n".join([title, "", *head, *rows, "", *details])


def _code(columns: Iterable[str]) -> str:
    return ", ".join(f"`{column}`" for column in columns)


def _choose(known: Mapping[str, _T], names: Iterable[str], what: str) -> dict[str, _T]:
    chosen: dict[str, _T] = {}
    for name in names:
        if name not in known:
            raise InputError(f"There is no {what} {name!r}; there are {', '.join(known)}.")
        chosen[name] = known[name]
    return chosen
