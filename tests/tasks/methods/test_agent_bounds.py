"""What bounds the agent: turns, tokens and windows; and what faults on the way do to its counts."""

from tests.servers.evaluations import one
from tests.servers.scripted import FAULTS, Ask, Reply, answer
from tests.tasks.methods.agent_runs import Work, calls, reader, results, script, sent


def test_endless_calls_stop_and_an_answer_is_asked_for(work: Work) -> None:
    def play(ask: Ask) -> Reply:
        if "tools" not in ask.body:
            return answer("melon-one, as far as I got")
        return calls(("read", {"paper_id": "melon"}))

    server, log = work(play, arguments={"steps": 3})
    found = one(log)
    assert len(server.asks) == 4
    assert "You have used up the turns you had" in server.asks[-1].prompt
    assert found.output.completion == "melon-one, as far as I got"
    note = found.metadata["agent"]
    assert (note["steps"], note["reads"], note["stopped"]) == (3, 3, "steps")
    assert note["papers_read"] == ["melon"]
    assert note["tokens"] == 4 * 107


def test_a_model_that_calls_tools_to_the_end_has_answered_nothing(work: Work) -> None:
    play = script(calls(*[("read", {"paper_id": "melon"})] * 30))
    server, log = work(play, arguments={"steps": 2})
    found = one(log)
    assert len(server.asks) == 3
    # Of thirty calls in one turn eight are carried out.
    assert len(results(server.asks[1])) == 8
    assert found.output.completion == ""
    note = found.metadata["agent"]
    assert (note["steps"], note["reads"], note["dropped"]) == (2, 16, 22 + 22 + 30)


def test_tokens_are_bounded_too(work: Work) -> None:
    def play(ask: Ask) -> Reply:
        return calls(("search", {"query": "melon"})) if "tools" in ask.body else answer("melon")

    # 10 turns of 107 tokens are the first to reach 1,001.
    server, log = work(play, arguments={"tokens": 1_001})
    assert len(server.asks) == 11
    assert "used up the tokens you had" in server.asks[-1].prompt
    note = one(log).metadata["agent"]
    assert (note["steps"], note["stopped"]) == (10, "tokens")


def test_an_empty_reply_is_asked_about_once(work: Work) -> None:
    play = script(calls(("search", {"query": "melon"})), FAULTS["empty"], answer("melon-one"))
    server, log = work(play)
    assert len(server.asks) == 3
    assert server.asks[2].prompt.startswith("Your last reply was empty. Answer the question now")
    assert one(log).output.completion == "melon-one"
    assert one(log).metadata["agent"]["stopped"] == "answered"


def test_a_refusal_is_not_asked_about(work: Work) -> None:
    server, log = work(lambda ask: FAULTS["filtered"])
    assert len(server.asks) == 1
    assert one(log).output.stop_reason == "content_filter"


def test_old_results_make_room_when_the_window_is_narrow(work: Work) -> None:
    """A section is about 400 tokens by the estimate; what is asked and the tools, about 750."""
    play = script(
        calls(("read", {"paper_id": "melon", "part": "section 1"})),
        calls(("read", {"paper_id": "lemon", "part": "section 1"})),
        calls(("read", {"paper_id": "melon", "part": "table 1"})),
        answer("melon-one"),
    )
    wide, _ = work(play)
    needed = [sent(ask) for ask in wide.asks]
    assert needed == sorted(needed)
    # 300 for the answer; the last request would need more than there is.
    window = needed[2] + 300 - 100
    server, log = work(play, arguments={"context": window})
    assert all(sent(ask) + 300 <= window for ask in server.asks)
    old, new = results(server.asks[2])
    assert "taken out to make room" in old
    assert "The lemon method reads trees." in new
    assert "melon-one | 91.5" in results(server.asks[3])[-1]
    assert server.asks[3].body["messages"][0] == server.asks[0].body["messages"][0]
    found = one(log)
    assert found.metadata["agent"]["left_out"] in (1, 2)
    # The log keeps what was taken out of the conversation.
    assert sum("method reads trees" in message.text for message in found.messages) == 2
    assert found.output.completion == "melon-one"


