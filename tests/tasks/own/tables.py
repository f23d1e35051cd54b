"""A small table of questions for each metric."""

from pathlib import Path

HEAD = "id,input,gold,date,cluster,topic\n"
TABLES = {
    "exact_match": HEAD
    + "capital,What is the capital of France?,Paris,2024-02-01,geography,places\n"
    + 'texas,"The capital of Texas, USA?",Austin,2024-03,geography,places\n'
    + "hamlet,Who wrote Hamlet?,Shakespeare,2024-03-05,,books\n",
    "number_match": HEAD
    + "dozen,How many eggs are a dozen?,12,2024-02-01,,counts\n"
    + "century,How many years has a century?,100,2024-03-01,,counts\n",
    "list_f1": HEAD
    + "primary,Which are the primary colours?,red; yellow; blue,2024-02-01,,colours\n"
    + "flag,Colours of the flag of Italy?,green; white; red,2024-03-01,,colours\n",
    "rougeL": HEAD
    + "sky,Why is it dark at night?,Earth turns away from sunlight,2024-02-01,,nature\n"
    + "rain,Where does rain come from?,Clouds cool until drops fall,2024-03-01,,nature\n",
}


def write_tables(folder: Path) -> dict[str, str]:
    """Write every table into a folder: what `[own]` says of them."""
    for metric, text in TABLES.items():
        (folder / f"{metric}.csv").write_text(text, "utf-8")
    return {metric: str(folder / f"{metric}.csv") for metric in TABLES}
