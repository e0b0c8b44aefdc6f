"""How a question about a thing is put: set phrases, verbs, and nouns near the question word."""

import re

import assay


def says(pattern, label):
    """A regular expression for one label, whose task is its first part."""
    return assay.regex(pattern, label, on="text", task=label.split(":")[0].lower())


def asks(pattern, label):
    """The same with look-around, which rules do not have: matched from the beginning of the text."""
    matches = re.compile(pattern).match

    @assay.source(task=label.split(":")[0].lower(), labels=[label])
    def source(row):
        return label if matches(row.text) else None

    return source


what_did_someone_verb = says(
    r"^what (did|does|do|has|have|had) .* (collect|study|studies|use|have|get|lose|wear|see|find|give|"
    r"invent|sell|carry|buy|want|crave|take|win|drop|hold|steal|remove|offer|become|put|bring|throw|"
    r"discover|produce|share|measure|measured?|send|leave|swallow|seek|fear|drink|contain)\b",
    "ENTY:other",
)
what_verbs = says(
    r"^what (is|was) (considered|worn|measured|introduced|sold|found|given|made|destroyed|organized) |"
    r"^what (dangles|melts|became|goes|won|came|comes|fell|took|carries|developed|covers|gives|lies|hangs|"
    r"flies|attracts|travels|burns|follows|produces) ",
    "ENTY:other",
)
what_did_someone_do_to_it = asks(
    r"what (did|does|do|has|have|had) (?!.*\b(mean|means|stand for|call|called|eat|do|say|said|look|cause|"
    r"happen|happened|weigh|suffer|cost|drink|think|know|like)\b)",
    "ENTY:other",
)
what_with_a_preposition_left = assay.regex(
    r"^what (did|does|do|has|have|are|were|is|was) .* (with|in|on|from|to|into|out|by|as|of|over|at) \??$",
    "ENTY",
    on="text",
    task="coarse",
)
which_of_these = says(
    r"^which (of|one of|came|is|are|has|produces|thrilled) .*( or |following|these|heavier|larger)", "ENTY:other"
)

fear_of = says(r"\bfears? of\b|\bphobic\b|\bafraid of\b|\bdoes a .* fear \??$", "ENTY:dismed")
suffers_from = says(
    r"\bsuffer(s|ed|ing)?\b|\bwhat .*\b(transmitted|infected|contagious|cure[sd]?|treats?|treated|"
    r"diagnosed|prescribed|symptoms?|vaccine)\b",
    "ENTY:dismed",
)
died_of = says(r"^(how|what) did .* die (of|from)\b|^how did .* die \??$", "DESC:manner")
what_do_they_eat = says(
    r"^what (do|does|did|kind|can|should|would) .*\b(eat|eats|drink|drinks|ate|feed on|cook)\b", "ENTY:food"
)
served_or_flavored = says(
    r"^(what|which|name) .*\b(flavor(ed)?|taste[sd]?|ingredients?|recipe|dish|sauce|drink|beer|fruit|"
    r"vegetable|cheese|cocktail|wine|cereal|soup|meat|candy)\b",
    "ENTY:food",
)
made_of = says(
    r"^what .* (made|composed|consist|consists|comprised|built|constructed|formed) (of|from|out of|up "
    r"of)\b|^what .*\b(make|makes) up\b",
    "ENTY:substance",
)
chemical_words = says(
    r"^(what|which|name) .*\b(chemicals?|elements?|substances?|metals?|gas|gases|minerals?|alloy|acid|"
    r"compound|molecules?|atoms?)\b",
    "ENTY:substance",
)
also_known_as = says(
    r"\b(another|other|common|scientific|former|original|technical|proper) (name|term|word)s?\b|"
    r"\b(also|better|formerly|commonly|originally) (known|called)\b|\bknown as what\b|\bcalled what\b|"
    r"\bnicknamed what\b|\bsynonyms?\b|\bpseudonym\b",
    "ENTY:termeq",
)
term_for = says(
    r"\b(terms?|words?|names?|nickname|expression|latin|slang|french|spanish|german|italian|japanese|"
    r"hawaiian) (for|given to|used (for|to)|describ\w+|applied)\b",
    "ENTY:termeq",
)
what_do_they_call = says(
    r"^what (do|does|did|would|is|are) .*\bcall(ed)?\b|^what (do|does|did) (you|we|they|one|people|the "
    r"\w+|\w+) call\b",
    "ENTY:termeq",
)
is_it_called = says(
    r"^what (is|are|was|were|'s) .* (called|named|termed|dubbed|nicknamed|known as)( in \S+| by \S+)? \??$",
    "ENTY:termeq",
)


