"""Sources that look at how a question is put: question words, verbs, set phrases.

Written from the question openings of `train`. Texts are in lower case and split into tokens by spaces.
"""

import re

import assay


def says(pattern, label):
    """A regular expression for one label, whose task is its first part."""
    return assay.regex(pattern, label, on="text", task=label.split(":")[0].lower())


def function(label):
    """A function of a row's text for one label, whose task is its first part."""
    return assay.source(task=label.split(":")[0].lower(), labels=[label])


def asks(pattern, label):
    """The same with look-around, which rules do not have: matched from the beginning of the text."""
    matches = re.compile(pattern).match

    @assay.source(task=label.split(":")[0].lower(), labels=[label])
    def source(row):
        return label if matches(row.text) else None

    return source


# Coarse: the question word.

who_is_human = assay.regex(r"\b(who|whom|whose)\b", "HUM", on="text", task="coarse")
where_is_location = assay.regex(r"^(in |from |to )?where\b", "LOC", on="text", task="coarse")
when_or_quantity_is_number = assay.regex(
    r"^(about |approximately |on average , )?(when|how (many|much|long|far|old|tall|big|fast|high|deep|often|large|hot|cold|late|wide|heavy|early|close|small))\b",
    "NUM", on="text", task="coarse",
)  # fmt: skip
why_or_how_is_description = assay.regex(
    r"^(why|how (do|does|did|can|could|is|are|was|were|should|would|to|come|will|has|have))\b", "DESC", on="text", task="coarse"
)

# Abbreviations.

stands_for = says(r"\bstands? for\b", "ABBR:exp")
is_the_abbreviation_for_what = says(r"\b(abbreviation|acronym|initials|short) for what\b|\bstands? for what\b", "ABBR:exp")
what_does_the_acronym_mean = says(
    r"\bwhat (does|do|did|is|are) (the )?(abbreviation|acronym|initials|letters)\b.*(mean|stand|represent|signify)|full form of|\bstand for\b.*\b(abbreviation|acronym|initials)\b",
    "ABBR:exp",
)
abbreviation_for = says(
    r"\b(abbreviation|acronym|abbreviated|initials?) (for|of|form|expression|name|term)\b|\bhow do you abbreviate\b|\babbreviated\b",
    "ABBR:abb",
)
ACRONYMS = frozenset(
    """aids nasa cnn nato laser radar iq isp asean unicef un uk usa eu afs ioc epa fbi cia irs ups ibm atm html http dna rna
    bmw tv ac dc ira i.r.a. aaa abc nbc cbs bbc usb cpu ram rom url scuba sonar snafu nafta opec espn
    imf who ussr kgb pcb dvd vcr vhs mri cat hiv iv er ekg adhd add sids eeg gmt est pst faq asap aarp""".split()
)


def looks_like_acronym(word):
    """Letters without a vowel, letters with dots, or known."""
    letters = word.strip("`'\".,")
    dotted = re.fullmatch(r"([a-z]\.){2,}[a-z]?", word) is not None
    bare = 2 <= len(letters) <= 5 and letters.isalpha() and not re.search("[aeiouy]", letters)
    return dotted or bare or letters in ACRONYMS


@function("ABBR:exp")
def what_is_an_acronym(row):
    found = re.fullmatch(r"what (?:is|are|does|do|'s) (?:an? |the )?(?:`+ )?(\S+)(?: ''?| ')?(?: stand for| mean)? \??", row.text)
    return "ABBR:exp" if found and looks_like_acronym(found[1]) else None


# Descriptions: definitions.

