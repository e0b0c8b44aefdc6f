"""Intents by how they are asked: one regular expression each, which looks at how words go together.

Python's own regular expressions, since "but not if" (a look-ahead) is half of the work here.
"""

import re

import assay

MONEY = r"(\$\s?\w+|dollars?|euros?|yen|pesos?|rubles?|pounds|yuan|rupees?|francs?|franks|usd|aud|gbp|won|bucks|currency|currencies|lira|krona)"
UNIT = (
    r"(inch(es)?|centimeters?|cups?|ounces?|oz|grams?|tablespoons?|teaspoons?|meters?|kilometers?|miles?|liters?|litres?|"
    r"gallons?|feet|foot|pounds?|lbs|kilos?|kilograms?|kgs?|celsius|fahrenheit|yards?|quarts?|pints?|millimeters?|cm|mm|ml|km)"
)
LANGUAGE = (
    r"(spanish|french|german|japanese|italian|chinese|russian|portuguese|hawaiian|korean|latin|dutch|arabic|english|"
    r"swedish|hindi|thai|mandarin|vietnamese|greek|hebrew|polish|swahili|turkish)"
)
PEOPLE = r"(spain|france|germany|japan|italy|china|russia|portugal|hawaii|korea|england|brazil|mexico|germans|italians)"
OFF = r"(pto|vacation( time| days?)?|days? off|time off|personal days?|leave|sick days?|off days|holiday time)"
BILL = (
    r"(bills?|mortgage|rent|insurance|loan|subscription|electricity|electric|water|cable|phone|internet|gas|utilit(y|ies)|"
    r"credit card|card|cox|at&t|comcast|verizon|sprint|netflix|visa|amex|payment|tuition)"
)
ACCOUNT = r"(accounts?|checkings?|savings?|money market|bank|401k)"
DAMAGE = (
    r"(damag|melt|crack|snapp|broke|bent|scratch|chew|ruin|demagnet|in half|torn|tore|destroy|shred|wreck|wash|ran over|creas|"
    r"split|\bate\b|step|microwave|burn|smash|messed|warp|worn|ripp?ed|toilet|dryer|\bcut\b|\bbend\b)"
)
CARD = r"(cards?|visa|amex|mastercard|american express|discover|debit|cc)"
FOOD = (
    r"(chicken|steak|pizza|rice|eggs?|milk|beef|pork|turkey|bread|pasta|cheese|fish|salmon|cake|soup|burgers?|hamburger|apples?|potato(es)?|cookies?|"
    r"spaghetti|lasagna|salad|sandwich|pie|tacos?|sushi|shrimp|casserole|stew|meatloaf|roast|brownies|pancakes|fries|chili|bacon|butter|cream|sauce|omelette|"
    r"macaroni|mac and cheese|cereal|banana|donut|ice cream|chips|cheetos|cheerios|yogurt|ham|tuna|chow mein|pierogi|burrito|enchiladas|curry|ribs|lobster)"
)

