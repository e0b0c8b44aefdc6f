"""Asking language models: any server that speaks OpenAI's chat completions, patiently, within a budget, once.

The local model is loaded when it is first used, since it is a program of its own too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names
from assay.llm.cache import AnswerCache, Kept
from assay.llm.endpoint import Endpoint
from assay.llm.exchange import Reply, Request, Token, guessed_tokens, messages
from assay.llm.failures import BudgetSpentError, UnansweredError, UnreachableError
from assay.llm.ledger import Ledger
from assay.llm.session import Ask, Job, Session
from assay.llm.settings import Price, PromptSettings
from assay.llm.tokens import TokenRate

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
    from assay.llm.local_model import LocalModel

__getattr__ = lazy_names(globals(), {"assay.llm.local_model": ["LocalModel"]})
