"""How a question is put: coarse question words, abbreviations and descriptions.

Written from the question openings of `train`, whose texts are in lower case with spaces between tokens.
"""

import re

import assay


def says(pattern, label):
    """A regular expression for one label, whose task is its first part."""
    return assay.regex(pattern, label, on="text", task=label.split(":")[0].lower())


def function(label):
    """A function of a row's text for one label, whose task is its first part."""
    return assay.source(task=label.split(":")[0].lower(), labels=[label])


# Coarse: the question word.

who_is_human = assay.regex(r"\b(who|whom|whose)\b", "HUM", on="text", task="coarse")
where_is_location = assay.regex(r"^(in |from |to )?where\b", "LOC", on="text", task="coarse")
when_or_quantity_is_number = assay.regex(
    r"^(about |approximately |on average , )?(when|how (many|much|long|far|old|tall|big|fast|high|deep|"
    r"often|large|hot|cold|late|wide|heavy|early|close|small))\b",
    "NUM",
    on="text",
    task="coarse",
)
why_or_how_is_description = assay.regex(
    r"^(why|how (do|does|did|can|could|is|are|was|were|should|would|to|come|will|has|have))\b",
    "DESC",
    on="text",
    task="coarse",
)

# Abbreviations.

stands_for = says(r"\bstands? for\b", "ABBR:exp")
is_the_abbreviation_for_what = says(
    r"\b(abbreviation|acronym|initials|short) for what\b|\bstands? for what\b", "ABBR:exp"
)
what_does_the_acronym_mean = says(
    r"\bwhat (does|do|did|is|are) (the )?(abbreviation|acronym|initials|letters)\b.*(mean|stand|represent|"
    r"signify)|full form of|\bstand for\b.*\b(abbreviation|acronym|initials)\b",
    "ABBR:exp",
)
abbreviation_for = says(
    r"\b(abbreviation|acronym|abbreviated|initials?) (for|of|form|expression|name|term)\b|\bhow do you "
    r"abbreviate\b|\babbreviated\b",
    "ABBR:abb",
)
ACRONYMS = set(
    re.findall(
        r"\S+",
        """
    aids nasa cnn nato laser radar iq isp asean unicef un uk usa eu afs ioc epa fbi cia irs ups ibm atm html
    http dna rna bmw tv ac dc ira i.r.a. aaa abc nbc cbs bbc usb cpu ram rom url scuba sonar snafu nafta opec
    espn imf who ussr kgb pcb dvd vcr vhs mri cat hiv iv er ekg adhd add sids eeg gmt est pst faq asap aarp
    """,
    )
)


def looks_like_acronym(word):
    """Letters without a vowel, letters with dots, or known."""
    letters = word.strip("`'\".,")
    dotted = re.fullmatch(r"([a-z]\.){2,}[a-z]?", word) is not None
    bare = 2 <= len(letters) <= 5 and letters.isalpha() and not re.search("[aeiouy]", letters)
    return dotted or bare or letters in ACRONYMS


@function("ABBR:exp")
def what_is_an_acronym(row):
    found = re.fullmatch(
        r"what (?:is|are|does|do|'s) (?:an? |the )?(?:`+ )?(\S+)(?: ''?| ')?(?: stand for| mean)? \??", row.text
    )
    return "ABBR:exp" if found and looks_like_acronym(found[1]) else None


# Descriptions: definitions.

BARE = re.compile(r"what (?:is|are|was|were|'s) (?P<article>an? |the )?(?P<thing>[^?]+?) \??")
NOT_BARE = re.compile(
    r"(^| )(of|in|on|for|to|by|that|which|who|from|with|at|between|called|made|used|known|most|best|first|"
    r"last|only|'s|s|named|famous|does|do|\S+est)( |$)"
)


def bare_thing(text):
    """(article, thing) of "what is a thing ?", where nothing more is said about it."""
    found = BARE.fullmatch(text)
    if not found or NOT_BARE.search(found["thing"]) or len(found["thing"].split()) > 5:
        return None
    return (found["article"] or "").strip(), found["thing"]


@function("DESC:def")
def what_is_a_thing(row):
    found = bare_thing(row.text)
    return "DESC:def" if found and found[0] in ("a", "an") else None


@function("DESC:def")
def what_is_thing(row):
    found = bare_thing(row.text)
    return "DESC:def" if found and found[0] == "" and not looks_like_acronym(found[1]) else None


@function("DESC:def")
def what_is_the_thing(row):
    found = bare_thing(row.text)
    return "DESC:def" if found and found[0] == "the" else None


what_does_it_mean = says(r"^what (does|do|did|is|was) .*\bmeans?\b|\bmeant by\b", "DESC:def")
meaning_of = says(r"\b(meaning|definition) (of|for|behind)\b|^define\b|\bmean by\b", "DESC:def")
quoted_meaning = says(r"^what (does|do|did) .*(``|`) .* (''|') mean\b", "DESC:def")
what_is_quoted = says(r"^what (is|are|was|were|'s) (an? |the )?(``|`) [^']* (''|') \??$", "DESC:def")

