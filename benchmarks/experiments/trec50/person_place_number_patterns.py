"""How a question about people, places or numbers is put: question words, verbs, set phrases."""

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


# People.

who_did = says(
    r"^who ([a-z]+ed|wrote|won|made|said|gave|shot|led|sang|sings|built|held|owns|has|had|began|took|came|"
    r"ran|became|did|does|led|found|stole|drew|lost|taught|flew|broke|wears|killed|plays|lives|leads|"
    r"makes|writes|runs|stars|holds|sold|beat|spoke|rode|dared|kept|went|drove|cut|put|hit|told)\b",
    "HUM:ind",
)
who_was_the = says(r"^who ('s|is|was|will be|were|are) (the|a|an|his|her|\S+ 's|\S+ \S+ 's)\b", "HUM:ind")
who_with_more_said = says(r"^(who|whom|whose|by whom|with whom|to whom) (\S+ ){4,}", "HUM:ind")
whose_or_whom = says(
    r"^(whose|whom|to whom|with whom|by whom|for whom)\b|\b(of|by|to) whom\b|, who (is|was|are|were|did|"
    r"played|said|wrote)\b",
    "HUM:ind",
)
real_name_of_a_person = says(
    r"\b(real|first|last|middle|maiden|married|better-known|second|full|christian|given|birth|stage) "
    r"names?\b|\b(wife|husband|father|mother|son|daughter|brother|sister|girlfriend|boyfriend|secretary|"
    r"partner|child|children|sons|daughters|wives|uncle|aunt)( 's)? names?\b|\bname of .*\b(wife|husband|"
    r"father|mother|son|daughter|sister|brother|girlfriend|partner|creator|secretary)\b",
    "HUM:ind",
)
name_of_one_unknown = says(r"^what (is|was|were|are|'s) (\S+ ){1,5}'s? (\S+ ){0,2}names?( \S+)? \??$", "HUM:ind")
name_of_who = says(
    r"\bnames? (of|the) .*\b(who|whose|that played|man|woman|actor|actress|president|author|singer|"
    r"character|leader|lawyer|inventor|girl|boy)\b",
    "HUM:ind",
)
person_who = asks(
    r"(what|which|name) (?!(is|are|was|were|do|does|did|has|can|would) )(\S+ ){0,5}?(actor|actress|"
    r"president|singer|author|writer|poet|novelist|artist|painter|composer|comedian|comedienne|character|"
    r"man|woman|king|queen|player|pitcher|leader|director|star|general|senator|golfer|boxer|astronaut|"
    r"explorer|inventor|pope|detective|hero|host|model|musician|architect|designer|scientist|spy|emperor|"
    r"prince|princess|minister|coach|quarterback|playwright|villain|governor|lawyer|athlete|dictator|"
    r"swimmer|philosopher|doctor|cartoonist|saint|god|goddess)\b",
    "HUM:ind",
)
did_what_a_person_does = says(
    r"^(what|which) (\S+ ){1,4}(was born|was married|married|said|portrayed|wrote|starred|died|sang|"
    r"quipped|lived|penned|lost his|told|ran for|confessed|observed|painted|directed|designed|earned|was "
    r"nicknamed|had his|had her|called himself|\S+ his|\S+ her|appeared in|posed|fathered)\b",
    "HUM:ind",
)
NAME = (
    r"^(name|names|name of|(what|which) (is|was|are|were|'s) (the |their |his |her )?"
    r"(full |first |last )?names?( of)?)\b"
)
name_a_person = says(
    NAME
    + r".*\b(man|woman|lady|girl|boy|actor|actress|singer|author|writer|creator|inventor|captain|pilot|husband|wife|"
    r"brothers?|sisters?|children|sons?|daughters?|father|mother|grandfather|gods?|goddess|king|queen|president|leader|"
    r"lawyer|prosecutor|hunter|character|members?|hero|heroine|director|manager|player|astronaut|detective|villain|"
    r"secretary|host|doctor|scientist|economist|poet|artist|ranger|cook|butler|maid|killer|senator|governor)\b",
    "HUM:ind",
)
name_a_group = says(
    NAME + r".*\b(company|team|band|group|organization|university|college|manufacturer|airline|tribe|party|school|"
    r"corporation|league|producer|agency|orchestra|gang|exchange|union)\b",
    "HUM:gr",
)
name_a_place = says(
    NAME + r".*\b(gallery|river|lake|island|ocean|sea|street|building|bridge|stadium|airport|park|museum|hotel|desert|"
    r"planet|castle|palace|prison|golf course|restaurant|house|ranch|plantation|bar|theater|attractions)\b",
    "LOC:other",
)
famous_person_description = says(
    r"^(what|why) (is|was|are|were) (\S+ ){1,4}(famous|known|noted|renowned|remembered|best known)( \S+)? "
    r"(for|as) \??$|\bclaim to fame\b|^how (is|was) .* known\b",
    "HUM:desc",
)


