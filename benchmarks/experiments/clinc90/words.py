"""Intents by what is named: words and phrases that one intent uses and others seldom do."""

import re

import assay

WORDS = {
    # banking
    "account_blocked": [
        "locked out", "blocked", "is frozen", "hold on my account", "on hold", "account frozen", "account locked",
        "account being locked", "unblock", "unfreeze", "barred", "why is there a hold", "hold placed",
        "access my account", "get into my account", "log into my account", "frozen account", "seeing a hold",
    ],
    "balance": [
        "account balance", "bank balance", "checking balance", "savings balance", "enough money", "much money",
        "available balance", "my balance", "balances", "balance of my", "in my bank account", "in my checking",
        "in my savings", "total in", "money in my", "balance in", "enough in my",
    ],
    "bill_balance": [
        "much are my bills", "bill total", "bills total", "owe for", "owe on", "total of my bills", "much do i owe",
        "amount of my bill", "bill amount", "bill cost", "cost of my bill", "total bill", "what do i owe", "my bill for",
        "all my bills", "amount on my", "bills cost", "i owe",
    ],
    "bill_due": [
        "bill due", "due date", "bill is due", "payment due", "is due", "come due", "due", "deadline", "must pay by", "pay by",
        "bills due", "due by", "due on",
    ],
    "freeze_account": [
        "freeze", "block my", "block on", "put a hold", "place a hold", "put a stop", "lock my", "stop on my",
        "disable my account", "shut down my", "lock down", "deactivate", "suspend", "account activity", "lock up my", "no payments",
    ],
    "interest_rate": [
        "interest rate", "interest rates", "interest", "rate of interest", "interest percentage", "apy", "interest percent",
    ],
    "min_payment": ["minumum", 
        "minimum", "minimum payment", "min payment", "lowest payment", "least amount", "smallest amount", "lowest amount",
        "least i can pay", "minimum due", "lowest i can pay", "how little",
    ],
    "order_checks": [
        "checkbook", "checkbooks", "checks", "more checks", "order checks", "new checks", "check book", "check books",
    ],
    "pay_bill": [
        "pay my", "pay the", "pay off", "paying my", "pay bill", "make a payment", "pay this", "bill paid", "bill payment", "pay for my",
        "pay a bill", "pay bills", "payment on my", "pay our",
    ],
    "pin_change": ["pin", "pin number", "pin code", "new pin", "my pin", "pins", "personal identification number"],
    "report_fraud": [
        "fraud", "fraudulent", "suspicious", "unauthorized", "scam", "didn't make", "did not make", "don't recognize",
        "false transaction", "hacked", "didn't authorize", "wasn't me", "never made", "fraudulently", "do not recognize", "weird charge",
        "did not authorize", "stole my",
    ],
    "routing": ["routing", "routing number", "routing numbers", "aba number", "routing code", "aba"],
    "spending_history": [
        "i spent", "i spend", "spent on", "spending", "spending history", "expenditures", "expenses", "have i spent",
        "did i spend", "i've spent", "cost me", "ran me", "run me", "spend at", "spend on", "money went", "have i paid",
    ],
    "transactions": [
        "transactions", "transaction", "purchases", "recent purchases", "last purchase", "i bought", "recent charges",
        "last charge", "i purchased", "purchased", "statement", "transaction history", "recent transactions",
    ],
    "transfer": [
        "transfer", "transfer money", "move money", "send money", "from savings", "from checking", "to savings",
        "to checking", "wire", "other account", "transfer funds", "from one account", "to my checking",
        "to my savings", "from my savings", "from my checking", 
    ],
    # credit_cards
    "application_status": [
        "application", "card app", "application status", "card application", "been approved for", "application for", "cc application", "cc processing",
        "my app",
    ],
    "apr": ["apr", "annual percentage rate", "card's apr", "percentage rate", "apr rate", "a.p.r."],
    "card_declined": [
        "declined", "decline", "card rejected", "get rejected", "denied", "wouldn't take my card", "not accepted",
        "got declined", "was declined", "card refused", "rejected", "card not work", "didn't go through", "isn't working", "card not working",
    ],
    "credit_limit": [
        "credit limit", "spending limit", "my limit", "card limit", "limit on", "max out", "max i can spend", "maximum i can spend",
        "limit for my", "line of credit", "limit is", "most i can spend", "credit cap",
    ],
    "credit_limit_change": ["increase my credit limit", "raise my credit limit", "increase the limit", "raise the limit", "increase my limit", "raise my limit", "limit be increased", "limit be raised", "increase the credit limit", "raise the credit limit", "change my credit limit", "credit limit changed", "credit limit change", "credit limit increased", "credit limit raised", "up my credit", "increase credit", "credit line increase", "limit increased", "increase on my", "credit limit to", 
        "higher limit", "higher credit", "credit increase", "limit increase", "limit raised",
        "lower my limit", "change the limit", "more credit", "limit change", "limit changed", 
        "change my limit", "larger credit", "lower my credit limit", "credit raise", 
    ],
    "credit_score": ["credit score", "credit rating", "my score", "fico", "credit report", "credit scores", "credit ratings", "credit is"],
    "damaged_card": [
        "damaged", "melted", "cracked", "snapped", "broke", "broken", "bent", "scratched", "chewed", "ruined", "demagnetized",
        "in half", "torn", "destroyed", "shredder", "wrecked", "washing machine", "ran over", "creased", "magnetic strip", 
        "damage", "stepped on", "smashed", "sat on", "tore", "warped", "ripped", "unusable",
    ],
    "expiration_date": ["card good", "card going to expire", "renew my", "validity", "no longer work", 
        "expire", "expires", "expiration", "expiration date", "expiry", "expired", "expiring", "card expire", "card expires", "month that my card",
        "good until", "good thru", "valid until", "valid through", 
    ],
    "improve_credit_score": [
        "improve", "better credit", "improve my credit", "raise my credit score", "boost", "build my credit", "affect my credit",
        "hurt my credit", "increase my credit score", "credit score better", "credit score higher", "build credit", "improving", "credit score up",
        "fix my credit", "repair my credit", "decrease my credit", "lower my credit score", "credit score from", "help my credit", 
        "my credit score go", "ding my credit", "make my credit", "credit doesn't", "impact my credit", "raise my credit rating", "credit fall",
    ],
    "international_fees": [
        "international fees", "international transaction", "transaction fees", "foreign transaction", "foreign fees", "transaction fee",
        "surcharge", "extra fees", "fees", "fee", "be charged", "extra charges", "charge me", "international transaction fees", "foreign transaction fee",
        "international fee", "extra charge", "charge extra", "overseas fee",
    ],
    "new_card": [
        "apply for", "new credit card", "apply", "sign up for", "applying", "open a credit card", "get a credit card", "want a credit card",
        "new card application", "another credit card", "get a mastercard", "get an amex", "need a credit card", "open a new credit card",
        "credit card application form", "applications for", "acquiring a new credit card",
    ],
    "redeem_rewards": [
        "redeem", "cash in", "use my points", "use my rewards", "use rewards", "use points", "redeeming", "redemption", "spend my points", "card points on",
        "my credit card points", "use my credit card points", "cash out", "utilize my", "use my reward", "redeemed", "get my rewards", "claim my", "trade in",
        "use the points", "use the rewards",
    ],
    "replacement_card_duration": [
        "replacement card", "card to arrive", "card arrive", "replacement", "card get here", "card come", "card be mailed",
        "card to come", "until my new card", "wait for a new card", "new one arrives", "get my new card", "receive a new card", "card mailed",
        "new card in the mail", "card sent", "card be here", "card to get here",
    ],
    "report_lost_card": [
        "lost card", "lost my card", "card is lost", "card as lost", "stolen", "as stolen", "card was stolen", "stolen card", "lost my",
        "card is missing", "misplaced my", "can't find my card", "as lost", "card got lost", "missing card", "card was lost", "lost credit card", "lost debit card",
        "card has been lost", "card stolen", "card missing",
    ],
    "rewards_balance": [
        "rewards", "reward points", "points", "how many points", "rewards balance", "reward balance", "many rewards", "points total", "point total",
        "rewards card", "points earned", "rewards points", "points have i", "points do i", "cash back", "cashback", "points i have", "reward total",
        "points i've", "amount of points", "check rewards", "see my rewards",
    ],
    # kitchen_and_dining
    "accept_reservations": [
        "take reservations", "accept reservations", "takes reservations", "accepts reservations", "do reservations", "does reservations",
        "reservations available", "allow reservations", "taking reservations", "accepting reservations", "reservations accepted", "offer reservations",
        "have reservations available", "reservations allowed", "is it possible to get a reservation",
        "possible to make a reservation", "do you need reservations", "require reservations",
    ],
    "calories": ["calorie", "calories", "caloric", "calorie count", "many calories", "kcal", "cals", "calorie content", "high in calories"],
    "cancel_reservation": ["scrap", "trash the", "get rid of my", "get rid of the", 
        "cancel", "cancel my reservation", "cancelled", "canceled", "cancel reservation", "don't need my reservation", "annul", "won't need",
        "cannot make it", "can't make it", "no longer need", "canceling", "cancel the reservation", "cancel our", "nix", "drop my reservation",
        "call off", "remove my reservation", "cancelt", "cancellation", "won't be able to make", "void my", "undo my reservation", "delete my reservation",
    ],
    "confirm_reservation": [
        "confirm", "confirm my reservation", "confirmed", "verify", "still have the reservation", "check my reservation", "confirmation", "double check",
        "have a reservation", "have reservations", "reservation valid", "confirm a reservation", "confirm the reservation", "is my reservation",
        "i have reservations", "reservation still", "still have a reservation", "confirm that", "reservation is", "check for reservations", "reservations under",
        "make sure my reservation", "still have my reservation", "reservation correct", "confirming",
    ],
    "cook_time": [
        "cook time", "long to cook", "cooking time", "long should i cook", "long do i cook", "long do you cook", "long to bake", "prep time",
        "time to cook", "preparation time", "long does it take to cook", "long does it take to make", "minutes to cook", "in the oven", "long do i bake",
        "long should i bake", "long to make", "long must", "long do i boil", 
    ],
    "food_last": [
        "go bad", "goes bad", "in the fridge", "expire", "last in the", "in the freezer", "spoil", "spoiled", "safe to eat", "still eat", "still good", "shelf life",
        "fridge", "refrigerator", "freezer", "still safe", "sat out", "stay fresh", "spoiling", "ok to eat", "still okay to", "leftover", "leftovers", 
        "stay good", "before it goes", "go stale", "okay to eat", "still drink", "gone bad", "rotten", "mold", 
    ],
    "how_busy": ["stand in line", "long is the line", "how packed", "the line", 
        "busy", "how busy", "crowded", "wait time", "long is the wait", "wait at", "table wait", "crowd", "be seated", "packed", "wait for a table",
        "how long will the wait", "long of a wait", "the wait", "a wait", "seated", "wait to get in", "traffic", "wait times", "long wait", "how full", "how crowded", "wait be",
    ],
    "ingredient_substitution": [
        "substitute", "instead of", "swap", "replace", "in place of", "substitution", "sub", "substituted", "alternative to", "alternatives to",
        "used for", "in lieu of", "rather than", "substitutes", "interchangeable", "replacement for", "exchange milk", "swap out", "switch out", "be used as", "trade",
    ],
    "ingredients_list": [
        "ingredients", "ingredient", "made of", "go in", "what is in", "made from", "goes into", "ingredients list", "what do i need to make", "put in",
        "need to buy to make", "what goes in", "is needed to make", "need for", "what's in", "made with", "ingredients for", "go into", "grocery list", "goes in",
        "do i need to make", "do you need to make", "need to make", "to put into", "is in a",
    ],
    "meal_suggestion": [
        "meal suggestion", "dinner suggestion", "dinner ideas", "meal ideas", "suggest a meal", "what should i make", "what should i eat", "what should i cook",
        "lunch ideas", "dinner tonight", "for dinner", "dinner idea", "meal", "meals", "dish", "dishes", "dinner suggestions", "what to cook", "meal idea", "to cook for dinner", "food idea",
        "recommend a meal", "good dinner", "food suggestions", "cuisine", "what to eat", "eat tonight", "lunch suggestion", "what to make", "for lunch", "something to eat",
    ],
    "nutrition_info": [
        "nutrition", "nutritional", "healthy", "nutrition facts", "nutritional info", "nutrition info", "nutrients", "nutrient", "healthy is", "good for you", "how healthy",
        "nutritious", "protein", "carbs", "fat", "sugar is in", "sodium", "nutritional information", "vitamins", "fiber", "health facts", "grams of", "unhealthy", "bad for you", "nutritional value",
    ],
    "recipe": [
        "recipe", "recipes", "how to make", "how do i make", "how do you make", "how can i make", "best way to make", "way to cook", "how do i cook", "way to roast",
        "how to cook", "learn to make", "how do you cook", "how to bake", "instructions for making", "steps to make", "teach me to make", "best way to cook", "how to prepare",
        "how would i make", "how do i prepare", "directions for", "how i make", "how i can make", "show me how to make", "recipie",
    ],
    "restaurant_reservation": [
        "make a reservation", "book a table", "reserve a table", "make reservations", "book a reservation", "get me a table", "reservation for", "table for",
        "make me a reservation", "set up a reservation", "get a table", "schedule a reservation", "dinner reservation", "reserve a spot", "book us", "a table", "get a reservation",
        "under the name", "need a reservation", "want a reservation", "reserve",
    ],
    "restaurant_reviews": [
        "reviews", "ratings", "rating", "review", "well rated", "any good", "people think", "reviewed", "good reviews", "yelp", "people say about", "the food good at", "reputation",
        "rated", "worth going", "reviews for", "food at", "like the food",
    ],
    "restaurant_suggestion": [
        "restaurants", "restaurant", "places to eat", "place to eat", "good restaurant", "restaurant suggestion", "where can i eat", "where should i eat", "go to eat", "eat out",
        "pizza places", "sushi spots", "best restaurants", "restaurants in", "restaurants near", "restaurants nearby", "restaurants around", "good sushi", "best pizza", "out for food", "go for dinner",
        "place for dinner", "good food", "good burger", "where to eat", "get food", "best sushi", "place to get", "best tacos", "eat at", "good chinese", "good thai", "good italian",
        "good mexican", "good indian", "best burger", "somewhere to eat", "where to get",
    ],
    # travel
    "book_flight": [
        "book a flight", "book me a flight", "flights from", "flight from", "roundtrip", "round trip", "plane ticket", "flights", "book flight", "flight to", "airfare", "buy a flight",
        "one way", "flight out of", "plane tickets", "airline ticket", "tickets", "ticket", "fly me", "book my flight", "purchase a flight", "flight reservation", "round-trip", "get me a flight",
        "find me a flight",
    ],
    "book_hotel": [
        "hotel", "hotels", "hotel room", "a room in", "motel", "place to stay", "airbnb", "book a room", "lodging", "to stay in", "rooms in", "a room", "somewhere to stay", "accommodations", "suite",
    ],
    "car_rental": [
        "rental car", "car rental", "rent a car", "rental", "rent a", "car rentals", "renting a car", "rental cars", "rent me", "to rent", "hire a car", "rent an", "car to rent", "rent", "rent car",
    ],
    "carry_on": [
        "carry on", "carry-on", "carry ons", "carry-ons", "carryon", "carryons", "carry on policy", "hand luggage", "carry on rules", "bring on the plane", "carry on bag", "cabin bag", "overhead",
    ],
    "exchange_rate": [
        "exchange rate", "exchange", "euros", "yen", "pesos", "rubles", "pounds to", "currency", "usd", "conversion rate", "yuan", "rupees", "us dollars", "exchange rates", "euro", "peso", "dollars to",
        "francs", "canadian dollars", "gbp", "aud", "eur", "dollar worth", "franks", "lira",
    ],
    "flight_status": [
        "flight status", "status of my flight", "flight land", "flight arrive", "my flight", "flight board", "boarding", "flight on time", "status of flight", "flight delayed", "flight landing", "flight take off", 
        "flight dl123", "flight leave", "flight supposed to", "flight boarding", "delayed", "flight scheduled", "flight departing", "flight's status", "arrival time", "flight depart", "flight due", "start boarding",
        "landing time",
    ],
    "international_visa": [
        "international visa", "need a visa", "travel visa", "visa to", "visa for", "a visa", "tourist visa", "visa requirements", "visa to go", "visa to travel", "visas", "have a visa", "visa required", "require a visa",
        "visa when", "visa if", "visa in order", "a visa to visit", "get a visa", "visa necessary", "a visa for",
    ],
    "lost_luggage": [
        "luggage", "lost luggage", "my luggage", "lost my luggage", "suitcase", "baggage", "my bags", "my bag", "bags", "lost bags", "missing luggage", "find my luggage", "suitcases", "bag is missing", "bags didn't",
    ],
    "plug_type": [
        "plug", "plugs", "socket", "socket converter", "plug type", "outlet", "outlets", "adapter", "converter", "power converter", "sockets", "electrical", "voltage", "adaptor", "type of plug", "plug adapter", "electric outlet",
    ],
    "timezone": ["timezone", "time zone", "timezones", "time zones", "what timezone", "which timezone", "the timezone", "what time zone", "timezone is", "timezone for"],
    "translate": [
        "translate", "in spanish", "in french", "in german", "in japanese", "in italian", "in chinese", "say hello", "do you say", "in russian", "say goodbye", "say thank", "say i", "do they say", "translation", "in portuguese",
        "into english", "to french", "to spanish", "in hawaiian", "in korean", "in latin", "in dutch", "in arabic", "would i say", "can i say", "translated", "the word for", "if i were french", "if i were",
        "if you were", "spanish word", "in hawaii say", "phrase in", "in swedish", "in hindi", "in thai", "french word", "in mandarin", "do i say", "could i say",
    ],
    "travel_alert": [
        "travel alert", "travel alerts", "travel warning", "travel warnings", "safe to travel", "is it safe", "safe to visit", "safe place", "safe in", "travel advisory", "travel advisories", "dangerous", "be safe", "how safe", "alerts", "safely travel",
        "safe to go", "safety", "warnings", "alert for", "a safe", "safe",
    ],
    "travel_notification": [
        "my bank know", "the bank know", "tell my bank", "tell the bank", "notify my bank", "inform my bank", "bank know", "notify the bank", "inform the bank", "alert my bank", "bank that i", "travel notice", "me bank know", "let my bank",
        "bank i'll", "bank i'm", "bank i will", "tell bank", "going to be in", "will be in", "bank aware", "bank about", "bank of my", "i'll be in", "card company know", "alert the bank", "i'm traveling", "i am traveling", "contact my bank", "out of the country",
    ],
    "travel_suggestion": ["things can i do", "can i do in", "can i do there", "site seeing", "should i visit", "plan my next vacation", "vacation ideas", 
        "things to do", "to do in", "tourist", "attractions", "sightseeing", "places to visit", "activities", "fun in", "to see in", "destinations", "vacation spot", "vacation spots", "travel suggestion", "travel suggestions", "where should i travel", "place to travel",
        "places to travel", "good place to visit", "do in", "fun things", "tourist attractions", "see in", "what is there to do", "vacation destination", "where should i go", "sites", "next trip", "sights", "places to go", "tourists", "interesting to do", "museums", "where to travel",
    ],
    "vaccines": [
        "vaccine", "vaccines", "shots", "vaccination", "vaccinations", "vaccinated", "shot", "immunizations", "need shots", "immunization", "immunized", "any shots", "inoculations", "vaccinate", "what shots", "get shots",
    ],
    # utility
    "alarm": ["get up at", "alarm", "alarms", "wake me", "set an alarm", "wake up", "wake me up", "set alarm", "woken up", "set my alarm", "alarm for", "alarm clock", "woken"],
    "calculator": ["to the power", "power", "algebra", "antilog", "cube root", "factorial", 
        "plus", "minus", "times", "divided by", "square root", "multiplied by", "percent of", "calculate", "math", "sum of", "add", "subtract", "multiply", "divide", "% of", "equal", "equals", "squared", "cubed",
        "% off", "percent off", "the answer to", "equation", "calculator", "calculation", "percent tip", "divided", "tip on", "split it", "what percent", "sum",
    ],
    "date": [
        "today's date", "the date", "what day is it", "day is it", "what day is today", "date today", "days from now", "current date", "tomorrow's date", "date is it", "day of the month", "what date", "todays date", "day of the week", "day today", "what month",
        "which day will it be", "date tomorrow", "day tomorrow", "what's today", "what year",
    ],
    "definition": ["does it mean", "what does", "connotation", 
        "define", "definition", "meaning", "meaning of", "means", "definition of", "does the word", "word mean", "what does the", "what is the definition", "defined", "dictionary", "look up the word", "defines", "defining",
    ],
    "find_phone": [
        "find my phone", "lost my phone", "my phone", "my cell phone", "my cellphone", "my iphone", "my cell", "locate my phone", "where's my phone", "where is my phone", "misplaced my phone", "find my cell", "locate phone", "my mobile",
        "lost phone", "phone is", "find phone", "phone is lost", "my fon", "android",
    ],
    "flip_coin": ["coin", "flip", "heads", "tails", "flip a coin", "coin toss", "coin flip", "toss a coin", "heads or tails", "quarter", "toss", "flipping", "head or tails", "penny"],
    "make_call": ["call up", "make a phone call", "phone call to", "phonecall", "talk to", "call with", 
        "call", "phone call", "dial", "call my", "make a call", "place a call", "give a call", "call to", "connect me", "get a hold of", "on the phone", "please call", "get in touch", "to call",
        "call mom", "on the line",
    ],
    "measurement_conversion": [
        "inches", "centimeters", "cups", "ounces", "grams", "tablespoons", "teaspoons", "meters", "kilometers", "miles", "liters", "gallon", "gallons", "feet", "pounds", "kilos", "kilograms", "celsius", "fahrenheit", "yards", "quarts", "pints", "millimeters",
        "teaspoon", "tablespoon", "convert", "a cup", "conversion", "kg", "cm", "mm", "milliliters", "oz", "pint", "quart", "metric", "inch", "a mile", "a foot", "lbs", "ml", "km", "a pound", "a yard",
    ],
    "roll_dice": ["dice", "die", "roll", "roll a", "sided", "sided die", "sided dice", "roll dice", "roll the dice", "roll a die", "roll a dice", "dices", "throw the dice"],
    "share_location": [
        "my location", "share my", "gps", "gps coordinates", "where i am", "where i'm at", "share location", "my gps", "my whereabouts", "coordinates", "my current location", "send my location", "where i'm", "whereabouts", "my coordinates",
        "my position",
    ],
    "spelling": ["spell", "spelled", "spelling", "spelt", "are in the word", "how many es", "letters", "spells", "spelling of", "spell out", "how many ts", "many ls"],
    "text": [
        "text", "text message", "send a text", "send a message", "texting", "text my", "a message", "send text", "message to", "text to", "sms", "texted", "text sent", "and tell them", "and tell him", "and tell her", "message", "send a text to", "text mom",
    ],
    "time": ["hour is it", 
        "what time is it", "the time", "current time", "time is it", "time right now", "time now", "what's the time", "time it is", "time in", "time do you have", "the current time", "your watch", "time please", "clock", "time currently", "exact time", "o'clock", "have the time",
    ],
    "timer": [
        "timer", "minute timer", "countdown", "count down", "counting down", "set a timer", "stopwatch", "a timer", "minutes are up", "remind me in", "time is up", "minute countdown", "set timer", "when 5 minutes", "timer for", "minutes have passed", "let me know when",
    ],
    "weather": ["how hot", "how cold", "how warm", "conditions like", "degrees outside", "what's it like outside", "going to be hot", "going to be cold", 
        "weather", "rain", "temperature", "forecast", "snow", "sunny", "outside", "humidity", "temperatures", "raining", "snowing", "umbrella", "rainy", "chilly", "wind", "storm", "precipitation", "humid", "jacket", 
    ],
    # work
    "direct_deposit": ["direct deposit", "direct deposited", "direct deposits", "directly deposited", "direct depositing", "deposited into", "deposit my paycheck", "paycheck deposited", "paychecks deposited", "directly into"],
    "income": ["do i make a", "much do i make", "much i make", "money do i make", "what do i make", "being paid", "am i paid", "do i get paid at", "paying me", 
        "income", "salary", "earn", "i earn", "earning", "earnings", "my pay", "take home", "am i making", "my wage", "wages", "hourly", "annual pay", "make a year", "make at", "do i bring", "yearly pay", "i've earned", "make at my job", "how much i make",
        "my job pay", "pay rate",
    ],
    "insurance": [
        "insurance benefits", "health plan", "health benefits", "insurance plan", "insurance cover", "insurance coverage", "my insurance", "my benefits", "health insurance", "insurance do i have", "what insurance", "insurance plan i", "insurance", "my coverage", "my health", "insurance policy do", "benefits",
        "co-pay", "deductible", "insurance plan do", "insurance am i",
    ],
    "insurance_change": [
        "new insurance", "change my insurance", "switch my insurance", "different insurance", "change insurance", "switch insurance", "new health", "new insurance plan", "insurance policy", "changing my insurance", "changing insurance", "update my insurance", "sign up for insurance", "get insurance",
        "insurance changed", "another insurance", "modify my insurance", "adjust my insurance", "new insurance policy", "switching insurance", "change health", "change my health", "new health care", "adjusting my insurance", "insurance options", "changes to my insurance", "change up my insurance", "alter my insurance",
    ],
    "meeting_schedule": [
        "meetings", "any meetings", "my meetings", "meetings today", "meeting schedule", "meetings do i", "meetings scheduled", "meetings on my", "what meetings", "when is my meeting", "today's meeting", "meetings are", "my meeting", "next meeting", "meetings will i",
        "on my calendar", "on my schedule", "scheduled to meet", "meeting today", "my agenda",
    ],
    "next_holiday": [
        "holiday", "next holiday", "next day off", "holidays", "day off", "upcoming holiday", "next day i have off", "next vacation day", "days off next", "holiday is next", "day off work", "next time off", "next break", "upcoming day off", "long weekend", "next off", "our next day off",
    ],
    "payday": [
        "payday", "paycheck", "pay day", "get paid", "next paycheck", "paid next", "paid again", "last paycheck", "be paid", "pay date", "payday is", "when do i get paid", "my paycheck", "getting paid", "paychecks", "next payday", "pay check", "paid", "payed", "last paid",
    ],
    "pto_balance": [
        "pto do i have", "vacation days do i have", "days off do i have", "vacation days left", "vacation time do i have", "pto left", "days of pto", "many vacation days", "pto i have", "pto balance", "vacation left", "time off do i have",
        "vacation days i have", "vacation do i have", "pto days", "available pto", "vacation days", "time off left", "pto available", "much pto", "much vacation time", "much paid time off", "enough pto", "vacation time i",
    ],
    "pto_request": [
        "pto request", "request pto", "vacation request", "request vacation", "request time off", "request a vacation", "put in for vacation", "take a pto", "request for time off", "requesting a vacation", "requesting vacation", "put in a pto", "schedule a vacation", "schedule vacation", 
        "ask for vacation", "apply for vacation", "ask for time off", "request days off", "request off", "pto from", "pto for", "request a day off", "take time off", "take vacation", "apply for time off", "put in for pto", 
    ],
    "pto_request_status": [
        "vacation approved", "request approved", "vacation been approved", "request been approved", "request status", "status of my vacation", "vacation request status", "pto approved", "day off request", "request been", "approved my vacation", "status of my pto", "vacation request been", "approved",
        "okayed", "time off approved", "pto request been", "news on my vacation", "denied my vacation", "vacation got approved", "vacation was approved", "request go through", "request accepted",
    ],
    "pto_used": [
        "have i used", "have i taken", "days off have i", "i used", "pto used", "used up", "i've used", "days have i used", "i've taken", "taken off", "days used", "vacation have i", "used so far", "taken so far", "did i take", "has been used", "used this year", "i have used", "i have taken", "days i used",
        "days taken", "i've already used", "vacation used", "taken this year", "already taken", "already used", "have i utilized", "used at this point", "have used", "usage",
    ],
    "rollover_401k": ["401k", "rollover", "roll over", "401 k", "401(k)", "my 401k", "rolled over", "retirement fund", "rolling over", "my old 401k", "roll my"],
    "schedule_meeting": [
        "schedule a meeting", "set up a meeting", "meeting room", "meeting rooms", "book a meeting", "meeting to be scheduled", "new meeting", "need to meet", "schedule meeting", "a meeting with", "meet with", "rooms available", "rooms free", "conference room", "arrange a meeting",
        "meeting room available", "create a meeting", "add a meeting", "plan a meeting", "get a meeting", "make a meeting", "room available", "want to meet", "rooms open", "put a meeting", "want a meeting", "rooms are available", "conference rooms", "room free",
    ],
    "taxes": ["taxed", "taxation", "taxes", "tax", "state taxes", "federal taxes", "state tax", "federal tax", "income tax", "in taxes", "irs", "tax deductions", "my taxes", ],
    "w2": ["w2", "w-2", "w 2", "w2s", "w-2s", "w2 form", "tax form", "w-2 form", "w2 forms", "tax forms", "form i need to do my taxes"],
}  # fmt: skip

