"""What the sample papers are about: invented topics, techniques and problems.

Every data set, system and figure is made up. The fields hold phrases of a fixed grammatical
kind, so that the sentence templates can join them into plain English.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """A task with its one data set and metric: the triple its papers compete on."""

    title: str
    task: str
    """Noun phrase without an article, singular."""
    item: str
    items: str
    source: str
    sources: str
    users: str
    use: str
    """Gerund phrase."""
    hard: str
    """Clause: why the task is difficult."""
    cues: tuple[str, ...]
    """Plural noun phrases."""
    dataset: str
    holds: str
    """Plural noun phrase: what the data set consists of."""
    metric: str
    higher_is_better: bool
    first_score: float
    """About what the first paper reaches, in points of 100."""
    categories: tuple[str, ...]
    modality: str


@dataclass(frozen=True, slots=True)
class Technique:
    """What a paper does: two parts, what each does (verb phrase) and why (clause)."""

    title: str
    phrase: str
    """Noun phrase without an article, singular."""
    family: str
    """Plural noun phrase."""
    part_a: str
    a_does: str
    a_why: str
    part_b: str
    b_does: str
    b_why: str
    steps: str
    """Singular noun phrase with its article."""
    cost: str
    """Noun phrase."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What a paper is up against."""

    title: str
    phrase: str
    """Plural noun phrase."""
    effect: str
    """Clause."""
    cause: str
    """Clause."""
    probe: str
    """Infinitive phrase: how the paper looks at it."""
    slice: str
    """Noun phrase: the test cases that show it."""


TOPICS = (
    Topic(
        "Table Question Answering", "question answering over tables", "answer", "answers",
        "table", "tables", "auditors", "checking budget reports",
        "the answer often depends on several cells at once",
        ("merged header cells", "footnotes below the last row", "units given only in captions",
         "totals that repeat earlier rows", "abbreviated column names", "empty cells"),
        "Copperline", "questions about invented municipal budgets", "exact match", True, 52.0,
        ("cs.CL",), "tables",
    ),
    Topic(
        "Meeting Summarisation", "summarisation of meetings", "summary", "summaries",
        "transcript", "transcripts", "project leads", "following decisions in large teams",
        "the decision may be spoken long after the reasons for it",
        ("interrupted turns", "decisions taken back later", "side remarks", "agenda changes",
         "unfinished sentences", "references to earlier meetings"),
        "Tidegate", "minutes of staged planning meetings", "ROUGE-L", True, 33.0,
        ("cs.CL", "cs.LG"), "text",
    ),
    Topic(
        "Citation Recommendation", "recommendation of citations", "suggestion", "suggestions",
        "manuscript", "manuscripts", "reviewers", "finding neglected earlier studies",
        "the wording of a claim rarely matches the wording of its evidence",
        ("claims without a keyword", "survey papers", "very recent studies",
         "sentences that cite several studies", "neighbouring fields", "renamed methods"),
        "Quillmark", "citing sentences from constructed manuscripts", "recall at 10", True, 41.0,
        ("cs.IR",), "text",
    ),
    Topic(
        "Field Note Linking", "entity linking in field notes", "link", "links",
        "notebook", "notebooks", "botanists", "merging surveys from different years",
        "observers shorten the same name in many different ways",
        ("local plant names", "crossed-out entries", "shorthand for places", "misspelt genera",
         "names shared by two species", "pages without a date"),
        "Fernway", "mentions from simulated botanical notebooks", "accuracy", True, 61.0,
        ("cs.CL", "cs.IR"), "text",
    ),
    Topic(
        "Harbour Speech Recognition", "recognition of harbour radio speech", "transcription",
        "transcriptions", "recording", "recordings", "port controllers", "logging ship movements",
        "wind, engines and clipped channels hide the ends of words",
        ("overlapping calls", "engine noise", "spelled call signs", "clipped word endings",
         "numbers read digit by digit", "changes of language"),
        "Saltmarsh", "short calls over a synthetic harbour channel", "word error rate", False,
        31.0, ("cs.CL", "cs.LG"), "audio",
    ),
    Topic(
        "Station Anomaly Detection", "anomaly detection in weather stations", "alarm", "alarms",
        "sensor log", "sensor logs", "technicians", "planning repair trips to remote sites",
        "a broken sensor can look exactly like an early storm",
        ("frozen readings", "seasonal drifts", "iced wind vanes", "gaps after power cuts",
         "neighbouring stations that disagree", "sudden pressure drops"),
        "Lanternfield", "hourly series from a modelled sensor network", "average precision", True,
        47.0, ("cs.LG",), "time series",
    ),
    Topic(
        "Repository Code Search", "code search in repositories", "match", "matches",
        "repository", "repositories", "maintainers", "locating code that needs a fix",
        "people describe behaviour while code names its parts",
        ("generated files", "helper functions with short names", "copied modules",
         "outdated comments", "wrappers around one call", "tests that mirror the code"),
        "Mossbank", "queries against artificial repositories", "mean reciprocal rank", True, 44.0,
        ("cs.IR", "cs.LG"), "code",
    ),
    Topic(
        "Public Notice Translation", "translation of public notices", "translation",
        "translations", "notice", "notices", "town clerks", "informing residents in time",
        "short notices leave out whatever local readers already know",
        ("street names", "legal set phrases", "opening hours", "implied subjects",
         "lists without verbs", "polite forms of address"),
        "Windmere", "notices of an imaginary bilingual town", "chrF", True, 49.0,
        ("cs.CL",), "text",
    ),
)  # fmt: skip