@function("HUM:desc")
def who_is_a_name(row):
    """Who was Ann Lee? Nothing but a name of up to four words, without articles and possessives."""
    found = re.fullmatch(r"who (?:is|was|are|were|'s) ((?:[^ ]+ ){1,4})\??", row.text)
    if not found or re.search(
        r"(^| )(the|a|an|of|in|'s|to|for|president|named|called|behind|on|first)( |$)", found[1].strip()
    ):
        return None
    return "HUM:desc"


who_in_quotes_or_dated = says(
    r"^who (is|was|are|were) (the )?(``|`) |^who (is|was) (\S+ ){2,4}, [0-9]|^who (is|was) (sir|lord|lady|"
    r"king|queen|saint|st\.|dr\.|mr\.|mrs\.|captain|general) \S+( \S+)? \??$",
    "HUM:desc",
)
occupation_of = says(
    r"\b(occupation|profession|vocation|day job|do for a living|job title|military rank|official title)\b", "HUM:title"
)
what_was_his_job = says(
    r"^(in )?what (title|titles|job|occupation|profession|rank|career) |^what (is|was|were|are) .*'s "
    r"(occupation|profession|job|vocation|title)\b|\b(what|which) (titles?|rank) (did|does|was|is)\b",
    "HUM:title",
)
what_company = says(
    r"\b(what|which|name) (\S+ ){0,4}(company|companies|corporation|firm|manufacturers?|airlines?|bank|"
    r"store|chain|network|brewery|studio|publisher|retailer|maker)\b",
    "HUM:gr",
)
what_team_or_band = says(
    r"\b(what|which|name|name of) (\S+ ){0,4}(teams?|band|group|groups|league|orchestra|trio|quartet|duo|"
    r"club)\b",
    "HUM:gr",
)
what_organization = says(
    r"\b(what|which|name) (\S+ ){0,3}(organizations?|university|universities|colleges?|schools?|party|"
    r"army|agency|association|union|tribe|government|department|society|police|family|people|peoples|race|"
    r"navy|businesses)\b",
    "HUM:gr",
)
who_makes_or_owns = says(
    r"^who (makes|made|owns|manufactures?|produces|sells|publishes|publish|operates|bought|sponsors|"
    r"manufactured|distributes|developed)\b",
    "HUM:gr",
)
who_won_the_game = says(
    r"^(who|what|which) (\S+ ){0,3}(won|has won|wins|win|beat|defeated|lost|played in|play) .*\b(super "
    r"?bowls?|world series|world cup|pennant|championship|stanley cup|league|rose bowl|game)\b",
    "HUM:gr",
)

# Places.