UNLESS = {
    "account_blocked": ["please block", "block my", "card", "want my", "like my", "blocked immediately"],
    "balance": ["reward", "rewards", "points", "point", "bill", "bills", "pto"],
    "bill_balance": ["minimum", "least", "lowest", "due", "tax", "taxes", "spent", "when"],
    "bill_due": ["minimum", "how much", "amount", "paycheck", "expire", "flight", "help me pay", "text", "minimum due", "land", "arrive"],
    "freeze_account": ["why", "is frozen", "is locked", "how come", "reason"],
    "interest_rate": ["interesting"],
    "pay_bill": ["when", "minimum", "least", "lowest", "how much", "due", "date", "what day", "smallest", "amount", "how little"],
    "order_checks": ["checks out"],
    "report_fraud": ["application"],
    "spending_history": ["limit", "can i spend", "most", "max", "maximum", "time off", "allowed to spend", "my points", "credit spending"],
    "transactions": ["fee", "fees", "fraud", "fraudulent", "unauthorized", "international", "suspicious", "declined", "false"],
    "transfer": ["401k", "paycheck"],
    "application_status": ["submit an application", "fill out"],
    "card_declined": ["vacation", "pto", "time off", "broken", "damaged", "melted", "scratched"],
    "credit_limit": [
        "increase", "raise", "raised", "higher", "change", "changed", "up my", "increased", "raising", "extend", "lower", "more", "bump", "increasing", "balance",
        "carry on", "improve",
    ],
    "credit_score": [
        "improve", "better", "raise", "increase", "hurt", "affect", "boost", "build", "lower", "down", "decrease", "dropping", "help my", "up", "fall", "higher",
        "improving", "impact", "raising", "increasing", "drop", "ruin", "damage", "keep", "improvement", "hurting", "good",
    ],
    "damaged_card": ["decline", "declined", "luggage", "phone"],
    "expiration_date": ["milk", "eggs", "food", "meat", "bread", "chicken", "cheese", "yogurt", "fridge"],
    "food_last": ["card", "visa", "amex", "mastercard", "timezone"],
    "improve_credit_score": ["limit", "limits"],
    "new_card": ["vacation", "insurance", "how long", "arrive", "travel visa", "tourist visa", "visit", "mailed", "time off", "sent", "international visa"],
    "redeem_rewards": ["how many", "balance", "check"],
    "report_lost_card": ["phone", "luggage", "bags", "suitcase", "pin", "how long", "when will", "how soon", "cell", "cellphone", "iphone"],
    "rewards_balance": ["redeem", "use", "cash in", "apply", "redeeming", "spend", "get", "redemption", "cash out", "utilize", "using"],
    "accept_reservations": ["my reservations", "under", "cancel", "confirm"],
    "cancel_reservation": ["vacation", "card", "account"],
    "confirm_reservation": ["cancel", "vacation", "card", "flight", "month", "accept", "take"],
    "ingredient_substitution": ["points", "rewards", "card", "pin", "currency"],
    "ingredients_list": ["substitute", "instead", "swap", "vacation", "pto", "healthy", "calories", "recipe", "replace", "request", "alarm"],
    "meal_suggestion": ["restaurant", "restaurants", "recipe", "reservation", "reservations", "how long", "calories", "place", "places", "nearby", "spend", "spent", "text", "ingredients", "busy", "send"],
    "nutrition_info": ["ounces", "calories", "cup"],
    "recipe": ["reservation", "reservations", "long", "call", "payment", "credit", "request", "calories", "ingredients"],
    "restaurant_reservation": ["cancel", "confirm", "verify", "do i have", "still", "hotel", "flight", "car", "don't need", "no longer need", "how long", "accept", "wait", "make sure", "check", "canceled", "room"],
    "restaurant_reviews": ["hotel", "hotels", "are there any good", "know any good", "credit", "any good place"],
    "restaurant_suggestion": ["reviews", "reservations", "reservation", "ratings", "busy", "review", "seated", "spent", "spend", "rating", "wait"],
    "book_flight": ["status", "land", "luggage", "carry on", "carry ons", "carry-on", "delayed", "lost", "enough", "on time", "money in"],
    "book_hotel": ["meeting", "conference", "meetings"],
    "car_rental": ["spent", "bill", "pay", "paid", "due"],
    "exchange_rate": ["transfer", "limit", "account", "savings", "checking", "credit", "milk", "points", "recipe", "recipes"],
    "flight_status": ["luggage", "book", "carry on", "carry ons", "carry-on", "lost", "bags"],
    "international_visa": ["card", "cards", "limit", "apr", "reward", "rewards", "points", "expire", "fee", "fees", "credit card", "bill", "application"],
    "lost_luggage": ["carry", "how many", "carry-on", "carry on", "allowed", "carryon"],
    "timezone": ["time is it", "current time", "the time", "time right now", "exact time"],
    "travel_alert": ["eat", "fridge", "freezer", "consume", "drink", "refrigerator"],
    "travel_notification": ["car", "hotel", "rent", "flight", "socket", "converter", "shots", "visa", "plug", "vaccines", "weather", "meeting", "off"],
    "travel_suggestion": ["visa", "shots", "restaurant", "eat", "safe", "bank", "sites that"],
    "calculator": ["tax", "taxes", "rewards", "points", "many times", "checks", "account"],
    "date": ["due", "expire", "expires", "expiration", "pay", "paid", "card", "holiday", "paycheck", "flight", "off", "meeting"],
    "definition": ["spell", "benefits", "spanish", "cover", "income", "in spanish", "equal"],
    "find_phone": ["bill", "number", "call", "charge", "pay", "text", "lost my card", "card"],
    "make_call": ["heads", "tails", "coin", "lost", "english", "bill", "off", "cancel", "text"],
    "measurement_conversion": ["calories", "cook", "dollars", "currency", "nutrition", "turkey", "euros", "restaurant", "usd", "rubles"],
    "share_location": ["phone", "cellphone", "iphone", "cell"],
    "text": ["due date"],
    "time": ["flight", "boarding", "board", "land", "off", "meeting", "paid", "cook", "cooking", "alarm", "timer", "card", "wait", "timezone is"],
    "timer": ["credit card", "alarm"],
    "income": ["tax", "taxes", "taxed", "spent", "dinner", "reservation", "reservations", "direct"],
    "insurance": ["new", "change", "switch", "due", "bill", "pay", "premium", "different", "card", "update", "changing", "cost", "another", "spent", "run me", "switching", "adjust"],
    "insurance_change": ["card", "due", "what", "which"],
    "meeting_schedule": ["room", "rooms", "schedule a meeting", "scheduling", "set up"],
    "next_holiday": ["request", "approved", "taken", "used", "have i", "take", "how many", "approval", "requests", "left"],
    "payday": ["direct", "deposit", "deposited", "bill", "how much", "taken out", "paid time off", "taxes"],
    "pto_balance": ["used", "taken", "request", "approved", "take", "have i", "utilized", "i've used"],
    "pto_request": ["approved", "status", "been", "accepted", "okayed", "denied", "update", "updated", "news", "left"],
    "pto_request_status": ["card", "application", "credit"],
    "pto_used": ["card", "spent", "points", "money", "rewards"],
    "rollover_401k": ["hold", "balance"],
    "schedule_meeting": ["do i have", "any meetings", "what meetings", "when is", "when's", "am i", "hotel"],
    "taxes": ["w2", "w-2", "form", "forms", "w 2"],
}  # fmt: skip


def words_of(intent, found, unless=()):
    """A source that says ``intent`` for a text with one of its words, and none of the words that speak against it."""
    if not unless:
        return assay.keywords(found, intent, on="text", name=f"words of {intent}")
    has, hasnt = (re.compile(rf"(?<!\w)({'|'.join(map(re.escape, some))})(?!\w)").search for some in (found, unless))

    @assay.source(labels=[intent], name=f"words of {intent}")
    def source(row):
        return intent if has(row.text) and not hasnt(row.text) else None

    return source


words = [words_of(intent, found, UNLESS.get(intent, ())) for intent, found in WORDS.items()]