TECHNIQUES = (
    Technique(
        "Sparse Segment Routing", "sparse segment routing", "sparse models", "segment router",
        "sends each segment to the two attention blocks that suit it best",
        "most segments depend on only a few others", "balance loss",
        "keeps every block equally busy during training",
        "a block that sees little data never catches up",
        "a linear projection followed by a choice of the two largest values",
        "four percent more training time",
    ),
    Technique(
        "Contrastive Pretraining", "contrastive pretraining", "contrastive encoders",
        "pair builder", "collects pairs that differ in exactly one detail",
        "near misses teach more than random negatives", "margin schedule",
        "widens the required distance as training goes on",
        "a wide margin at the start pushes unrelated cases together",
        "an encoder shared by both members of a pair", "one extra pass over the unlabelled data",
    ),
    Technique(
        "Worked Example Retrieval", "retrieval of worked examples", "memory-based systems",
        "example index", "finds solved cases whose structure resembles the new one",
        "a similar solution narrows down what remains to be decided", "fusion gate",
        "weighs the retrieved solution against the case at hand",
        "a copied solution is harmful when only its surface matches",
        "an inverted list over structural features", "thirty milliseconds for each lookup",
    ),
    Technique(
        "Committee Distillation", "committee distillation", "ensembles and their students",
        "teacher committee", "offers a spread of opinions on every training case",
        "disagreement marks the cases that deserve attention", "student objective",
        "matches the spread and not merely the majority",
        "a majority vote throws away the doubts of single teachers",
        "a set of five teachers trained on different halves of the data",
        "five training runs before the student starts",
    ),
    Technique(
        "Graph Propagation", "graph propagation", "graph networks", "evidence graph",
        "connects fragments that share a name, a number or a position",
        "related fragments seldom stand side by side", "damped update",
        "limits how far a message travels in one round",
        "undamped messages make all fragments look alike",
        "a bipartite layout with fragments on one side and anchors on the other",
        "memory that grows with the number of links",
    ),
    Technique(
        "Curriculum Masking", "curriculum masking", "denoising objectives", "mask planner",
        "hides short spans first and whole passages later",
        "recovering long gaps is hopeless for an untrained network", "difficulty meter",
        "estimates how hard each gap is from the loss of the last epoch",
        "a fixed schedule ignores what has already been learnt",
        "a sampler over span lengths whose mean rises every epoch",
        "a few seconds for each thousand steps",
    ),
    Technique(
        "Adapter Stacking", "adapter stacking", "parameter-efficient methods",
        "adapter stack", "adds small trainable layers between frozen ones",
        "most of what a large network knows should stay untouched", "gating vector",
        "decides how strongly each adapter may change its input",
        "adapters near the output tend to overrule the earlier ones",
        "a bottleneck of sixty-four units with a residual path",
        "two percent more parameters",
    ),
    Technique(
        "Constrained Decoding", "constrained decoding", "grammar-guided generators",
        "output automaton", "forbids continuations that cannot end in a valid result",
        "a large share of all mistakes are mistakes of form", "lookahead score",
        "prefers prefixes that leave many valid endings open",
        "a greedy choice can lead into a corner",
        "a finite automaton compiled once for every output format",
        "one tenth more decoding time",
    ),
    Technique(
        "Stepwise Verification", "stepwise verification", "self-checking systems",
        "claim checker", "tests every intermediate step against the input",
        "a wrong early step spoils everything that follows", "repair loop",
        "rewrites only the first step that fails its test",
        "rewriting everything discards the steps that were right",
        "a binary classifier that reads one step together with its evidence",
        "on average 1.4 extra passes for each case",
    ),
    Technique(
        "Agreement Weighted Training", "agreement weighting", "robust loss functions",
        "agreement estimator", "scores how well a label fits the labels of similar cases",
        "isolated labels are more often wrong", "weight smoother",
        "moves the weight of each case slowly from epoch to epoch",
        "abrupt weights make the loss jump",
        "a nearest-neighbour vote in the space of the last hidden layer",
        "one nearest-neighbour search after each epoch",
    ),
)  # fmt: skip

