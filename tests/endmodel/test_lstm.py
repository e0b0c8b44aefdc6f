"""The BiLSTM: words by frequency, padding that does not matter, and vectors from a file."""

import numpy as np
import pytest
import torch

import assay
from assay.endmodel.lstm import _FIRST_WORD
from tests.support.small_texts import TEXTS

CPU = torch.device("cpu")


def test_words_are_numbered_by_frequency():
    reader = assay.BiLSTM(vocabulary=2, longest=5).learn(TEXTS)
    assert reader.words == ("a", "rose")
    inputs = reader.read(["rose a a a a a a", "what"])
    tokens = inputs.batch(np.array([1, 0]), CPU)
    assert tokens.words.tolist() == [[1, 0, 0, 0, 0], [_FIRST_WORD + 1, *4 * [_FIRST_WORD]]]
    assert tokens.lengths.tolist() == [1, 5]
    for wrong in ({"depth": 3}, {"hidden": 0}, {"embedding": 1.5}):
        with pytest.raises(assay.AssayError):
            assay.BiLSTM(**wrong)


def test_padding_does_not_matter():
    reader = assay.BiLSTM(embedding=4, hidden=3, depth=2).learn(TEXTS)
    inputs = reader.read(["rose", "a rose is a rose is a rose"])
    body = reader.body().eval()
    with torch.no_grad():
        together = body(inputs.batch(np.array([0, 1]), CPU))
        alone = body(inputs.batch(np.array([0]), CPU))
    assert together.shape == (2, reader.width)
    torch.testing.assert_close(together[:1], alone)


def test_the_lstm_is_that_of_torch():
    """Ours reads groups of texts, and reversed ones; torch's reads all of them, packed."""
    reader = assay.BiLSTM(embedding=4, hidden=3, depth=2).learn(TEXTS)
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["a", "rose", "is", "day"], size)) for size in rng.integers(1, 30, 70)]
    tokens = reader.read(texts).batch(np.arange(70), CPU)
    body = reader.body()
    theirs = torch.nn.LSTM(4, 3, 2, batch_first=True, bidirectional=True)
    for depth in range(2):
        for direction, ours in (("", body.forwards[depth]), ("_reverse", body.backwards[depth])):
            for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(theirs, f"{part}_l{depth}{direction}").data.copy_(getattr(ours, f"{part}_l0"))
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        body.embedding(tokens.words), tokens.lengths, batch_first=True, enforce_sorted=False
    )
    found, _ = torch.nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True, padding_value=-torch.inf)
    torch.testing.assert_close(body(tokens), found.amax(dim=1))


@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_word_vectors_from_a_file(tmp_path, header):
    path = tmp_path / "vectors.txt"
    path.write_text(header + "rose 0.5 -1\nday 2 3\nother 9 9\n")
    reader = assay.BiLSTM(vectors=str(path), embedding=50).learn(TEXTS)
    assert reader.embedding == 2
    weights = reader.body().embedding.weight.detach()
    assert weights[_FIRST_WORD + reader.words.index("rose")].tolist() == [0.5, -1]
    assert weights[_FIRST_WORD + reader.words.index("day")].tolist() == [2, 3]
    assert torch.isfinite(weights).all()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("rose 1 2\nday 1\n", "line 2: expected a word and 2 numbers"),
        ("rose 1 x\n", "line 1: expected numbers"),
        ("", "no word vectors"),
    ],
)
def test_broken_files_of_vectors(tmp_path, content, said):
    path = tmp_path / "vectors.txt"
    path.write_text(content)
    with pytest.raises(assay.DataError, match=said):
        assay.BiLSTM(vectors=str(path)).learn(TEXTS)
    with pytest.raises(assay.DataError, match="cannot read the word vectors"):
        assay.BiLSTM(vectors=str(tmp_path / "none.txt")).learn(TEXTS)
