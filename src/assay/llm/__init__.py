"""Asking language models: any server that speaks OpenAI's chat completions, patiently, within a budget, once.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.llm.cache": ["AnswerCache", "Kept"],
    "assay.llm.endpoint": ["Endpoint"],
    "assay.llm.exchange": ["Reply", "Request", "Token", "guessed_tokens", "messages"],
    "assay.llm.failures": ["BudgetSpentError", "UnansweredError", "UnreachableError"],
    "assay.llm.ledger": ["Ledger"],
    "assay.llm.local_model": ["LocalModel"],
    "assay.llm.session": ["Ask", "Job", "Session"],
    "assay.llm.settings": ["Price", "PromptSettings"],
    "assay.llm.tokens": ["TokenRate"],
}

__all__ = [
    "AnswerCache",
    "Ask",
    "BudgetSpentError",
    "Endpoint",
    "Job",
    "Kept",
    "Ledger",
    "LocalModel",
    "Price",
    "PromptSettings",
    "Reply",
    "Request",
    "Session",
    "Token",
    "TokenRate",
    "UnansweredError",
    "UnreachableError",
    "guessed_tokens",
    "messages",
]

if TYPE_CHECKING:
    from assay.llm.cache import AnswerCache, Kept
    from assay.llm.endpoint import Endpoint
    from assay.llm.exchange import Reply, Request, Token, guessed_tokens, messages
    from assay.llm.failures import BudgetSpentError, UnansweredError, UnreachableError
    from assay.llm.ledger import Ledger
    from assay.llm.local_model import LocalModel
    from assay.llm.session import Ask, Job, Session
    from assay.llm.settings import Price, PromptSettings
    from assay.llm.tokens import TokenRate

__getattr__ = lazy_names(globals(), _HOMES)
