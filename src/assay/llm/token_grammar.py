r"""Texts that a model may write, as a grammar of tokens: each text in the tokens that its tokenizer makes of it.

A schema constrains characters, and leaves it to the model in which tokens it writes them. Models that would rather have
written something else spell words in pieces then, put spaces and marks around them, and take a letter for the
beginning of another word: it is not known how long an answer will be, and not always the probable one is given. With
tokens, an answer has as many as the tokenizer counts, and a model chooses between answers as it reads them.

llama.cpp has such grammars: ``<[26985]>`` is the token of this number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_Tree = dict[int, "_Tree"]


def grammar_of(texts: Iterable[Sequence[int]]) -> str:
    """The grammar of some texts, given as tokens. What they begin with stands once, so that it is fast to parse.

    >>> grammar_of([[5, 1, 2], [5, 3]])
    'root ::= <[5]> (<[1]> <[2]> | <[3]>)'
    """
    tree: _Tree = {}
    ends = set()
    for tokens in texts:
        place = tree
        for token in tokens:
            place = place.setdefault(token, {})
        ends.add(id(place))
    return f"root ::= {_alternatives(tree, ends)}"


def _alternatives(tree: _Tree, ends: set[int]) -> str:
    """All that may follow; nothing, if a text ends here and another goes on."""
    branches = [_branch(token, after, ends) for token, after in tree.items()]
    return " | ".join([*branches, '""'] if id(tree) in ends or not tree else branches)


def _branch(token: int, tree: _Tree, ends: set[int]) -> str:
    """A token and what may follow, without brackets as long as there is one way only."""
    written = [f"<[{token}]>"]
    while len(tree) == 1 and id(tree) not in ends:
        token, tree = next(iter(tree.items()))
        written.append(f"<[{token}]>")
    if tree:
        written.append(f"({_alternatives(tree, ends)})")
    return " ".join(written)