nickname_of = says(r"\b(nick-?name|nicknamed|motto|slogan)\b", "ENTY:termeq")
what_word = says(
    r"^(what|which|name) (\S+ ){0,3}(word|words|phrase|saying|adjective|noun|verb|prefix|suffix|"
    r"palindrome)\b( \S+)* ",
    "ENTY:word",
)
rhymes_or_lyrics = says(
    r"\brhymes?\b|\bsyllables?\b|\blongest (english )?word\b|\bspelled\b|\blast words?\b|\bwords (to|of|"
    r"in|does|did)\b|\banagram\b",
    "ENTY:word",
)
what_letter = says(
    r"\b(letters?|vowels?|consonants?)\b.*\b(alphabet|stamped|typewriter|keyboard|appears?|begin|used|"
    r"come|adorns?)|^(what|which) (\S+ ){0,2}(letters?|vowels?)\b",
    "ENTY:letter",
)
what_color = says(
    r"^(in |of )?(what|which|name) (\S+ ){0,2}colou?rs?\b|\bwhat colou?rs?\b|\bcolou?rs? (is|are|was|were|"
    r"of|on|in|do|does)\b",
    "ENTY:color",
)
what_language = says(
    r"\b(what|which) (\S+ ){0,2}languages?\b|\b(language|languages) (spoken|is|of|do|does|in)\b|\bspeak "
    r"in\b|\bofficial language\b",
    "ENTY:lang",
)
what_religion = says(
    r"\b(what|which) (\S+ ){0,2}(religions?|faith)\b|\breligions? (of|in|is|are|do|does)\b|\breligious "
    r"(beliefs?|affiliation)\b",
    "ENTY:religion",
)
what_currency = says(
    r"\bcurrenc(y|ies)\b|\b(monetary|money) (unit|used)\b|\bwhat money\b|\bunit of (money|currency)\b|"
    r"\bexchange rate\b",
    "ENTY:currency",
)
what_instrument = says(
    r"\b(what|which) (\S+ ){0,2}instruments?\b|\binstruments? (does|did|is|was|do|played)\b|\bplaying "
    r"what instrument\b",
    "ENTY:instru",
)
what_sport = says(
    r"\b(what|which) (\S+ ){0,3}(sports?|games?|pastime)\b|\b(favorite|popular) (sport|game)s?\b", "ENTY:sport"
)
game_is_played = says(
    r"^(what|which|name) .*\b(game|sport|games|sports)\b.*\b(play|played|players?|cards?|dice|board|ball|"
    r"team|rules|event|features?|called)\b",
    "ENTY:sport",
)
what_animal = says(
    r"^(what|which|name) (\S+ ){0,4}(animals?|birds?|dogs?|cats?|fish|snakes?|mammals?|insects?|horses?|"
    r"creatures?|breeds?|reptiles?|whales?|spiders?|bears?|fowl|canine)\b",
    "ENTY:animal",
)
name_of_a_pet = says(
    r"\b(name|names|called|named)\b.*\b(dog|cat|horse|pet|bird|parrot|fish|puppy|elephant|mouse|monkey|"
    r"bear|pig|cow|goldfish|chimp)s? ?(\?|$|in|that|who|'s name)|\b(dog|cat|horse|pet|parrot|puppy|"
    r"elephant|cow)( 's|s) names?\b",
    "ENTY:animal",
)
young_or_group_of_animals = says(
    r"\b(baby|young|male|female|group of|herd of|flock of|gaggle of|newborn|infant) \S+ (called|known)\b|"
    r"\bbreeds? of\b|\bspecies of\b",
    "ENTY:animal",
)
part_of_the_body = says(
    r"\b(part|parts|bone|bones|organ|organs|muscle|gland) (of|in) (the|your|a|my|our) (human )?(body|"
    r"brain|eye|face|mouth|head|ear|hand|foot|heart|leg)\b|\bbody part\b|\bwhat (\S+ ){0,2}(bones?|"
    r"organs?|muscles?|glands?|facial feature|limbs?)\b|\bpart of (your|the) (body|eye)\b",
    "ENTY:body",
)
what_plant = says(
    r"^(what|which|name) (\S+ ){0,3}(plants?|flowers?|trees?|shrubs?|weeds?|grass|cactus|herbs?)\b", "ENTY:plant"
)
what_ship_or_plane = says(
    r"\b(what|which|name|name of) .*\b(ships?|boats?|vessels?|planes?|airplanes?|aircraft|submarines?|"
    r"trains?|spacecraft|ocean liner|yacht|space shuttle|spaceship|steamboat)\b",
    "ENTY:veh",
)
what_film_or_book = says(
    r"^(in |on )?(what|which|name|name the|name a) (\S+ ){0,3}(films?|movies?|books?|novels?|songs?|"
    r"musicals?|operas?|albums?|poems?|tv (series|show|game show)|comic strips?|sitcoms?|cartoons?|"
    r"magazines?|newspapers?|paintings?|series|show)\b",
    "ENTY:cremat",
)
work_stars_or_tells = says(
    r"^(what|which|name) .*\b(starring|starred|starrs|featured?|features|titled|subtitled|based on|sequel|"
    r"tells|contains the line|adaptation|directed|premiered|published|best-seller|box office|soundtrack|"
    r"inspired by|penned|composed by|written by|painted by|sung by|recorded by|hit)\b",
    "ENTY:cremat",
)
work_by_its_maker = says(
    r"^(what|which|name) .*\b(did|does|has|have|was) \S+( \S+)? (write|written|paint|painted|compose|"
    r"direct|directed|star in|appear in|appeared in|sing|record|publish|act in|acted in|create|in) \??$|"
    r"^what (\S+ ){1,2}(novel|book|film|movie|play|story|musical) ",
    "ENTY:cremat",
)
what_war_or_event = says(
    r"^(in |during |on )?(what|which) (\S+ ){0,2}(wars?|battles?|holidays?|events?|incident|disaster|"
    r"tragedy|festival|massacre|revolution|conflict|trial|olympics|tournament|scandal|phenomenon|race)\b",
    "ENTY:event",
)
happened_on_a_day = says(
    r"^what .*\b(event|holiday|celebrated|celebrates|commemorates?|celebration|struck|befell|took place|"
    r"occurred|ended with|began with|disaster)\b",
    "ENTY:event",
)
what_product = says(
    r"^(what|which|name) (\S+ ){0,3}(products?|brand|brands|cigarettes?|cars?|toys?|toothpaste|deodorant|"
    r"shampoo|detergent|razor|soap|computers?|automobile)\b",
    "ENTY:product",
)
sold_or_advertised = says(
    r"^(what|which) .*\b(advertis\w+|sold|slogan|commercial|trademark|patented|invented|marketed|"
    r"endorsed?|pitch(ed|es)?|promoted?|introduced commercially)\b",
    "ENTY:product",
)
what_symbol = says(
    r"\b(what|which) (\S+ ){0,2}(symbols?|sign|emblem|logo|punctuation mark|roman numeral|birthstone)\b|"
    r"\bsymbol (for|of|is)\b|\bsymbolizes?\b|\bastrological sign\b|\bzodiac\b",
    "ENTY:symbol",
)
way_to = says(
    r"\b(way|ways|method|methods|technique|techniques|procedure|process|trick|system) (to|of|for|used|is "
    r"used|in which|by which|do|does)\b|^(what|which) (\S+ ){0,2}(method|technique|process|procedure|"
    r"maneuver|language|system)\b",
    "ENTY:techmeth",
)