PATTERNS = {
    # banking
    "account_blocked": r"^(?!.*\b(can you|please|i need you to|i want|i'd like) (put|place|block|freeze|lock|stop)\b)(?=.*\b(accounts?|bank|funds)\b).*(\b(is|are|was|been|be|being|got|get|getting|has|who) (\w+ )?(froze|blocked|frozen|locked|held|barred|suspended|restricted)|\bwhy\b.*\b(hold|block|blocked|frozen|freeze|locked?|stop)\b|locked out|(can't|cannot|unable to|couldn't) (access|get into|log|use|get in))",
    "balance": r"^(?!.*\b(bill|rewards?|points?|pto|vacation)\b)(.*\bbalances?\b.*\b(accounts?|checkings?|savings?|bank|td|chase|fargo)\b|.*\b(accounts?|checkings?|savings?|bank)\b.*\bbalances?\b|.*\b(how much|enough|any) (money )?.*\b(in|is in|do i have in)( \S+){0,4} (accounts?|checkings?|savings?|bank)\b|.*(what is|what's|view|check|see|show|tell me) (me )?my (current |available )?balance)",
    "bill_balance": r"^(?!.*\b(minimum|least|lowest|little|spent|spend|taxes|due date)\b)(?=.*\b(bills?|mortgage|cox|at&t|cable|electricity|internet|phone|water|gas|irs)\b).*(\b(how much|what|amount|total|cost)\b.*(\b(is|are|do i|owe|amount|total|cost|will|to pay|i pay|balance)\b))",
    "bill_due": r"^(?!.*\b(how much|minimum|least|lowest|pay ?checks?|get paid|be paid|expir\w*|direct|amount|flight|text|total|help|i want)\b).*(\b(when|when's|what day|what date|which day|how long|how soon|how many days|date|by what|deadline|what time)\b.*\b(due|pay|paying|payment|owed?|bill|bills)\b|\bdue (date|on|soon|by)\b|\b(is|are) my\b.*\bdue\b)",
    "freeze_account": r"^(?!.*\bwhy\b)(?!.*\b(is|was|been|being|are|got) (\w+ )?(frozen|locked|blocked|on hold)).*\b(freeze|block|halt|hault|stop|lock|hold|suspend|disable|pause|deactivate|shut)\b.*\b(accounts?|bank|checkings?|savings|activity|payments)\b",
    "interest_rate": r"\binterest\b|\brate\b.*\b(savings?|account|loan|mortgage|cd|equity)\b|\bapy\b",
    "min_payment": r"\b(minimum|min|smallest|least|lowest|how low|how little|bare)\b.*\b(pay|payment|due|amount|bill|owe|get|allowed)\b|\b(pay|payment).*\b(minimum|least|smallest)\b",
    "order_checks": r"\b(order|need|get|more|new|out of|send|mail|request|buy|ran out|obtain|purchase|additional)\b.*\b(checks|check ?books?)\b|\bcheck ?books?\b",
    "pay_bill": r"^(?!.*\b(when|how much|minimum|least|lowest|smallest|amount|due|taxes|what day|international|fees?|little)\b).*\b(pay|paying|pay off|payment (for|on|to|towards))\b.*" + BILL,
    "pin_change": r"\bpins?\b",
    "report_fraud": r"\bfraud|suspicious|unauthori[sz]ed|\bscam|(charges?|transactions?|purchases?)\b.*\b(didn't|did not|never|don't|do not|wasn't|unfamiliar|false|strange|weird|not mine)\b|(didn't|did not|never) (make|authorize|buy|purchase)|\b(false|strange|odd|bogus|fishy|illegal|unfamiliar) (charges?|transactions?|activity|purchase)|somebody|hack",
    "routing": r"\brouting\b|\baba\b",
    "spending_history": r"^(?!.*\b(limit|max|maximum|most|power|can i spend|allowed|my points|time off)\b).*\b(spent|spend|spending|expenditures?|expenses?)\b|\b(has|have|did|what)\b.*\b(cost|ran|run) me\b|\bhow much\b.*\b(have i paid|did i pay|i've paid|paid for|paid in)\b",
    "transactions": r"^(?!.*\b(fees?|fraud\w*|unauthorized|false|international|foreign|suspicious|did not make|didn't make)\b).*\b(transactions?|transactoin\w*|purchases?|last thing i (bought|purchased)|what (did|have) i (buy|purchase|bought)|(recent|latest|last) (charges?|payment|purchase)|statement)\b",
    "transfer": r"\b(transfer|move|send|put|switch|take|shift|wire|deposit|transaction)\b.*(\b(to|into|from|between)\b.*" + ACCOUNT + r"|money|funds|\$\d|from a to b)",
    # credit_cards
    "application_status": r"\b(application|applied|\bapp\b|cc processing)(?!.*\b(vacation|travel visa)\b).*|\b(approved|accepted|hear back|decision)\b.*\b" + CARD + r"\b",
    "apr": r"\bapr\b|annual percentage|percentage rate",
    "card_declined": r"\b(declin|reject|denied|deny|refused?)\w*(?!.*\b(vacation|pto|time off)\b)|\bcard\b.*\b(didn't|did not|not|wouldn't|won't|isn't|doesn't) (work|working|go through|accepted|get accepted)",
    "credit_limit": r"^(?!.*\b(increas|rais|higher|chang|more|up my|bump|lower|extend|expan|reduc|decreas|improv)\w*).*\b(limit\b|max (out|i can)|maximum|most i can (spend|charge)|line of credit|credit (available|ceiling|cap))",
    "credit_limit_change": r"^(?!.*\b(score|rating|report|improve|good|hurt)\b).*\b(increas|rais|higher|change|changing|more|up|bump|lower|extend|expan|reduc|decreas|boost|adjust|larger|bigger|raise|heighten)\w*\b.*\b(limit\w*|line|credit)\b(?!.*\b(score|rating|report)\b)|\blimit\b.*\b(increas|rais|higher|chang|lower|extend|upped)\w*",
    "credit_score": r"^(?!.*\b(improv|better|rais|increas|affect|hurt|boost|build|higher|lower|fix|good|decreas|fall|down|up|keep|repair|help my|impact|go|damage|ruin|drop|bad|change)\w*\b).*\bcredit (score|rating|report|standing)|\bfico\b",
    "damaged_card": r"^(?=.*\b" + CARD + r"\b)(?=.*\b(my|the|a)\b)(?!.*\bdeclined\b)(?!.*\b(replacement|expire|how long)\b).*\b" + DAMAGE,
    "expiration_date": r"^(?=.*\b(cards?|visa|amex|mastercard|discover|discovery|express|cc|it)\b).*\b(expir\w*|expiry|good (until|thru|through)|valid (until|till|thru)|good for)\b",
    "improve_credit_score": r"\b(improv|better|rais|increas|affect|hurt|boost|build|higher|lower|fix|decreas|fall|going down|go down|go up|keep|repair|impact|damage|ruin|ding|drop|bad|good|help)\w*\b.*\bcredit\b(?!.*\blimit)(?!.*\b(card|visa|line)\b.*\b(new|apply)\b)|\bcredit (score|rating)?\b.*\b(improv|better|rais|increas|affect|hurt|boost|higher|lower|decreas|fall|down|go up)\w*(?!.*limit)",
    "international_fees": r"\b(fees?|surcharges?|extra charges?|charge (extra|me)|be charged|transaction charges?|charged)\b(?!.*\b(fraud|carry|bag|late|subscription))",
    "new_card": r"^(?!.*\b(how long|when|arriv\w+|mailed|lost|stolen|replac\w+|report|application|status|damaged|broke\w*|melted|soon)\b).*\b(apply|applying|sign up|signing up|open|get|want|need|obtain|acquir\w+|request|like)\b(?!.*\b(limit|score|broken|damaged|lost|stolen|arriv\w+|mailed|how long|points|rewards? (on|for)|apr|insurance|pin|expir\w+|travel visa)\b).*\b(a|an|for|new|another|my first|cc) (\w+ ){0,5}(card|mastercard|visa card|cc)\b",
    "redeem_rewards": r"\b(redeem|redemption|cash (in|out)|use|spend|utilize|trade|claim|exchange|using|get)\w*\b.*\b(points|rewards?)\b",
    "replacement_card_duration": r"\b(how long|when|how soon|how many (days|weeks)|how quickly|time|quickly|wait|duration|how fast|soon|what day)\b.*(\b(new|replacement|replaced|another|mailed|sent|ordered|replace)\b.*\b(cards?|one|visa|mastercard|on)\b|\bcards?\b.*\b(arriv|mail|come|replace|get here|receiv|be here|get to me|sent|ship|deliver)\w*)",
    "report_lost_card": r"^(?!.*\b(how (long|soon|quickly)|when|replacement|vacation)\b)(?=.*\b(" + CARD[1:-1] + r"|bank)\b)(?!.*\b(phone|luggage|how long|when will|how soon|points|rewards)\b).*\b(lost|stolen|missing|misplaced|can't (seem to )?find|cannot find|lose|stole|disappeared|nowhere)\b",
    "rewards_balance": r"^(?!.*\b(redeem\w*|redemption|use|using|cash (in|out)|spend|apply|get|utilize|trade|transfer)\b).*(\b(how many|how much|balance|total|number|amount|check|see|what|what's|tell me|status|where|show|do i have|add|figure out|current)\b.*\b(points?|rewards?|cash ?back)\b)",
    # kitchen_and_dining
    "accept_reservations": r"^(?!.*(\b(my|under|cancel\w*|confirm\w*|i have|table|people)\b|\d)).*(\b(takes?|accepts?|do|does|allows?|taking|offers?|have|possible|can)\b (\w+ ){0,3}reservations?\b|\b(does|do they|will they|do you know if|if|is it possible|can (i|you|we) (get|make)|could i (get|make)|are)\b.*\breservations?\b)",
    "calories": r"\bcalor\w+|\bcals?\b",
    "cancel_reservation": r"^(?=.*\b(reserv\w*|table|dinner|booking|restaurant)\b).*(\bcancel\w*|don't need|do not need|won't|no longer|anymore|annul|not going|can't make|cannot make|release|scrap|drop|remove|delete|get rid|call off|nix|void)",
    "confirm_reservation": r"^(?=.*\b(reserv\w*|table|booking)\b)(?!.*\bcancel)(?!.*\b(make|book) (me |us )?a\b).*(\bconfirm\w*|verif\w*|double.?check|make sure|\bstill\b|is my|do i have|i have (a |an )?reserv|are my|check (on|for|if|to|my|the)|see if|valid|correct|set\?|is there a reservation|is happening)",
    "cook_time": r"\b(how long|how many (minutes|hours)|time|when)\b(?!.*\b(fridge|refrigerator|freezer|go(es)? bad|last|stay|spoil\w*|expire\w*|good|store|keep|safe|wait)\b).*(\b(cook\w*|bak\w*|roast\w*|boil\w*|grill\w*|fry|prepar\w*|make|oven|melt|prep|steam\w*|smoke|broil|microwave|casserole|take|be in)\b)(?!.*\b(card|flight|busy|mail|get here|arrive)\b)",
    "food_last": r"^(?!.*\b(cards?|visa|amex|mastercard)\b).*(\b(go|goes|going|gone) (bad|off|stale)|\b(fridge|refrigerator|freezer|spoil\w*|shelf life|leftovers?|stays? (fresh|good)|still (good|safe|edible|ok|okay)|since (mon|tues|wednes|thurs|fri|satur|sun)day)\b|\bsafe to (eat|consume|drink)\b|\bhow long\b.*\b(last|good|keep|store)\b|\b(milk|eggs?|food|meat|bread|chicken|cheese|yogurt)\b.*\b(expir\w*|bad|no good)\b)",
    "how_busy": r"\b(busy|crowd\w*|packed|seated|traffic|how full)\b|\bwait(s|ing)?( time| list)?\b(?!.*\bcard\b).*\b(at|for|to get|be|table|in)\b|\bhow many people\b.*\bat\b",
    "ingredient_substitution": r"\b(substitut\w*|instead of|swap\w*|in place of|in lieu of|interchang\w*|alternatives? (to|for)|rather than|\bsub\b|sub out|switch out|can i replace)\b|\b(use|used|switch|replace|exchange|trade|chang\w+|same as)\b.*\b(for|with|as|is)\b.*\b(milk|cream|butter|sugar|salt|soda|oil|flour|cheese|sauce|wine|water|eggs?|garlic|rice|sour cream|chicken|pork|beef|honey|juice|mustard|yogurt|vinegar|powder)\b",
    "ingredients_list": r"\bwhat( all)?( is|'s) in (an? |the )?\w+( \w+)?$|\bingredients?\b(?!.*(substitut|instead|swap|replace))|\bmade (of|from|with|out of)\b|\b(what|stuff|things|food|items)\b.*\b(need|needed|buy|put|goes|go|dump|use|get|required|is|necessary|required)\b.*\b(to make|in(to)?|for (a |the )?)\b(?!.*\b(dinner tonight|shots?|visa|trip|travel|vacation|request|card|pay|account)\b).*\b" + FOOD,
    "meal_suggestion": r"\b(suggest\w*|ideas?|recommend\w*|what|which|options|think\w*|good|give me)\b(?!.*\b(restaurants?|places?|spots?|recipe|calor\w+|travel|nearby|ingredients?)\b).*\b(meals?|dinner|lunch|breakfast|dish(es)?|supper|food|cook|eat)\b|\bsuggest\b.*\bmeal",
    "nutrition_info": r"\bnutri\w+|\b(un)?healthy\b(?!.*\bplan\b)|\b(good|bad) for (you|me|your)\b|\b(how much|amount of|grams of|any|lot of)\b.*\b(protein|carbs|fat|sugar|sodium|fiber|vitamins?|cholesterol)\b|\bhealth (facts|info)",
    "recipe": r"\b(steps|ways) (\w+ ){0,3}(in |to )?(make|making|cook)\b|\brecip\w+|\b(how (to|do i|do you|can i|would i|should i|i can|does one)|(best|right|good|easy|proper|easiest) way to|steps (to|for)|learn (how )?to|teach me|directions (for|to)|instructions (for|to|on)) (go about )?(make|making|cook|cooking|bake|baking|prepare|preparing|roast|fry|grill|create)\b(?!.*\b(reservations?|call|payment|request|credit|long)\b)",
    "restaurant_reservation": r"^(?!.*\b(cancel\w*|confirm\w*|verify|do i have|still|hotel|room|flight|car|check|don't|no longer|meeting|does|accept|takes?)\b).*(\b(make|book|set up|need|get|want|like|reserve|schedule|put|place|create|have)\b.*\b(reservations?|table)\b|\breservation for\b|\breserve\b.*\b(at|for)\b|\btable for\b)",
    "restaurant_reviews": r"\bhow('s| is| are)( the)? [\w ]+ at [\w' ]+$|\bopinions?\b|\b(reviews?|ratings?|rated|yelp|stars)\b(?!.*\bcredit\b)(?!.*\bhotel\b)|\bwhat do people (think|say)\b|\b(is|are) the food\b.*\bgood\b|\bis [\w' ]+ (any good|a good (restaurant|place to eat))|\bhow (is|good is) the food\b",
    "restaurant_suggestion": r"\b(restaurants?|places?|spots?|joints?|diners?|somewhere|where)\b(?!.*\b(reviews?|ratings?|reservations?|recipes?|busy|travel|visit|accept|hotel|plug|nutrition)\b).*\b(eat|food|sushi|pizza|mexican|thai|italian|chinese|indian|burgers?|nearby|near|around|recommend\w*|dinner|lunch|suggest\w*|tacos?|steak|barbecue|bbq|in|serve)\b.*|\b(suggest|recommend|find|best|good|new)\b.*\brestaurants?\b(?!.*review)",
    # travel
    "book_flight": r"^(?!.*\b(status|carry.?ons?|luggage|lost|bags?|land|landing|arrive|delayed|board)\b).*(\b(book|find|get|need|want|buy|purchase|schedule|show|like|list|reserve|look|help|search|what|any)\b.*\b(flights?|plane|airfare|fly)\b.*\b(to|from|for|on|out|under)\b|\bround.?trip\b|\bflights? (from|to|out of|between)\b|\b(plane|airline) tickets?\b)",
    "book_hotel": r"\b(hotels?|motels?|airbnb|lodging|inn|accommodations?|resort)\b(?!.*\breservation valid)|\b(book|reserve|get|find|need|make)\b.*\b(room|rooms|stay|suite)\b(?!.*\bmeeting)(?!.*\bconference).*\b(in|near|for|from)\b|\bopenings in\b",
    "car_rental": r"\brent\w*\b.*\b(car|vehicle|truck|suv|van|sedan|automobile)\b|\b(car|vehicle|truck|suv|van)\b.*\b(rent\w*|hire)\b|\brentals?\b",
    "carry_on": r"\bcarry.?ons?\b|\b(bring|take|carry)\b.*\b(on|onto|aboard)\b.*\b(plane|flight|board)\b|\bcarryons?\b",
    "exchange_rate": r"^(?!.*\b(transfer|account|savings|checking|limit|credit|pay|tip|off|kg|kilos?|ounces)\b).*(\bexchange\b(?!.*\b(milk|cream|points)\b)|\bcurrency\b|\bconversion rate\b|" + MONEY + r"\b.*\b(to|in|into|for|worth|is|and|terms of|equal|much)\b.*\b(dollars?|euros?|yen|pesos?|rubles?|pounds|yuan|rupees?|francs?|franks|usd|aud|gbp|lira)\b)",
    "flight_status": r"^(?!.*\b(book|roundtrip|round trip|luggage|carry.?ons?|lost|bags?|cheap|find me|get me|purchase)\b).*(\b(status|when|what time|time|on time|delayed|latest|news|land\w*|arriv\w*|board\w*|depart\w*|leave|take off|update|info|point|scheduled|late|early)\b.*\b(flights?|plane|land\w*|board\w*)\b|\bflights?\b.*\b(status|on time|delayed|land\w*|arriv\w*|board\w*|depart\w*|leav\w*|scheduled|late|taking off|take off)\b|\bboarding\b)",
    "international_visa": r"\bvisas?\b(?!.*\b(cards?|rewards?|points?|apr|limit|bill|fees?|expires?|transactions?|balance|credit|score|minimum|bank|spend|declined|charge|application|payment)\b)(?!.*\bmy visa\b).*\b(to|for|need|required?|if|travel\w*|international|tourist|country|enter|visit|go\w*)\b|\b(need|have|require\w*|get|obtain|without|international|travel|tourist|apply for) (me )?(to have |to get )?(an? )?(international |travel |tourist )?visas?\b(?!.*\bcard)",
    "lost_luggage": r"\b(luggage|suitcases?|baggage|bags?)\b(?!.*\b(carry|allowed|allow|limit|how many|restrictions?|can i bring|fee)\b)",
    "plug_type": r"\b(plugs?|sockets?|outlets?|adapt[eo]rs?|converters?|voltage|power (supply|cord))\b",
    "timezone": r"\btime ?zones?\b(?!.*\b(time is it|current time)\b)",
    "translate": r"\btranslat\w*|\b(say|said|call|word|phrase|words|expression|speak|ask)\b.*\b(in|if i were|like|were|as a|to|into) (an? )?(\w+ )?" + LANGUAGE + r"\b|\b(in|into) " + LANGUAGE + r"\b|\b(how|what)\b.*\b(say|call)\b.*\b" + PEOPLE + r"\b|\bif (i|you) (were|was)\b|\b" + LANGUAGE + r" (word|for|phrase|translation)\b(?! (food|restaurant|dinner|meal))",
    "travel_alert": r"\btravel (alerts?|warnings?|advisor\w+)|\b(alerts?|warnings?|advisor\w+)\b.*\b(for|in|about)\b|\b(safe|safely|safety|dangerous|danger|unsafe)\b(?!.*\b(eat|consume|drink|fridge|freezer|refrigerator|leave a|card)\b)",
    "travel_notification": r"\b(bank|chase|card company|credit card company|visa|amex|credit union)\b.*\b(travel\w*|going to|trip|will be in|i'll be in|be in|out of the country|vacation|abroad|visiting|flying|heading)\b|\b(travel\w*|going|trip|will be in|be in|abroad|leaving)\b.*\b(tell|inform|notify|let|alert|contact|call)\b.*\b(bank|chase|card company|visa|credit union|know)\b|^(im|i'm|i am|i will|i'll)( going to)? be in [\w ]+ (from|on|until|between)\b(?!.*\b(car|hotel|rent|flight)\b)",
    "travel_suggestion": r"\bthings can i do\b|\b(things?|something|anything|what|stuff|activities|fun|much|lot|ideas?)\b.*\b(to do|do|see|visit|fun|happening|do for fun)\b.*\b(in|at|around|near|kentucky)\b(?!.*\b(say|bank|account|card)\b)|\b(tourist|attractions?|sightseeing|sights|sites|destinations?)\b(?!.*visa)|\b(where|places?|spots?|suggest\w*|recommend\w*|good|best)\b(?!.*\b(restaurant|eat|food|meal)\b).*\b(travel|visit|trip|vacation|go if|go to see)\b(?!.*\b(visa|shots|alert|bank|request)\b)",
    "vaccines": r"\b(vaccin\w*|shots?|immuni[sz]\w*|inoculat\w*)\b",
    # utility
    "alarm": r"\balarms?\b|\bw[ao]ken? (me )?(up)?\b|\bwake\b",
    "calculator": r"\d+\s*[-+*/x×÷^=]\s*\d+|\b(plus|minus|divided|multipl\w+|subtract\w*|square root|percent of|squared|sum of|math|calculat\w+)\b(?!.*\btax)|\d+ ?(%|percent) (of|off|tip)|\btimes\b.*\b\d+|\badd\b.*\b(and|to)\b.*\d|\bsplit\b.*\bways\b|\b\d+/\d+ of\b|\bgoes? into \d+",
    "date": r"^(?!.*\b(due|expir\w*|pay|paid|card|holiday|off|flight|meeting|paycheck|bill|vacation)\b).*(\b(the|today's|todays|tomorrow's|what|current|full) (current |full |day's )?date\b|\bwhat day\b|\bdate\b.*\b(today|tomorrow|is it|it is|now)\b|\bdays from\b|\bday is (it|today|tomorrow)|\bday of the (month|week|year)\b|\bwhich day\b|\btoday is\b|\bwhat (month|year)\b|\bday today\b)",
    "definition": r"\bdefin(e|es|ition|ed|itions)\b(?!.*\bbenefits)|\b(mean|means|meaning)\b(?!.*\bin (spanish|french|german|japanese|italian))|\bwhat is (an? )?\w{7,}$|\blook up \w+( please)?$|\bwhat('s| is) the word\b|\bthe word\b(?!.*\b(spell|for|in)\b)",
    "find_phone": r"\b(find|finding|lost|locat\w+|where|misplaced|track|missing|seen|looking|lose|ping|search|ring|left|retriev\w+)\b.*\b(phone|cell|cellphone|iphone|mobile|fon|android)\b(?!.*\b(number|bill|minimum)\b)|\b(phone|cell|cellphone|iphone)\b.*\b(lost|missing|located?|find|unknown|went|hiding|gone)\b",
    "flip_coin": r"\b(coins?|heads or tails|heads|tails)\b",
    "make_call": r"^(?!.*\b(heads|tails|lost|find|locate|where|coin|english|bill|alarm|cancel|mean|text|mexico|do (you|they) call)\b).*(\b(call|dial|phonecall)\b(?! off)|^(please |can you )?phone \w+|\bget (a )?hold of \w+$|\bconnect me\b|\bget \w+ on the (phone|line)|\btalk to\b|\bto be called\b)",
    "measurement_conversion": r"\b" + UNIT + r"\b.*\b(in|to|into|equal|make|are|is|than|between|and|of)\b.*\b" + UNIT + r"\b|\bconver\w+\b.*\b" + UNIT + r"\b",
    "roll_dice": r"\b(dice|die|dices|sided)\b|\broll\b(?!.*\b(401|over|recipe|sushi)\b)(?!.*401)",
    "share_location": r"\b(location|gps|coordinates|where (i am|i'm|im)|whereabouts|position|where i'm at)\b(?!.*\b(of my phone|my phone|my cell\w*|my iphone|restaurants?)\b)",
    "spelling": r"\bspell\w*|\bspelt\b|\bhow many (\w|\w's|\w+s) (are )?in \w+$|\bletters?\b.*\b(in|word)\b",
    "text": r"\b(text|texts|texting|sms)\b|\b(send|write|compose|shoot|give|create)\b.*\bmessages?\b|\bmessage\b (\w+ )?(to|that|and|saying|my)\b",
    "time": r"^(?!.*\b(mean|spell|flight|board\w*|land|arrive|off|meeting|pay|cook|bake|alarm|timer|card|wait|dinner|pto|vacation|busy)\b).*(\bwhat('s| is|s)? (the )?(current |exact )?(\w+ )?time\b|\btime (is it|it is|now|right now|please|in|currently|do you have)\b|\bthe (current |exact )?time\b|\bcurrent (\w+ )?time\b|\bcurrently\b.*\btime\b|\bo'?clock\b|\bhour (and minute )?is it\b)(?!.*time ?zone (is|does|for|of|am)\b)",
    "timer": r"\btimers?\b|\bcount(ing|down| down)\b|\bstop ?watch\b|\b(tell|remind|alert|notify|let) me\b.*\b(in|when|after|for)\b.*\b(minutes?|hours?|seconds?)\b|\b(minutes?|time) (is|are|have) (up|passed)\b",
    "weather": r"\b(weather|rain\w*|temperatures?|forecast|snow\w*|sunny|humid\w*|umbrella|storm\w*|windy?|precipitation|degrees outside|how (hot|cold|warm)|cloudy|chilly)\b|\boutside\b|\bconditions like\b",
    # work
    "direct_deposit": r"\bdirect(ly)?\b.*\bdeposit\w*|\bdeposit\w*\b.*\b(paychecks?|pay|checks?|salary|wages)\b|\b(paychecks?|salary|wages|pay)\b.*\bdeposit\w*",
    "income": r"^(?!.*\b(points|rewards|dinner|reservations?|recipe|spent|how (do|can|to))\b).*(\b(income|salary|wages?|earnings?)\b(?!.*\btax)|\b(how much|what)\b.*\b(do i|am i|i|i'm) (\w+ )?(earn\w*|make|making|get paid|bring(ing)? (in|home)|paid)\b(?!.*\b(pto|vacation|tonight)\b)|\btake home\b|\bmy (job|work) pay\b|\b(paid|paying me|pay) (at|from|for) (my )?(work|job)\b)",
    "insurance": r"^(?!.*\b(new|chang\w*|switch\w*|different|another|adjust\w*|modify|updat\w*|sign up|get|obtain\w*|enroll(ing)? in a|bill|due|cost|spend\w*|pay|car|card|alter|swap)\b).*\b(insurance|health (plan|benefits|care|coverage)|my (benefits|coverage)|insured)\b",
    "insurance_change": r"\b(new|chang\w*|switch\w*|different|another|adjust\w*|modify|updat\w*|sign up|get|obtain\w*|enroll|alter|swap|replace|acquir\w*|shop\w*|upgrade|options)\b(?!.*\b(name|benefits|card|bill)\b).*\b(insurance|health (plan|care|coverage|insurance)|coverage)\b|\binsurance\b.*\b(chang|switch|different|updat|adjust|modif)\w*",
    "meeting_schedule": r"\b(do i have|any|what|when|when's|are there|how many|have i|list|hear|tell me|does|is|show|which|where)\b(?!.*\brooms?\b)(?!.*\bhow (do|can|to|would)\b)(?!.*\bcan you (schedule|set|book)).*\b(meetings?|meet|appointments?|agenda)\b|\bmeetings? today\b|\bmeetings?\b.*\b(on my|do i have|schedule for)\b",
    "next_holiday": r"\bholidays?\b|\b(next|upcoming|coming|when)\b.*\b(days? off|time off|vacation day|day i have off|break|long weekend|off work|have off|get off)\b(?!.*\b(request|approved|taken|used)\b)",
    "payday": r"\b(when|what day|what date|how long|date|day|next|last|which day|how soon|how many days|until)\b(?!.*\bdirect).*\b(pay ?days?|pay ?checks?|(get|got|be|getting|was) paid|pay ?date|paid (again|next|last))\b|\bpay ?day\b|\bpay ?checks?\b.*\b(when|arrive|come|date|available)\b",
    "pto_balance": r"\b(how many|how much|what|total|number|balance|do i|left|any|amount|enough)\b(?!.*\b(used|taken|take[ns]?|request\w*|utilized|approved|next)\b).*\b" + OFF + r"\b(?!.*\b(used|taken|took|utilized|request\w*|approved|so far)\b).*(have|left|remain\w*|available|still|accrued|earned|saved|get|balance|accumulated|use|got|entitled)?",
    "pto_request": r"^(?!.*\b(approved|status|been|accepted|used|left|next|okayed|was|granted|denied|went|updated|news)\b).*(\b(request\w*|put in|submit|apply|ask\w*|schedul\w+|take|set up|need|want|like|book|file|use|log|get|make|enter|plan|have)\b.*\b" + OFF + r")(?!.*\b(do i have|i have left|have i|remaining)\b)",
    "pto_request_status": r"^(?=.*\b(" + OFF[1:-1] + r"|request)\b).*\b(approv\w*|status|accepted|okay(ed)?|granted|denied|acknowledged|updated?|been|news|go through|went through|going to let me|reject\w*|confirmed|cleared|processed|authorized|hear(d)?)\b(?!.*\b(used|taken)\b)",
    "pto_used": r"^(?=.*\b" + OFF + r"|.*\btaken off\b|.*\boff\b).*\b(used|taken|utilized|took|used up|did i take|usage|use so far|burned|been used)\b",
    "rollover_401k": r"\b401\s?\(?k\)?|\broll ?over\b|\bretirement (fund|plan|savings)\b",
    "schedule_meeting": r"\b(schedule|set up|book|arrange|plan|create|add|need|want|make|get|organize|put|reserve|set)\b(?!.*\b(do i have|what meetings|any meetings)\b).*\b(a (new )?meeting|meeting|meet with|to meet|meeting rooms?|conference room)\b|\b(meeting |conference )?rooms?\b.*\b(available|free|open|availability)\b|\b(available|free|open|availability)\b.*\b(meeting |conference )rooms?\b|\bare (any|there) rooms?\b",
    "taxes": r"\btax(es|ed)?\b(?!.*\b(w-? ?2|forms?|documents?)\b)|\birs\b",
    "w2": r"\bw-? ?2'?s?\b|\btax (forms?|documents?)\b|\bform\b.*\btax(es)?\b",
}  # fmt: skip


def pattern(intent, expression):
    """A source that says ``intent`` where the expression is found."""
    search = re.compile(expression).search

    @assay.source(labels=[intent], name=f"pattern of {intent}")
    def found(row):
        return intent if search(row.text) else None

    return found


patterns = [pattern(intent, expression) for intent, expression in PATTERNS.items()]
