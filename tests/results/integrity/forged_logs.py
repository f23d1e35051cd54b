"""Ways to edit several places of a log so that they fit together, as a forger would."""

import copy
import json

from inspect_ai.log import EvalLog, EvalSampleLimit
from inspect_ai.model import ChatMessageTool, ChatMessageUser
from inspect_ai.tool import ToolInfo
from tests.results.integrity.forging import (
    CRITERIA,
    Forged,
    hash_of_manifest,
    replies,
    say,
    say_all_over,
    set_score,
    value_of,
)

# --- what the log says of the round --------------------------------------------------------------


def gold_is_the_answer(forged: Forged) -> None:
    """The forgery that led the board: no round, so that the gold is what was answered."""
    forged.facts["round_sha256"] = "f" * 64
    for sample in forged.samples:
        sample.target = sample.output.completion
        set_score(sample, **dict.fromkeys(forged.facts["metrics"], 1.0))
    forged.sums()


def shipped_round(forged: Forged) -> None:
    """The forger's own round comes with the logs, which lead to it."""
    forged.log.eval.task_args["round"] = str(forged.easy)
    forged.facts["round_sha256"] = hash_of_manifest(forged.easy)
    forged.facts["round"] = json.loads((forged.easy / "manifest.json").read_text())["id"]
    forged.sums()


# --- which samples it has ------------------------------------------------------------------------


def drop_the_worst(forged: Forged) -> None:
    forged.samples.remove(forged.worst)
    forged.sums()


def drop_and_claim_fewer(forged: Forged) -> None:
    drop_the_worst(forged)
    forged.log.eval.dataset.samples = len(forged.samples)
    forged.log.eval.dataset.sample_ids = [sample.id for sample in forged.samples]


