"""Sources that compare a whole question with typical ones: they cover much, and are right less often than patterns."""

import itertools
import math
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import assay

HERE = Path(__file__).parent
SEEDS = tomllib.loads((HERE / "seeds.toml").read_text())
ALIKE = {"which": "what", "'s": "is", "was": "is", "are": "is", "were": "is", "does": "do", "did": "do", "an": "a"}


def features(text):
    """Words, pairs, and the opening, with forms of a verb taken as one."""
    words = [ALIKE.get(word, word) for word in text.lower().split() if word not in ("?", ".", "``", "''", ",")]
    pairs = [f"{one} {two}" for one, two in itertools.pairwise(words)]
    return words + pairs + ["^" + " ".join(words[:2]), "^" + " ".join(words[:3])]


def weighted(counts, rarity):
    """Unit-length weights of the features that seeds have."""
    weights = {feature: rarity[feature] for feature in counts if feature in rarity}
    length = math.sqrt(sum(weight**2 for weight in weights.values())) or 1.0
    return {feature: weight / length for feature, weight in weights.items()}


SENTENCES = [(label, features(sentence)) for label, sentences in SEEDS.items() for sentence in sentences]
FOUND_IN = Counter(feature for _, found in SENTENCES for feature in set(found))
COMMON = 60  # a feature of more seeds than this tells little and costs time
RARITY = {feature: math.log(len(SENTENCES) / count) for feature, count in FOUND_IN.items() if count <= COMMON}
VECTORS = [(label, weighted(found, RARITY)) for label, found in SENTENCES]
INDEX = defaultdict(list)
for number, (_, vector) in enumerate(VECTORS):
    for feature, weight in vector.items():
        INDEX[feature].append((number, weight))


@assay.preprocess
def likeness(row):
    """[(likeness, label), ...] of the seed sentences, the best one of each label, the likest label first."""
    totals = defaultdict(float)
    for feature, weight in weighted(features(row.text), RARITY).items():
        for number, other in INDEX[feature]:
            totals[number] += weight * other
    best = defaultdict(float)
    for number, total in totals.items():
        label = VECTORS[number][0]
        best[label] = max(best[label], total)
    return sorted(((total, label) for label, total in best.items()), reverse=True)


FINE = ["abbr", "desc", "enty", "hum", "loc", "num"]


def standing_out(row, at_least, margin):
    """The likest label as a vote, if it is like enough and no other label comes near."""
    ranked = likeness(row)
    if not ranked or ranked[0][0] < at_least or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < margin):
        return None
    label = ranked[0][1]
    return label.split(":")[0].lower(), label


@assay.source(task=FINE)
def just_like_a_typical_question(row):
    return standing_out(row, at_least=0.6, margin=0.2)


@assay.source(task=FINE)
def somewhat_like_a_typical_question(row):
    return None if standing_out(row, at_least=0.6, margin=0.2) else standing_out(row, at_least=0.5, margin=0.05)
