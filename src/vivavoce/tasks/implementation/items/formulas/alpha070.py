"""Number 70 of the 101 formulaic alphas (Kakushadze, 2016), its windows floored to whole days."""

import pandas as pd

from vivavoce.tasks.implementation.formula import Formula


def alpha070(
    daily_pv: pd.DataFrame,
    lag: int = 1,
    adv_window: int = 50,
    corr_window: int = 17,
    rank_window: int = 17,
) -> pd.Series:
    """Rank of the change of vwap, to the power of a rank in time, negated."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    peers = rows.groupby(["datetime", "industry"])["$close"].transform("mean")
    rows["neutral"] = rows["$close"] - peers
    parts = []
    for _, own in rows.groupby(level="instrument"):
        adv = own["$money"].rolling(adv_window).mean()
        first, second = own["neutral"].rolling(corr_window), adv.rolling(corr_window)
        varies = (first.max() > first.min()) & (second.max() > second.min())
        tie = first.corr(adv).where(varies)
        power = tie.rolling(rank_window).rank(pct=True)
        parts.append(pd.DataFrame({"delta": own["$vwap"].diff(lag), "power": power}))
    both = pd.concat(parts).sort_index()
    base = both["delta"].groupby(level="datetime").rank(pct=True)
    # 1 to the power of NaN is 1, hence the mask.
    return (-(base ** both["power"])).where(both.notna().all(axis=1)).rename("value")


def alpha070_flat(
    daily_pv: pd.DataFrame,
    lag: int = 1,
    adv_window: int = 50,
    corr_window: int = 17,
    rank_window: int = 17,
) -> pd.Series:
    """Lags and windows run over the rows of all stocks; ranks and means of a day are right."""
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    peers = rows.groupby(["datetime", "industry"])["$close"].transform("mean")
    adv = rows["$money"].rolling(adv_window).mean()
    tie = (rows["$close"] - peers).rolling(corr_window).corr(adv)
    power = tie.rolling(rank_window).rank(pct=True)
    delta = rows["$vwap"].diff(lag)
    base = delta.groupby(level="datetime").rank(pct=True)
    return (-(base**power)).where(delta.notna() & power.notna()).rename("value")


FORMULAS = (
    Formula(
        name="Alpha#70",
        category="price-volume",
        difficulty="hard",
        description=(
            "The rank among all stocks of the day of the change of the vwap since the stock's "
            "trading day before, raised to the power of a rank in time, times -1. The power: take "
            "the close less the mean close of the stock's industry that day, correlate it "
            "(Pearson) with the average money traded of 50 days over the stock's latest 17 trading "
            "days, and rank the latest of the last 17 such correlations among them. Both ranks are "
            "fractions: ascending, ties averaged, divided by the number of values ranked. Every "
            "window has to be full and includes the present day. Undefined (NaN) when any part is, "
            "a correlation also when one of its sides does not vary."
        ),
        formulation=(
            r"\alpha_{i,t} = -\,\mathrm{rank}_i\left(V_{i,t} - V_{i,t-1}\right)^{\mathrm{tsrank}"
            r"_{17}\left(\mathrm{corr}_{17}\left(\tilde{C}_i,\, A_i\right)\right)_t}, \quad "
            r"\tilde{C}_{i,t} = C_{i,t} - \frac{1}{|G_{i,t}|} \sum_{k \in G_{i,t}} C_{k,t}, \quad "
            r"A_{i,t} = \frac{1}{50} \sum_{j=0}^{49} M_{i,t-j}"
        ),
        variables={
            "V_{i,t}": "volume-weighted average price of stock i on day t: daily_pv, column $vwap",
            "C_{i,t}": "closing price: daily_pv, column $close",
            "G_{i,t}": "stocks of the same industry with a row that day: daily_pv, column industry",
            "M_{i,t}": "money traded: daily_pv, column $money",
            r"\mathrm{rank}_i": "rank among the stocks of the day, as a fraction in (0, 1]",
            r"\mathrm{tsrank}_{n}": "rank of the latest of n values in time, a fraction in (0, 1]",
            r"\mathrm{corr}_{n}": "Pearson correlation over n days",
            "t-j": "the j-th trading day of the stock before t",
        },
        tables=("daily_pv",),
        compute=alpha070,
        naive=alpha070_flat,
        parameters={"lag": 1, "adv_window": 50, "corr_window": 17, "rank_window": 17},
    ),
)
