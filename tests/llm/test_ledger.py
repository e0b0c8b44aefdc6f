"""The promise of a budget: whatever questions cost, less than they might, the sum stays below."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.llm import BudgetSpentError, Endpoint, Ledger, PromptSettings, Reply, Request, messages

ENDPOINT = Endpoint(base_url="http://localhost/v1", model="m")
PRICES = {"m": {"input": 100.0, "output": 300.0}}


def question(text):
    return Request(ENDPOINT, {"model": "m", "messages": messages(text), "max_tokens": 50})


@given(
    st.lists(st.tuples(st.integers(0, 400), st.floats(0, 1), st.sampled_from(["answer", "lost", "refused", "wait"]))),
    st.floats(0.01, 1),
)
def test_spending_never_exceeds_the_budget(history, budget):
    ledger = Ledger(PromptSettings(budget=budget, prices=PRICES))
    under_way = []
    for length, share, end in history:
        request = question("x" * length)
        try:
            promised = ledger.promise(request)
        except BudgetSpentError:
            continue
        under_way.append((promised, request, share))
        if end == "wait":
            continue
        promised, request, share = under_way.pop(0)
        most_in, most_out = request.most_tokens
        if end == "answer":
            ledger.settle(promised, request, Reply("", True, (), int(share * most_in), int(share * most_out)))
        else:
            ledger.lose(promised, may_be_billed=end == "lost")
        assert ledger.spent <= budget
        assert ledger.spent + ledger.promised <= budget * (1 + 1e-12)
    assert ledger.promised == pytest.approx(sum(promised for promised, _, _ in under_way))


def test_what_was_not_asked_is_counted_and_told():
    ledger = Ledger(PromptSettings(budget=1e-6, prices=PRICES))
    with pytest.raises(BudgetSpentError, match="the budget of 1e-06 has no room"):
        ledger.promise(question("spam?"))
    assert ledger.not_asked == 1


def test_models_without_a_price_are_counted_as_such():
    ledger = Ledger(PromptSettings())
    request = question("spam?")
    ledger.settle(ledger.promise(request), request, Reply("yes", True, (), 10, 1))
    assert (ledger.spent, ledger.unpriced, ledger.input_tokens) == (0.0, {"m": 1}, 10)
    assert str(ledger) == "asking, 1 calls"


def test_what_a_server_does_not_count_costs_the_most_it_can():
    ledger = Ledger(PromptSettings(budget=1.0, prices=PRICES))
    request = question("x" * 100)
    guessed = Reply.of({"choices": [{"message": {"content": "yes"}}]}, request)
    promised = ledger.promise(request)
    ledger.settle(promised, request, guessed)
    assert ledger.spent == promised > 0
    assert ledger.input_tokens == 25
