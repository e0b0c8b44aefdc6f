"""Asking language models: any server that speaks OpenAI's chat completions, patiently, within a budget, once."""

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