where = says(r"^(where|where 's)\b|\bwhere (is|are|was|were|did|does|do)\b|\bwhere \??$", "LOC:other")
where_can_i_find = says(r"^where (can|could|do|should|would|might|on the (internet|web)|must) ", "LOC:other")
where_is_it_located = says(
    r"\b(located|situated|found|headquartered|headquarters|buried|born|live|lives|lived|come from|comes "
    r"from|held|reside)\b.*\bwhere\b|^where .*\b(located|situated|found|headquartered|buried|born|live|"
    r"lives|lived|come|held|grow|originate|occur|begin|built|made|fought|take place)\b",
    "LOC:other",
)
what_water_or_land = says(
    r"^(in |on |name |to |into )?(the |what |which |what is the |what 's the |what was the )(\S+ "
    r"){0,2}(rivers?|lakes?|oceans?|seas?|islands?|continents?|deserts?|bay|gulf|peninsula|valley|canyon|"
    r"falls|waterfall|canal|strait|planets?|constellation|galaxy|county|region|body of water)\b",
    "LOC:other",
)
what_building_or_site = says(
    r"\b(what|which|name|'s) (\S+ ){0,4}(building|street|bridge|stadium|airport|park|museum|hotel|tower|"
    r"cathedral|palace|prison|castle|avenue|square|highway|hospital|library|theater|landmark|restaurant|"
    r"casino|mall|web ?sites?|sites?|address|place|location|area)\b",
    "LOC:other",
)
superlative_place = says(
    r"\b(largest|longest|tallest|biggest|highest|deepest|smallest|oldest|busiest|lowest|second-largest|"
    r"hottest|driest|wettest) (\S+ ){0,2}(rivers?|lakes?|islands?|oceans?|buildings?|desert|sea|bridge|"
    r"airport|waterfall|canyon|place|planet|point|spot|stadium|museum|structure|park|shopping|library|"
    r"libraries|canal|cave|continent)\b",
    "LOC:other",
)
what_city = says(
    r"\b(what|which|name|name the) (\S+ ){0,4}(city|cities|town|towns|capital|capitals|seaport|village|"
    r"metropolis)\b",
    "LOC:city",
)
capital_of = says(
    r"^(what|name|which) .*\bcapitals? (of|city)\b|^what is .*'s capital\b|\b(largest|biggest|oldest|"
    r"smallest|populous|populated) (\S+ )?(city|town|cities)\b",
    "LOC:city",
)
in_what_city = says(
    r"\b(in|from|to|near|of|at) (what|which) (\S+ )?(city|town|cities)\b|\bwhat (\S+ )?city (is|was|did|"
    r"does|has|had|'s|boasts|would|are|hosted|in|will|gained|do)\b",
    "LOC:city",
)
what_country = says(
    r"\b(what|which|name|name the|name a) (\S+ ){0,3}(country|countries|nation|nations|nationality|"
    r"republic|kingdom) [^e]",
    "LOC:country",
)
superlative_country = says(
    r"\b(only|smallest|largest|wealthiest|richest|first|biggest|populous|poorest|two|three|african|asian|"
    r"european|nordic|benelux) (\S+ ){0,2}(country|countries|nation|nations)\b",
    "LOC:country",
)
what_state = says(r"\b(what|which|name|name the) (\S+ ){0,3}(state|states|province|provinces)\b", "LOC:state")
us_state = says(
    r"\b(u\.s\. states?|us states?|american states?|southern states?|state 's|united states state|(what|"
    r"which) states?|new england states?)\b",
    "LOC:state",
)
mountain_words = says(
    r"\b(what|which|name|'s|the) (\S+ ){0,4}(mountains?|peaks?|volcano|volcanoes|mountain range)\b", "LOC:mount"
)

# Numbers.