BARE = re.compile(
    r"what (?:is|are|was|were|'s) (?P<article>an? |the )?(?P<thing>[^?]+?) \??"
)
NOT_BARE = re.compile(
    r"(^| )(of|in|on|for|to|by|that|which|who|from|with|at|between|called|made|used|known|most|best|first|last|only|'s|s|named|famous|does|do|\S+est)( |$)"
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


SAY_IN = re.compile(r"\b(say|spell|pronounce|write) .*\bin (other|spanish|french|german|italian|\w+ese|\w+ish|\w+ian|latin|different)\b")


@function("DESC:manner")
def how_do_you(row):
    asked = re.match(r"how (do|can|could|should|would|may|might|must) (i|you|we|one|they|someone|people)\b", row.text)
    return "DESC:manner" if asked and not SAY_IN.search(row.text) else None



@function("DESC:manner")
def how_does_it(row):
    asked = re.match(r"(so )?how (do|does|did|can|could|would|should|will)\b", row.text)
    return "DESC:manner" if asked and not SAY_IN.search(row.text) else None


how_is_it_done = says(r"^how (is|are|was|were|has|have|had|be)\b", "DESC:manner")
how_to = says(r"^how (to|you|good|well|successful|safe|effective|accurate|important|true|serious|different)\b|\bhow to\b", "DESC:manner")
how_something_works = says(r"^how (do|does|did|can|is|are|was|were|could) .*\b(work|made|make|formed?|created?|affect|operate|use|get|find|become|function|tell|know)\b", "DESC:manner")

# Descriptions: reason.

why = says(r"\bwhy\b", "DESC:reason")
how_come = says(r"^how come\b|^for what reason\b|\bwhat reason\b|\breasons? (for|why|that|behind)\b", "DESC:reason")
what_causes = says(r"^what('s| is| are| was| were)? (the )?(main |major |most common |leading )?(causes?|caused)\b|\bcauses? of\b", "DESC:reason")
what_makes_it = says(r"^what (makes?|made|prompted|led|forced|drove|keeps?|kept|attracts?|prevents?) ", "DESC:reason")
purpose_of = says(r"\b(purpose|function|point|use|goal|reason|motive)s? (of|for|behind)\b|\bwhat function\b|^what (is|are|was|were) .*\bused for\b|^what (is|are) .* for \??$", "DESC:reason")

# Descriptions: accounts of something.

origin_of = says(r"^(what|name|how|tell|give)\b.*\b(origins?|orgin|history|roots?|background|story|beginnings?|etymology|derivation) (of|behind|and)\b", "DESC:desc")
origin_of_a_word = says(
    r"^where (did|does|do) .*\b(term|word|phrase|saying|expression|name|idea|tradition|custom|slang|nickname)\b.*(come|originate|start|get|begin)",
    "DESC:desc",
)
difference_between = says(r"\b(differences?|similarit\w+|relationship|distinction|comparison|connection) (between|of|in|among)\b|\bdifferent from\b", "DESC:desc")
what_happened = says(r"^what (happen(s|ed)?|will happen|would happen)\b|\bwhat happens\b", "DESC:desc")
what_does_it_do = says(r"^what (do|does|did|can|could|should|would|will|must|has) .* (do|say|look like|contain|happen|think|feel|about|like|consist|tell|go)( \S+){0,3} \??$", "DESC:desc")
effects_or_features_of = says(
    r"^what (\S+ ){1,4}(effects?|characteri?stics|features|properties|advantages?|disadvantages?|benefits?|symptoms?|facts?|information|contents?|role|impact|signs|principles?|theory|nature|results?|outcome|verdict|conditions|requirements?|rules|laws|powers|qualifications|significance|importance|contributions?) (of|on|for|about|in|and|to|from|did|does|do)\b",
    "DESC:desc",
)
what_was_it_about = says(r"^what (is|was|are|were) .* (about|like|unusual|special|important|unique|good) (about|for|in|\?)|^what (is|was|are|were) .* about \??$|^what 's .* like \??$", "DESC:desc")
describe = says(r"^(describe|explain|discuss)\b|^what (should|must|can|would|will|do) (i|you|we|one|a|the)\b|^what good (is|are)\b|^what if\b", "DESC:desc")

# Entities.

what_did_someone_verb = says(r"^what (did|does|do|has|have|had) .* (collect|study|studies|use|have|get|lose|wear|see|find|give|invent|sell|carry|buy|want|crave|take|win|drop|hold|steal|remove|offer|become|put|bring|throw|discover|produce|share|measure|measured?|send|leave|swallow|seek|fear|drink|contain)\b", "ENTY:other")
what_verbs = says(r"^what (is|was) (considered|worn|measured|introduced|sold|found|given|made|destroyed|organized) |^what (dangles|melts|became|goes|won|came|comes|fell|took|carries|developed|covers|gives|lies|hangs|flies|attracts|travels|burns|follows|produces) ", "ENTY:other")
what_with_a_preposition_left = assay.regex(r"^what (did|does|do|has|have|are|were|is|was) .* (with|in|on|from|to|into|out|by|as|of|over|at) \??$", "ENTY", on="text", task="coarse")
which_of_these = says(r"^which (of|one of|came|is|are|has|produces|thrilled) .*( or |following|these|heavier|larger)", "ENTY:other")

fear_of = says(r"\bfears? of\b|\bphobic\b|\bafraid of\b|\bdoes a .* fear \??$", "ENTY:dismed")
suffers_from = says(r"\bsuffer(s|ed|ing)?\b|\bwhat .*\b(transmitted|infected|contagious|cure[sd]?|treats?|treated|diagnosed|prescribed|symptoms?|vaccine)\b", "ENTY:dismed")
died_of = says(r"^(how|what) did .* die (of|from)\b|^how did .* die \??$", "DESC:manner")
what_do_they_eat = says(r"^what (do|does|did|kind|can|should|would) .*\b(eat|eats|drink|drinks|ate|feed on|cook)\b", "ENTY:food")
served_or_flavored = says(r"^(what|which|name) .*\b(flavor(ed)?|taste[sd]?|ingredients?|recipe|dish|sauce|drink|beer|fruit|vegetable|cheese|cocktail|wine|cereal|soup|meat|candy)\b", "ENTY:food")
made_of = says(r"^what .* (made|composed|consist|consists|comprised|built|constructed|formed) (of|from|out of|up of)\b|^what .*\b(make|makes) up\b", "ENTY:substance")
chemical_words = says(r"^(what|which|name) .*\b(chemicals?|elements?|substances?|metals?|gas|gases|minerals?|alloy|acid|compound|molecules?|atoms?)\b", "ENTY:substance")
also_known_as = says(
    r"\b(another|other|common|scientific|former|original|technical|alternate|proper) (name|term|word)s?\b|\b(also|better|formerly|commonly|originally) (known|called)\b|\bknown as what\b|\bcalled what\b|\bnicknamed what\b|\bsynonyms?\b|\bpseudonym\b",
    "ENTY:termeq",
)
term_for = says(r"\b(terms?|words?|names?|nickname|expression|latin|slang|french|spanish|german|italian|japanese|hawaiian) (for|given to|used (for|to)|describ\w+|applied)\b", "ENTY:termeq")
what_do_they_call = says(r"^what (do|does|did|would|is|are) .*\bcall(ed)?\b|^what (do|does|did) (you|we|they|one|people|the \w+|\w+) call\b", "ENTY:termeq")
is_it_called = says(r"^what (is|are|was|were|'s) .* (called|named|termed|dubbed|nicknamed|known as)( in \S+| by \S+)? \??$", "ENTY:termeq")

@function("ENTY:termeq")
def how_do_you_say(row):
    in_language = re.search(r"^what (is|'s) .*\bin (spanish|french|german|italian|latin|japanese|russian|chinese|hebrew|greek|\w+ slang)\b", row.text)
    return "ENTY:termeq" if in_language or (row.text.startswith("how") and SAY_IN.search(row.text)) else None


nickname_of = says(r"\b(nick-?name|nicknamed|motto|slogan)\b", "ENTY:termeq")
what_word = says(r"^(what|which|name) (\S+ ){0,3}(word|words|phrase|saying|adjective|noun|verb|prefix|suffix|palindrome)\b( \S+)* ", "ENTY:word")
rhymes_or_lyrics = says(r"\brhymes?\b|\bsyllables?\b|\blongest (english )?word\b|\bspelled\b|\blast words?\b|\bwords (to|of|in|does|did)\b|\banagram\b", "ENTY:word")
what_letter = says(r"\b(letters?|vowels?|consonants?)\b.*\b(alphabet|stamped|typewriter|keyboard|appears?|begin|used|come|adorns?)|^(what|which) (\S+ ){0,2}(letters?|vowels?)\b", "ENTY:letter")
what_color = says(r"^(in |of )?(what|which|name) (\S+ ){0,2}colou?rs?\b|\bwhat colou?rs?\b|\bcolou?rs? (is|are|was|were|of|on|in|do|does)\b", "ENTY:color")
what_language = says(r"\b(what|which) (\S+ ){0,2}languages?\b|\b(language|languages) (spoken|is|of|do|does|in)\b|\bspeak in\b|\bofficial language\b", "ENTY:lang")
what_religion = says(r"\b(what|which) (\S+ ){0,2}(religions?|faith)\b|\breligions? (of|in|is|are|do|does)\b|\breligious (beliefs?|affiliation)\b", "ENTY:religion")
what_currency = says(r"\bcurrenc(y|ies)\b|\b(monetary|money) (unit|used)\b|\bwhat money\b|\bunit of (money|currency)\b|\bexchange rate\b", "ENTY:currency")
what_instrument = says(r"\b(what|which) (\S+ ){0,2}instruments?\b|\binstruments? (does|did|is|was|do|played)\b|\bplaying what instrument\b", "ENTY:instru")
what_sport = says(r"\b(what|which) (\S+ ){0,3}(sports?|games?|pastime)\b|\b(favorite|popular) (sport|game)s?\b", "ENTY:sport")
game_is_played = says(r"^(what|which|name) .*\b(game|sport|games|sports)\b.*\b(play|played|players?|cards?|dice|board|ball|team|rules|event|features?|called)\b", "ENTY:sport")
what_animal = says(r"^(what|which|name) (\S+ ){0,4}(animals?|birds?|dogs?|cats?|fish|snakes?|mammals?|insects?|horses?|creatures?|breeds?|reptiles?|whales?|spiders?|bears?|fowl|canine)\b", "ENTY:animal")
name_of_a_pet = says(r"\b(name|names|called|named)\b.*\b(dog|cat|horse|pet|bird|parrot|fish|puppy|elephant|mouse|monkey|bear|pig|cow|goldfish|chimp)s? ?(\?|$|in|that|who|'s name)|\b(dog|cat|horse|pet|parrot|puppy|elephant|cow)( 's|s) names?\b", "ENTY:animal")
young_or_group_of_animals = says(r"\b(baby|young|male|female|group of|herd of|flock of|gaggle of|newborn|infant) \S+ (called|known)\b|\bbreeds? of\b|\bspecies of\b", "ENTY:animal")
part_of_the_body = says(r"\b(part|parts|bone|bones|organ|organs|muscle|gland) (of|in) (the|your|a|my|our) (human )?(body|brain|eye|face|mouth|head|ear|hand|foot|heart|leg)\b|\bbody part\b|\bwhat (\S+ ){0,2}(bones?|organs?|muscles?|glands?|facial feature|limbs?)\b|\bpart of (your|the) (body|eye)\b", "ENTY:body")
what_plant = says(r"^(what|which|name) (\S+ ){0,3}(plants?|flowers?|trees?|shrubs?|weeds?|grass|cactus|herbs?)\b", "ENTY:plant")
what_ship_or_plane = says(r"\b(what|which|name|name of) .*\b(ships?|boats?|vessels?|planes?|airplanes?|aircraft|submarines?|trains?|spacecraft|ocean liner|yacht|space shuttle|spaceship|steamboat)\b", "ENTY:veh")
what_film_or_book = says(r"^(in |on )?(what|which|name|name the|name a) (\S+ ){0,3}(films?|movies?|books?|novels?|songs?|musicals?|operas?|albums?|poems?|tv (series|show|game show)|comic strips?|sitcoms?|cartoons?|magazines?|newspapers?|paintings?|series|show)\b", "ENTY:cremat")
work_stars_or_tells = says(r"^(what|which|name) .*\b(starring|starred|starrs|featured?|features|titled|subtitled|based on|sequel|tells|contains the line|adaptation|directed|premiered|published|best-seller|box office|soundtrack|inspired by|penned|composed by|written by|painted by|sung by|recorded by|hit)\b", "ENTY:cremat")
work_by_its_maker = says(r"^(what|which|name) .*\b(did|does|has|have|was) \S+( \S+)? (write|written|paint|painted|compose|direct|directed|star in|appear in|appeared in|sing|record|publish|act in|acted in|create|in) \??$|^what (\S+ ){1,2}(novel|book|film|movie|play|story|musical) ", "ENTY:cremat")
what_war_or_event = says(r"^(in |during |on )?(what|which) (\S+ ){0,2}(wars?|battles?|holidays?|events?|incident|disaster|tragedy|festival|massacre|revolution|conflict|trial|olympics|tournament|scandal|phenomenon|race)\b", "ENTY:event")
happened_on_a_day = says(r"^what .*\b(event|holiday|celebrated|celebrates|commemorates?|celebration|struck|befell|took place|occurred|ended with|began with|slaughter|disaster)\b", "ENTY:event")
what_product = says(r"^(what|which|name) (\S+ ){0,3}(products?|brand|brands|cigarettes?|cars?|toys?|toothpaste|deodorant|shampoo|detergent|razor|soap|computers?|automobile)\b", "ENTY:product")
sold_or_advertised = says(r"^(what|which) .*\b(advertis\w+|sold|slogan|commercial|trademark|patented|invented|marketed|endorsed?|pitch(ed|es)?|promoted?|introduced commercially)\b", "ENTY:product")
what_symbol = says(r"\b(what|which) (\S+ ){0,2}(symbols?|sign|emblem|logo|punctuation mark|roman numeral|birthstone)\b|\bsymbol (for|of|is)\b|\bsymbolizes?\b|\bastrological sign\b|\bzodiac\b", "ENTY:symbol")
way_to = says(r"\b(way|ways|method|methods|technique|techniques|procedure|process|trick|system) (to|of|for|used|is used|in which|by which|do|does)\b|^(what|which) (\S+ ){0,2}(method|technique|process|procedure|maneuver|language|system)\b", "ENTY:techmeth")

# People.

who_did = says(r"^who ([a-z]+ed|wrote|won|made|said|gave|shot|led|sang|sings|built|held|owns|has|had|began|took|came|ran|became|did|does|led|found|stole|drew|lost|taught|flew|broke|wears|killed|plays|lives|leads|makes|writes|runs|stars|holds|sold|beat|spoke|rode|dared|kept|went|drove|cut|put|hit|told)\b", "HUM:ind")
who_was_the = says(r"^who ('s|is|was|will be|were|are) (the|a|an|his|her|\S+ 's|\S+ \S+ 's)\b", "HUM:ind")
who_with_more_said = says(r"^(who|whom|whose|by whom|with whom|to whom) (\S+ ){4,}", "HUM:ind")
whose_or_whom = says(r"^(whose|whom|to whom|with whom|by whom|for whom)\b|\b(of|by|to) whom\b|, who (is|was|are|were|did|played|said|wrote)\b", "HUM:ind")
real_name_of_a_person = says(r"\b(real|first|last|middle|maiden|full|christian|given|birth|stage) names?\b|\b(wife|husband|father|mother|son|daughter|brother|sister|girlfriend|boyfriend|secretary|partner|child|children|sons|daughters|wives|uncle|aunt)( 's)? names?\b|\bname of .*\b(wife|husband|father|mother|son|daughter|sister|brother|girlfriend|partner|creator|secretary)\b", "HUM:ind")
name_of_one_unknown = says(r"^what (is|was|were|are|'s) (\S+ ){1,5}'s? (\S+ ){0,2}names?( \S+)? \??$", "HUM:ind")
name_of_who = says(r"\bnames? (of|the) .*\b(who|whose|that played|man|woman|actor|actress|president|author|singer|character|leader|lawyer|inventor|girl|boy)\b", "HUM:ind")
person_who = asks(r"(what|which|name) (?!(is|are|was|were|do|does|did|has|can|would) )(\S+ ){0,5}?(actor|actress|president|singer|author|writer|poet|novelist|artist|painter|composer|comedian|comedienne|character|man|woman|king|queen|player|pitcher|leader|director|star|general|senator|golfer|boxer|astronaut|explorer|inventor|pope|detective|hero|host|model|musician|architect|designer|scientist|spy|emperor|prince|princess|minister|coach|quarterback|playwright|villain|governor|lawyer|athlete|dictator|swimmer|philosopher|doctor|cartoonist|saint|god|goddess)\b", "HUM:ind")
did_what_a_person_does = says(r"^(what|which) (\S+ ){1,4}(was born|was married|married|said|portrayed|wrote|starred|died|sang|quipped|lived|penned|lost his|told|ran for|confessed|observed|painted|directed|designed|earned|was nicknamed|had his|had her|called himself|\S+ his|\S+ her|appeared in|posed|fathered)\b", "HUM:ind")
famous_person_description = says(r"^(what|why) (is|was|are|were) (\S+ ){1,4}(famous|known|noted|renowned|remembered|best known)( \S+)? (for|as) \??$|\bclaim to fame\b|^how (is|was) .* known\b", "HUM:desc")


@function("HUM:desc")
def who_is_a_name(row):
    """Who was Ann Lee? Nothing but a name of up to four words, without articles and possessives."""
    found = re.fullmatch(r"who (?:is|was|are|were|'s) ((?:[^ ]+ ){1,4})\??", row.text)
    if not found or re.search(r"(^| )(the|a|an|of|in|'s|to|for|president|named|called|behind|on|first)( |$)", found[1].strip()):
        return None
    return "HUM:desc"


who_in_quotes_or_dated = says(r"^who (is|was|are|were) (the )?(``|`) |^who (is|was) (\S+ ){2,4}, [0-9]|^who (is|was) (sir|lord|lady|king|queen|saint|st\.|dr\.|mr\.|mrs\.|captain|general) \S+( \S+)? \??$", "HUM:desc")
occupation_of = says(r"\b(occupation|profession|vocation|day job|do for a living|job title|military rank|official title)\b", "HUM:title")
what_was_his_job = says(r"^(in )?what (title|titles|job|occupation|profession|rank|career) |^what (is|was|were|are) .*'s (occupation|profession|job|vocation|title)\b|\b(what|which) (titles?|rank) (did|does|was|is)\b", "HUM:title")
what_company = says(r"\b(what|which|name) (\S+ ){0,4}(company|companies|corporation|firm|manufacturers?|airlines?|bank|store|chain|network|brewery|studio|publisher|retailer|maker)\b", "HUM:gr")
what_team_or_band = says(r"\b(what|which|name|name of) (\S+ ){0,4}(teams?|band|group|groups|league|orchestra|trio|quartet|duo|club)\b", "HUM:gr")
what_organization = says(r"\b(what|which|name) (\S+ ){0,3}(organizations?|university|universities|colleges?|schools?|party|army|agency|association|union|tribe|government|department|society|police|family|people|peoples|race|navy|businesses)\b", "HUM:gr")
who_makes_or_owns = says(r"^who (makes|made|owns|manufactures?|produces|sells|publishes|publish|operates|bought|sponsors|manufactured|distributes|developed)\b", "HUM:gr")
who_won_the_game = says(r"^(who|what|which) (\S+ ){0,3}(won|has won|wins|win|beat|defeated|lost|played in|play) .*\b(super ?bowls?|world series|world cup|pennant|championship|stanley cup|league|rose bowl|game)\b", "HUM:gr")

# Places.

where = says(r"^(where|where 's)\b|\bwhere (is|are|was|were|did|does|do)\b|\bwhere \??$", "LOC:other")
where_can_i_find = says(r"^where (can|could|do|should|would|might|on the (internet|web)|must) ", "LOC:other")
where_is_it_located = says(r"\b(located|situated|found|headquartered|headquarters|buried|born|live|lives|lived|come from|comes from|held|reside)\b.*\bwhere\b|^where .*\b(located|situated|found|headquartered|buried|born|live|lives|lived|come|held|grow|originate|occur|begin|built|made|fought|take place)\b", "LOC:other")
what_water_or_land = says(r"^(in |on |name |to |into )?(the |what |which |what is the |what 's the |what was the )(\S+ ){0,2}(rivers?|lakes?|oceans?|seas?|islands?|continents?|deserts?|bay|gulf|peninsula|valley|canyon|falls|waterfall|canal|strait|planets?|constellation|galaxy|county|region|body of water)\b", "LOC:other")
what_building_or_site = says(r"\b(what|which|name|'s) (\S+ ){0,4}(building|street|bridge|stadium|airport|park|museum|hotel|tower|cathedral|palace|prison|castle|avenue|square|highway|hospital|library|theater|landmark|restaurant|casino|mall|web ?sites?|sites?|address|place|location|area)\b", "LOC:other")
superlative_place = says(r"\b(largest|longest|tallest|biggest|highest|deepest|smallest|oldest|busiest|lowest|second-largest|hottest|driest|wettest) (\S+ ){0,2}(rivers?|lakes?|islands?|oceans?|buildings?|desert|sea|bridge|airport|waterfall|canyon|place|planet|point|spot|stadium|museum|structure|park|shopping|library|libraries|canal|cave|continent)\b", "LOC:other")
what_city = says(r"\b(what|which|name|name the) (\S+ ){0,4}(city|cities|town|towns|capital|capitals|seaport|village|metropolis)\b", "LOC:city")
capital_of = says(r"^(what|name|which) .*\bcapitals? (of|city)\b|^what is .*'s capital\b|\b(largest|biggest|oldest|smallest|populous|populated) (\S+ )?(city|town|cities)\b", "LOC:city")
in_what_city = says(r"\b(in|from|to|near|of|at) (what|which) (\S+ )?(city|town|cities)\b|\bwhat (\S+ )?city (is|was|did|does|has|had|'s|boasts|would|are|hosted|in|will|gained|do)\b", "LOC:city")
what_country = says(r"\b(what|which|name|name the|name a) (\S+ ){0,3}(country|countries|nation|nations|nationality|republic|kingdom) [^e]", "LOC:country")
superlative_country = says(r"\b(only|smallest|largest|wealthiest|richest|first|biggest|populous|poorest|two|three|african|asian|european|nordic|benelux) (\S+ ){0,2}(country|countries|nation|nations)\b", "LOC:country")
what_state = says(r"\b(what|which|name|name the) (\S+ ){0,3}(state|states|province|provinces)\b", "LOC:state")
us_state = says(r"\b(u\.s\. states?|us states?|american states?|southern states?|state 's|united states state|(what|which) states?|new england states?)\b", "LOC:state")
mountain_words = says(r"\b(what|which|name|'s|the) (\S+ ){0,4}(mountains?|peaks?|volcano|volcanoes|mountain range)\b", "LOC:mount")

# Numbers.

how_many = says(r"\bhow many\b", "NUM:count")
how_much_of_something = says(r"\bhow much (of|time|water|snow|blood|oxygen|[a-z]+ ([a-z]+ )?(is|are|does|do|should|can|equals|in|was|were)) ", "NUM:count")
number_of = says(r"^(what|approximate|name|give).* (number|amount|quantity|total) of\b|\bdeath toll\b|\bhow many\b.* population", "NUM:count")
how_much_money = says(r"\bhow much .*\b(cost|costs|worth|pay|pays|paid|earn|earns|earned|spend|spent|sell|sold|price|charge|money|tax|salary|fine|rent|bought|buy|insured|dollars|wage|make|owe|get)\b", "NUM:money")
money_words = says(r"^(what|how much) (is|are|was|were|'s|did|does|do|would|will|should|percentage|kind)\b.*\b(costs?|prices?|salary|salaries|wages?|income|fare|fees?|budget|worth|debt|revenue|paid|dollars?)\b", "NUM:money")
how_much_did_it = says(r"^how much (did|does|do|would|will|is|was|are|were|should) ", "NUM:money")
when = says(r"^(since |until )?when\b|\bwhen (was|were|did|is) .*\?$", "NUM:date")
what_year_or_day = says(r"\b(what|which) (\S+ ){0,3}(year|years|day|days|month|months|date|dates|century|decade|season|time|holiday season)\b", "NUM:date")
date_of = says(r"^what (is|was|are|were|'s) .*\b(date|dates|birthday|anniversary|birth date|day|year|month) (of|was|is|for|in|on|\?)|'s birthday\b|\bwhat time\b|^when (is|was|were|did)\b", "NUM:date")
how_far = says(r"^(about |approximately )?how (far|tall|high|deep|wide|close|thick|short)\b", "NUM:dist")
how_many_miles = says(r"\bhow many (miles|feet|inches|kilometers|meters|yards|light[- ]years)\b.*\b(is|are|from|between|long|tall|high|wide|away|deep)\b|^what (is|are|was|were|'s) .*\b(length|height|distance|altitude|elevation|diameter|wingspan|depth|width|radius|circumference)s?\b", "NUM:dist")
how_long_is_a_thing = says(r"^how long (is|are|was|were) (the |a |an )?(\S+ ){0,5}(river|bridge|wall|tunnel|canal|boardwalk|snake|coast|coastline|border|tail|island|road|highway|ship|trail|intestines?|nail|hair|line|beach|street|field|track|bridge|neck|tongue|whale|python)\b", "NUM:dist")
how_long = says(r"^how long\b", "NUM:period")
how_old = says(r"\bhow old\b|\b(what|which) (\S+ ){0,2}age\b|\bat what age\b|\b(average|median) age\b", "NUM:period")
life_span = says(r"\b(life ?span|life expectancy|gestation|half-life|incubation|how (many )?(years|days|hours|minutes|months|weeks) (does|did|is|will|do) it take|average (time|length of time)|time does it take|take to)\b|\blast(s|ed)?\b.*\bhow long\b|\bhow long did\b", "NUM:period")
how_fast = says(r"\bhow fast\b|\b(speed|velocity|mph|miles per hour)\b", "NUM:speed")
how_hot = says(r"\bhow (hot|cold|warm)\b|\b(temperatures?|fahrenheit|celsius|boiling point|melting point|freezing point|degrees)\b", "NUM:temp")
how_big = says(r"\bhow (big|large|small|huge)\b|\b(size|acreage|volume|capacity|square (feet|miles|kilometers)|dimensions)\b( of| does| is|\?)?", "NUM:volsize")
how_heavy = says(r"\bweighs?\b|\bhow heavy\b|^what (is|was|'s) the (\S+ )?weight\b|\bhow many (pounds|tons|ounces|kilograms|grams)\b", "NUM:weight")
percentage_of = says(r"\b(percentage|percent|fraction|proportion) of\b|\bwhat (\S+ ){0,2}(percentage|percent|fraction|proportion|share)\b|^what (is|are|was|were|'s) .*\b(odds|probability|chances?|rate|ratio|likelihood)\b|\bodds (of|that)\b", "NUM:perc")
population_of = says(r"^(what|how|the) (is|was|'s|large|big|are|many).*\bpopulations?\b|\bpopulation of .* (is|was) what\b", "NUM:other")
score_or_measure = says(r"^what (is|was|are|were|'s) .*\b(iq|horsepower|latitude|longitude|frequency|par|scores?|index|heart rate|blood pressure|ph|magnitude|chromosome number|atomic number|numerical value|perfect score|batting average|dimensions?)\b|\bhow often\b|\bhow many times\b", "NUM:other")
phone_or_code_number = says(r"^(what|how|where|name|who) .*\b(telephone|phone|fax|zip|area|postal|social security|serial|ip|toll-free|800|account|dialing) (numbers?|codes?|address)\b|\bwhat (\S+ ){0,2}(code|digits)\b", "NUM:code")
chapter_or_rank = says(r"\b(what|which) (chapter|verse|place|rank|number|grade)\b|\bchapters?\b|\b(rank|ranks|ranked)\b", "NUM:ord")
