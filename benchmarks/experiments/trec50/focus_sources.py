"""Fine sources that look at the focus of a question: the noun phrase after what, which or name.

No parser: a phrase ends at the first function word, and the last known noun in it decides.
"""

import re
import tomllib
from pathlib import Path

import assay

HERE = Path(__file__).parent


def word_set(text):
    return frozenset(text.split())


BE = word_set("is are was were 's be")
ENDS = word_set("""
    a an the this that these those his her its their your my our it he she they you i we of in on at for from to
    with by as into about between among during after before under over through than near around off up out ever
    upon without within per if when where who whom whose how why while because but or and nor not is are was were
    be been being am do does did done has have had can could will would should may might must n't , . ? ! : ; ( )
    -- - what which
""")
VERBS = word_set("""
    makes made make features featured boasts contains contain has lies lie saw won wrote said became died
    lived took came got told gave held went ran led sang left began put lost flows flow borders border surrounds
    follows follow means stole hit sells sell owns own runs run plays produces produce comes come goes gets takes
    take uses carries serves lives live inhabit exist includes include inspired penned starred separates separate
    gets wears wear rode shot fought fell built bought sold grew grow drew flew met spent thought taught knew
    known used called named found kept sank ended appears appear occurs occur begins begin loses lose causes cause
    caused says say tells tell holds hold receives celebrates graces marked marks declares adorns bears weighs
    covers leads lead keeps sits stands stand spends opens changed provides melts gives give
""")
QUOTES = frozenset(["``", "''", "`", '"'])
SKIPPED = word_set(
    "the a an some all any one two three four five six seven eight nine ten only of that this his her their your its my"
)
OF_WHAT = word_set("name names kind kinds type types sort sorts form forms variety varieties example examples species")


def singular(word):
    """A rough singular: enough to look a noun up in a list."""
    if word.endswith("ies") and len(word) > 4 and word not in ("series", "movies", "species", "calories", "cookies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if (
        word.endswith("s")
        and not word.endswith(("ss", "us", "is"))
        and len(word) > 3
        and word not in ("series", "species")
    ):
        return word[:-1]
    return word


def phrase_at(words, start, owner):
    """The noun phrase that begins at a word, and where it ends: the owner in "what city 's zoo", or what is owned."""
    here, found, owners = start, [], []
    while here < len(words) and (words[here] in SKIPPED or words[here] in QUOTES):
        here += 1
    end = here
    for end in range(here, len(words)):
        word = words[end]
        if word in ("'s", "'"):
            if owner:
                return found, end
            found, owners = [], found
        elif (
            word in ENDS
            or (words[end + 1 : end + 2] == ["of"] and word in ("east", "west", "north", "south"))
            or (found and (word in VERBS or (owner and word.endswith("ed") and "-" not in word)))
        ):
            break
        elif word not in QUOTES:
            found.append(word)
    else:
        end = len(words)
    return (owners if found in (["name"], ["names"]) and owners else found), end


@assay.preprocess
def words(row):
    return row.text.lower().split()


def is_defined(rest, end):
    """Whether a question is over after "what is a thing": then the thing is not asked for, but what it means."""
    over = end >= len(rest) - 1 and rest[-1:] in (["?"], ["."])
    picked = any(
        word in ("'s", "'", "most", "only", "first", "best", "last", "favorite") or word.endswith("est")
        for word in rest
    )
    return over and not picked


@assay.preprocess
def focus(row):
    """The focus phrase, each word roughly singular: ["soft", "drink"] in "what soft drinks have a kick ?"."""
    text = words(row)
    if text[0] in ("name", "list", "give", "names"):
        start = 0
    else:
        start = next((i for i, word in enumerate(text) if word in ("what", "which")), None)
    if start is None or text[:2] in (["how", "can"], ["how", "do"], ["where", "can"]):
        return []
    after, owner = start + 1, True
    if after < len(text) and text[after] in ("exactly", "else", "me"):
        after += 1
    if start == 0 and text[0] not in ("what", "which"):
        owner = False
    if after < len(text) and text[after] in BE:
        after, owner = after + 1, False
    found, end = phrase_at(text, after, owner)
    if not owner and is_defined(text[after:], end - after):
        return []
    for _ in range(2):
        if (not found or found[-1] in OF_WHAT) and end < len(text) and text[end] in ("of", "for"):
            inner, end = phrase_at(text, end + 1, owner)
            found = inner or found
    return [singular(word) for word in found]


NOUNS = tomllib.loads((HERE / "nouns.toml").read_text())
KNOWN = {
    noun.replace("_", " "): name
    for groups in NOUNS.values()
    for name, nouns in groups.items()
    for noun in nouns.split()
}


@assay.preprocess
def asked_for(row):
    """The name of the source that knows the focus, or None."""
    phrase = focus(row)
    is_whole = words(row)[1:2] and words(row)[1] in BE
    for last in reversed(range(len(phrase))):
        found = KNOWN.get(" ".join(phrase[max(last - 1, 0) : last + 1])) or KNOWN.get(phrase[last])
        if found or is_whole:
            return found
    return None


def asks_for(name, label):
    @assay.source(task=label.split(":")[0].lower(), labels=[label], name=name)
    def source(row):
        return label if asked_for(row) == name else None

    return source


by_focus = [asks_for(name, label) for label, groups in NOUNS.items() for name in groups]


PERSON = re.compile(r"(ist|ian|man|men|woman|women|general|ess|eer|guy|hero|mother|father|lord|lady|cardinal)$")


@assay.source(task="enty", labels=["ENTY:other"])
def superlative_of_something_unknown(row):
    text = row.text.lower()
    if asked_for(row) is None and re.search(
        r"^what (is|was|are|were|'s) the .*(\b(most|only|first|best|last)\b|est\b)", text
    ):
        return "ENTY:other"
    return None


@assay.source(task="coarse", labels=["HUM"])
def focus_does_what_people_do(row):
    """Someone unknown who wrote, said, married: "what crooner joined the navy ?"."""
    text = words(row)
    if text[0] not in ("what", "which") or text[1] in BE or not focus(row) or asked_for(row) is not None:
        return None
    return "HUM" if DEEDS & set(text[2:8]) else None


@assay.source(task="hum", labels=["HUM:ind"])
def focus_ends_like_a_person(row):
    """A noun in -ist, -ian, -man and so on after what or which: "what two u.s. biochemists won a prize ?"."""
    phrase = focus(row)
    if not phrase or words(row)[0] not in ("what", "which", "name") or asked_for(row) is not None:
        return None
    return "HUM:ind" if PERSON.search(phrase[-1]) else None


DEEDS = word_set("""
    born married said portrayed played wrote won starred died sang wears became quipped claimed penned invented
    served joined appeared shot confessed observed declared painted directed designed recorded earned nicknamed
    stole his himself her herself whose who autobiography
""")