PROBLEMS = (
    Problem(
        "Long Inputs", "long inputs",
        "quality falls as soon as the evidence lies far from the beginning",
        "models are trained on excerpts and then used on whole documents",
        "to sort the test cases by input length", "the longest third of the test cases",
    ),
    Problem(
        "Noisy Labels", "noisy labels", "models learn the slips of hurried annotators by heart",
        "labels are collected quickly and checked rarely",
        "to relabel two hundred test cases by hand", "the cases whose label was corrected",
    ),
    Problem(
        "Scarce Training Examples", "scarce training examples",
        "large networks settle on shallow shortcuts",
        "each labelled case costs an expert several minutes",
        "to train on a tenth of the data", "the categories with fewer than thirty examples",
    ),
    Problem(
        "Unseen Domains", "unseen domains", "scores drop sharply outside the training domain",
        "new users bring material that nobody foresaw",
        "to hold out one domain at a time", "the cases from the held-out domain",
    ),
    Problem(
        "Rare Names", "rare names", "frequent names replace the rare ones that were meant",
        "a handful of names fill most of the training data",
        "to group the test cases by the frequency of their names",
        "the cases with a name seen fewer than five times",
    ),
    Problem(
        "Tight Memory Budgets", "tight memory budgets",
        "the strongest systems cannot run where they are needed",
        "small offices work on machines without accelerators",
        "to repeat the evaluation with a cap of four gigabytes",
        "the cases that exceed the cap in one pass",
    ),
    Problem(
        "Contradictory Evidence", "contradictory sources",
        "systems pick whichever statement comes first",
        "documents are revised without removing what was wrong",
        "to insert a second, outdated statement into the inputs",
        "the cases with two conflicting statements",
    ),
    Problem(
        "Overconfident Predictions", "overconfident predictions",
        "users cannot tell a guess from a certain answer",
        "training rewards certainty even where the input leaves room for doubt",
        "to compare stated confidence with observed success",
        "the cases answered with more than ninety percent confidence",
    ),
)  # fmt: skip