def test_one_result_longer_than_the_window_is_cut(work: Work) -> None:
    play = script(
        calls(*[("read", {"paper_id": name, "part": "section 1"}) for name in ("melon", "lemon")]),
        answer("melon-one"),
    )
    wide, _ = work(play)
    window = sent(wide.asks[0]) + 300 + 450
    server, log = work(play, arguments={"context": window})
    cut = results(server.asks[1])
    assert all(text.endswith("[The rest was cut off for want of room.]") for text in cut)
    assert all("method reads trees." in text for text in cut)
    assert sent(server.asks[1]) + 300 <= window
    assert one(log).metadata["agent"]["left_out"] == 2


def test_a_window_without_room_for_the_question_is_refused(work: Work) -> None:
    server, log = work(reader, arguments={"context": 600})
    assert server.asks == []
    assert log.error is not None
    assert "tokens too small for the question and one turn" in log.error.message


def test_a_conversation_that_the_provider_finds_too_long_is_shortened(work: Work) -> None:
    """Nobody told this model's window."""
    read: list[int] = []

    def play(ask: Ask) -> Reply:
        if sent(ask) > 1_600:
            return FAULTS["overflow"]
        read.append(sent(ask))
        is_done = len(read) > 6
        return (
            answer("melon-one")
            if is_done
            else calls(("read", {"paper_id": "melon", "part": "section 1"}))
        )

    server, log = work(play)
    found = one(log)
    assert found.output.completion == "melon-one"
    note = found.metadata["agent"]
    assert (note["steps"], note["reads"], note["stopped"]) == (7, 6, "answered")
    assert len(server.asks) > 7
    assert note["left_out"] >= 4

    # A question that is too long by itself is an overflow, as with any other method.
    _, log = work(lambda ask: FAULTS["overflow"])
    assert one(log).output.stop_reason == "model_length"


def test_a_limit_of_the_run_leaves_what_was_counted(work: Work) -> None:
    play = script(calls(("search", {"query": "melon"})))
    _, log = work(play, token_limit=250)
    found = one(log)
    assert found.limit is not None
    assert found.output.completion == ""
    note = found.metadata["agent"]
    assert (note["searches"], note["stopped"]) == (2, "interrupted")


def test_a_lost_request_is_sent_again_and_counted_once(work: Work) -> None:
    lost = iter([None, FAULTS["server-error"], None, FAULTS["rate-limit"]])

    def play(ask: Ask) -> Reply:
        return next(lost, None) or reader(ask)

    server, log = work(play, max_retries=3)
    assert len(server.asks) == 6
    note = one(log).metadata["agent"]
    assert (note["steps"], note["searches"], note["reads"]) == (4, 1, 2)
    assert note["tokens"] == 4 * 107


def test_a_sample_that_is_run_again_counts_anew(work: Work) -> None:
    """An error that is not retried in its request, after a search and a reading."""
    broken = iter([None, None, FAULTS["bad-request"]])

    def play(ask: Ask) -> Reply:
        return next(broken, None) or reader(ask)

    server, log = work(play, retry_on_error=1)
    assert len(server.asks) == 3 + 4
    note = one(log).metadata["agent"]
    assert (note["steps"], note["searches"], note["reads"]) == (4, 1, 2)


def test_a_call_that_no_parser_takes_is_reported_and_survived(work: Work) -> None:
    endless = calls(("read", '{"paper_id": "melon", "page": 1' + "0" * 5000))

    def play(ask: Ask) -> Reply:
        return endless if ask.number <= 2 else answer("melon-one")

    server, log = work(play)
    assert len(server.asks) == 3
    assert "has thousands of digits" in server.asks[1].prompt
    note = one(log).metadata["agent"]
    assert (note["steps"], note["refused"], note["stopped"]) == (3, 2, "answered")