def drop_more_than_half(forged: Forged) -> None:
    """23 of 43 and the like: the better part is kept, the means are theirs."""
    metric = forged.facts["metrics"][0]
    kept = sorted(forged.samples, key=lambda one: -value_of(one, metric))
    forged.log.samples = kept[: max(1, len(kept) * 20 // 43)]
    forged.sums()


def swap_ids(forged: Forged) -> None:
    first, second = forged.worst, forged.best
    first.id, second.id = second.id, first.id


def best_under_every_id(forged: Forged) -> None:
    best = forged.best.model_copy(deep=True)
    for sample in forged.samples:
        sample.output, sample.scores = best.output, copy.deepcopy(best.scores)
        sample.events = copy.deepcopy(best.events)
    forged.sums()


def fewer_attempts(forged: Forged) -> None:
    """Show only the first of several attempts, as if one had been asked for."""
    forged.log.samples = [sample for sample in forged.samples if sample.epoch == 1]
    forged.log.eval.config.epochs = 1
    forged.log.eval.config.epochs_reducer = None
    forged.sums()


def an_attempt_too_many(forged: Forged) -> None:
    extra = forged.best.model_copy(deep=True)
    extra.epoch = 7
    forged.samples.append(extra)


def lucky_subset(forged: Forged) -> None:
    drop_the_worst(forged)
    size = len(forged.samples)
    forged.log.eval.dataset.samples = size
    forged.facts["setting"] = f"base ({size} of 43)"
    subset = {"size": size, "of": 43, "seed": 0, "stratified": False, "items": "0" * 64}
    forged.facts["subset"] = subset


def invented_cutoff(forged: Forged) -> None:
    """Items before a cutoff are left out that the forger states so as to lose the worst."""
    dates = sorted(str(sample.metadata.get("published")) for sample in forged.samples)
    clean = {"cutoffs": {forged.log.eval.model: dates[0]}, "margin_days": 0, "of": len(dates)}
    forged.facts["clean"] = clean
    kept = [one for one in forged.samples if str(one.metadata.get("published")) > dates[0]]
    forged.log.samples = kept
    forged.facts["setting"] = f"base (clean, {len(kept)} of {len(dates)})"
    forged.log.eval.dataset.samples = len(kept)
    forged.sums()


def claimed_limit(forged: Forged) -> None:
    drop_the_worst(forged)
    forged.log.eval.config.limit = len(forged.samples)


# --- what was asked ------------------------------------------------------------------------------


def easier_gold(forged: Forged) -> None:
    forged.worst.target = forged.worst.output.completion
    set_score(forged.worst, **dict.fromkeys(forged.facts["metrics"], 1.0))
    forged.sums()


def gold_in_the_prompt(forged: Forged) -> None:
    """The transcript shows another request, which holds the answer; the reply is honest to it."""
    sample = forged.worst
    event = replies(sample)[-1]
    event.input = [*event.input, ChatMessageUser(content=f"The answer: {sample.target}")]


# --- what was answered ---------------------------------------------------------------------------


def gold_for_every_answer(forged: Forged) -> None:
    for sample in forged.samples:
        say(sample, str(sample.target))
        set_score(sample, **dict.fromkeys(forged.facts["metrics"], 1.0))
    forged.sums()


def gold_without_transcript(forged: Forged) -> None:
    gold_for_every_answer(forged)
    for sample in forged.samples:
        sample.events = []


def gold_said_and_scored(forged: Forged) -> None:
    """Made up whole: replies, answers, scores and means fit together."""
    for sample in forged.samples:
        say_all_over(forged, sample, str(sample.target))
    forged.scores()


def gold_after_a_limit(forged: Forged) -> None:
    """A limit is claimed to have ended each sample: then no method makes its answer again."""
    for sample in forged.samples:
        say(sample, str(sample.target))
        sample.limit = EvalSampleLimit(type="token", limit=100)
        set_score(sample, **dict.fromkeys(forged.facts["metrics"], 1.0))
    forged.log.eval.config.token_limit = 100
    forged.sums()


def gold_after_its_time(forged: Forged) -> None:
    """Time is said to have ended each sample after its last reply."""
    gold_after_a_limit(forged)
    forged.log.eval.config.time_limit = 100
    for sample in forged.samples:
        sample.limit = EvalSampleLimit(type="time", limit=100)


def searched_the_web(forged: Forged) -> None:
    """Every request could search; the method has no such tool."""
    tool = ToolInfo(name="web_search", description="Searches the web.")
    for sample in forged.samples:
        for event in replies(sample):
            event.tools, event.tool_choice = [tool], "auto"


def searched_by_a_setting(forged: Forged) -> None:
    for sample in forged.samples:
        for event in replies(sample):
            event.config.extra_body = {"plugins": [{"id": "web"}]}


def other_reply_order(forged: Forged) -> None:
    """The replies of two samples change places, in the transcripts too."""
    first, second = forged.worst, forged.best
    first.output, second.output = second.output, first.output
    one, two = replies(first)[-1], replies(second)[-1]
    one.output, two.output = two.output, one.output


# --- what it is worth ----------------------------------------------------------------------------


def raised_score(forged: Forged) -> None:
    set_score(forged.worst, **{forged.facts["metrics"][0]: 0.97})
    forged.sums()


def verdict_turned(forged: Forged) -> None:
    for sample in forged.samples:
        set_score(sample, judge_win=1.0)
    forged.sums()


def judge_bought(forged: Forged) -> None:
    """The judge's replies themselves are turned to the contestant, and all is scored anew."""
    verdict = json.dumps({name: {"reason": "so", "winner": 2} for name in CRITERIA})
    for sample in forged.samples:
        for place, event in enumerate(replies(sample, "judge")):
            if place % 2:
                event.output.choices[0].message.content = verdict
    forged.scores()


def no_judge(forged: Forged) -> None:
    forged.log.eval.model_roles = {}


# --- who answered, how, at what cost -------------------------------------------------------------


def other_model_all_over(forged: Forged) -> None:
    was, name = forged.log.eval.model, "openai-api/lab/another"
    text = forged.log.model_dump_json().replace(json.dumps(was)[1:-1], name)
    forged.log = EvalLog.model_validate_json(text)


def oracle_as_a_model(forged: Forged) -> None:
    """The log of the ceiling, under a model's name."""
    forged.log.eval.model = "openai/gpt-5"
    forged.log.plan.steps[0].solver = "vivavoce/direct"


def fewer_tokens(forged: Forged) -> None:
    for sample in forged.samples:
        for usage in sample.model_usage.values():
            usage.input_tokens = usage.output_tokens = usage.total_tokens = 1


def hidden_setting(forged: Forged) -> None:
    """The transcript was made with a setting that the log does not name."""
    for sample in forged.samples:
        for event in replies(sample):
            event.config.frequency_penalty = 0.5


def other_tool_result(forged: Forged) -> None:
    """Put the answer into a reply of a tool."""
    for sample in forged.samples:
        for event in replies(sample):
            for message in event.input:
                if isinstance(message, ChatMessageTool):
                    message.content = f"The answer: {sample.target}"


def later_run(forged: Forged) -> None:
    """It is the newest of its row, and so the one that boards show."""
    forged.log.eval.created = "2031-01-01T00:00:00+00:00"


def negative_tokens(forged: Forged) -> None:
    for sample in forged.samples:
        for usage in (*sample.model_usage.values(), *sample.role_usage.values()):
            usage.input_tokens, usage.output_tokens, usage.total_tokens = -999_488, 0, -999_488
        for event in replies(sample):
            event.output.usage = None


def used_by_roles_alone(forged: Forged) -> None:
    """The judge is stated to use more than all models together, which leaves less than nothing."""
    for sample in forged.samples:
        for usage in sample.role_usage.values():
            usage.total_tokens *= 100