how_many = says(r"\bhow many\b", "NUM:count")
how_much_of_something = says(
    r"\bhow much (of|time|water|snow|blood|oxygen|[a-z]+ ([a-z]+ )?(is|are|does|do|should|can|equals|in|"
    r"was|were)) ",
    "NUM:count",
)
number_of = says(
    r"^(what|approximate|name|give).* (number|amount|quantity|total) of\b|\bdeath toll\b|\bhow many\b.* "
    r"population",
    "NUM:count",
)
how_much_money = says(
    r"\bhow much .*\b(cost|costs|worth|pay|pays|paid|earn|earns|earned|spend|spent|sell|sold|price|charge|"
    r"money|tax|salary|fine|rent|bought|buy|insured|dollars|wage|make|owe|get)\b",
    "NUM:money",
)
money_words = says(
    r"^(what|how much) (is|are|was|were|'s|did|does|do|would|will|should|percentage|kind)\b.*\b(costs?|"
    r"prices?|salary|salaries|wages?|income|fare|fees?|budget|worth|debt|revenue|paid|dollars?)\b",
    "NUM:money",
)
how_much_did_it = says(r"^how much (did|does|do|would|will|is|was|are|were|should) ", "NUM:money")
when = says(r"^(since |until )?when\b|\bwhen (was|were|did|is) .*\?$", "NUM:date")
what_year_or_day = says(
    r"\b(what|which) (\S+ ){0,3}(year|years|day|days|month|months|date|dates|century|decade|season|time|"
    r"holiday season)\b",
    "NUM:date",
)
date_of = says(
    r"^what (is|was|are|were|'s) .*\b(date|dates|birthday|anniversary|birth date|day|year|month) (of|was|"
    r"is|for|in|on|\?)|'s birthday\b|\bwhat time\b|^when (is|was|were|did)\b",
    "NUM:date",
)
how_far = says(r"^(about |approximately )?how (far|tall|high|deep|wide|close|thick|short)\b", "NUM:dist")
how_many_miles = says(
    r"\bhow many (miles|feet|inches|kilometers|meters|yards|light[- ]years)\b.*\b(is|are|from|between|"
    r"long|tall|high|wide|away|deep)\b|^what (is|are|was|were|'s) .*\b(length|height|distance|altitude|"
    r"elevation|diameter|wingspan|depth|width|radius|circumference)s?\b",
    "NUM:dist",
)
how_long_is_a_thing = says(
    r"^how long (is|are|was|were) (the |a |an )?(\S+ ){0,5}(river|bridge|wall|tunnel|canal|boardwalk|"
    r"snake|coast|coastline|border|tail|island|road|highway|ship|trail|intestines?|nail|hair|line|beach|"
    r"street|field|track|bridge|neck|tongue|whale|python)\b",
    "NUM:dist",
)
how_long = says(r"^how long\b", "NUM:period")
how_old = says(r"\bhow old\b|\b(what|which) (\S+ ){0,2}age\b|\bat what age\b|\b(average|median) age\b", "NUM:period")
life_span = says(
    r"\b(life ?span|life expectancy|gestation|half-life|incubation|how (many )?(years|days|hours|minutes|"
    r"months|weeks) (does|did|is|will|do) it take|average (time|length of time)|time does it take|take "
    r"to)\b|\blast(s|ed)?\b.*\bhow long\b|\bhow long did\b",
    "NUM:period",
)
how_fast = says(r"\bhow fast\b|\b(speed|velocity|mph|miles per hour)\b", "NUM:speed")
how_hot = says(
    r"\bhow (hot|cold|warm)\b|\b(temperatures?|fahrenheit|celsius|boiling point|melting point|freezing "
    r"point|degrees)\b",
    "NUM:temp",
)
how_big = says(
    r"\bhow (big|large|small|huge)\b|\b(size|acreage|volume|capacity|square (feet|miles|kilometers)|"
    r"dimensions)\b( of| does| is|\?)?",
    "NUM:volsize",
)
how_heavy = says(
    r"\bweighs?\b|\bhow heavy\b|^what (is|was|'s) the (\S+ )?weight\b|\bhow many (pounds|tons|ounces|"
    r"kilograms|grams)\b",
    "NUM:weight",
)
percentage_of = says(
    r"\b(percentage|percent|fraction|proportion) of\b|\bwhat (\S+ ){0,2}(percentage|percent|fraction|"
    r"proportion|share)\b|^what (is|are|was|were|'s) .*\b(odds|probability|chances?|rate|ratio|"
    r"likelihood)\b|\bodds (of|that)\b",
    "NUM:perc",
)
population_of = says(
    r"^(what|how|the) (is|was|'s|large|big|are|many).*\bpopulations?\b|\bpopulation of .* (is|was) what\b", "NUM:other"
)
score_or_measure = says(
    r"^what (is|was|are|were|'s) .*\b(iq|horsepower|latitude|longitude|frequency|par|scores?|index|heart "
    r"rate|blood pressure|ph|magnitude|chromosome number|atomic number|numerical value|perfect score|"
    r"batting average|dimensions?)\b|\bhow often\b|\bhow many times\b",
    "NUM:other",
)
phone_or_code_number = says(
    r"^(what|how|where|name|who) .*\b(telephone|phone|fax|zip|area|postal|social security|serial|ip|"
    r"toll-free|800|account|dialing) (numbers?|codes?|address)\b|\bwhat (\S+ ){0,2}(code|digits)\b",
    "NUM:code",
)
chapter_or_rank = says(
    r"\b(what|which) (chapter|verse|place|rank|number|grade)\b|\bchapters?\b|\b(rank|ranks|ranked)\b", "NUM:ord"
)