# Descriptions: manner.


SAY_IN = re.compile(
    r"\b(say|spell|pronounce|write) .*\bin (spanish|french|german|italian|\w+ese|\w+ish|\w+ian|"
    r"latin)\b"
)


@function("DESC:manner")
def how_do_you(row):
    asked = re.match(r"how (do|can|could|should|would|may|might|must) (i|you|we|one|they|someone|people)\b", row.text)
    return "DESC:manner" if asked and not SAY_IN.search(row.text) else None


@function("DESC:manner")
def how_does_it(row):
    asked = re.match(r"(so )?how (do|does|did|can|could|would|should|will)\b", row.text)
    return "DESC:manner" if asked and not SAY_IN.search(row.text) else None


how_is_it_done = says(r"^how (is|are|was|were|has|have|had|be)\b", "DESC:manner")
how_to = says(
    r"^how (to|you|good|well|safe|effective|accurate|important|true|serious)\b|\bhow "
    r"to\b",
    "DESC:manner",
)
how_something_works = says(
    r"^how (do|does|did|can|is|are|was|were|could) .*\b(work|made|make|formed?|created?|affect|operate|"
    r"use|get|find|become|function|tell|know)\b",
    "DESC:manner",
)


@function("ENTY:termeq")
def how_do_you_say(row):
    in_language = re.search(
        r"^what (is|'s) .*\bin (spanish|french|german|italian|latin|japanese|russian|chinese|hebrew|greek|\w+ "
        r"slang)\b",
        row.text,
    )
    return "ENTY:termeq" if in_language or (row.text.startswith("how") and SAY_IN.search(row.text)) else None


# Descriptions: reason.

why = says(r"\bwhy\b", "DESC:reason")
how_come = says(r"^how come\b|^for what reason\b|\bwhat reason\b|\breasons? (for|why|that|behind)\b", "DESC:reason")
what_causes = says(
    r"^what('s| is| are| was| were)? (the )?(main |major |most common |leading )?(causes?|caused)\b|"
    r"\bcauses? of\b",
    "DESC:reason",
)
what_makes_it = says(r"^what (makes?|made|prompted|led|forced|drove|keeps?|kept|attracts?|prevents?) ", "DESC:reason")
purpose_of = says(
    r"\b(purpose|function|point|use|goal|reason|motive)s? (of|for|behind)\b|\bwhat function\b|^what (is|"
    r"are|was|were) .*\bused for\b|^what (is|are) .* for \??$",
    "DESC:reason",
)

# Descriptions: accounts of something.

origin_of = says(
    r"^(what|name|how|tell|give)\b.*\b(origins?|history|roots?|background|story|beginnings?|"
    r"etymology|derivation) (of|behind|and)\b",
    "DESC:desc",
)
origin_of_a_word = says(
    r"^where (did|does|do) .*\b(term|word|phrase|saying|expression|name|idea|tradition|custom|slang|"
    r"nickname)\b.*(come|originate|start|get|begin)",
    "DESC:desc",
)
difference_between = says(
    r"\b(differences?|similarit\w+|relationship|distinction|comparison|connection) (between|of|in|"
    r"among)\b|\bdifferent from\b",
    "DESC:desc",
)
what_happened = says(r"^what (happen(s|ed)?|will happen|would happen)\b|\bwhat happens\b", "DESC:desc")
what_does_it_do = says(
    r"^what (do|does|did|can|could|should|would|will|must|has) .* (do|say|look like|contain|happen|think|"
    r"feel|about|like|consist|tell|go)( \S+){0,3} \??$",
    "DESC:desc",
)
effects_or_features_of = says(
    r"^what (\S+ ){1,4}(effects?|characteri?stics|features|properties|advantages?|disadvantages?|"
    r"benefits?|symptoms?|facts?|information|contents?|role|impact|signs|principles?|theory|nature|"
    r"results?|outcome|verdict|conditions|requirements?|rules|laws|powers|qualifications|significance|"
    r"importance) (of|on|for|about|in|and|to|from|did|does|do)\b",
    "DESC:desc",
)
part_played = says(r"^what (\S+ )?(part|role) (did|do|does|has|have) .* play(ed)? in\b|\brole of\b", "DESC:desc")
what_was_it_about = says(
    r"^what (is|was|are|were) .* (about|like|unusual|special|important|unique|good) (about|for|in|\?)|"
    r"^what (is|was|are|were) .* about \??$|^what 's .* like \??$",
    "DESC:desc",
)
describe = says(
    r"^(describe|explain|discuss)\b|^what (should|must|can|would|will) (i|you|we|one|a|the)\b|"
    r"^what if\b",
    "DESC:desc",
)
