"""Intents by likeness: typed phrasings of each intent, and sources that look for the nearest of them.

One source compares words, another one letters (so that "transactoin" is near "transaction"). Both
weigh a feature by how few intents use it, and are silent where nothing is near or two intents are.
"""

# ruff: noqa: E501  (an intent a line)

import math
import re
from collections import defaultdict
from itertools import pairwise

import assay

SEEDS = {
    # banking
    "account_blocked": "why is my account blocked | why is my bank account frozen | why am i locked out of my account | why is there a hold on my account | i can't access my account | what is the reason for the block on my account | my account is locked and i do not know why",
    "balance": "what is my account balance | how much money is in my checking account | what's my bank balance | do i have enough money in my account for a new pair of shoes | how much do i have in savings | tell me the balance of my bank accounts | can i afford it with what is in my bank account",
    "bill_balance": "how much is my electric bill | what is the total of my bills | how much do i owe on my cable bill | how much are my utility bills this month | what is the amount on my phone bill | what do i owe for water and gas | how much do my bills cost in total",
    "bill_due": "when is my electric bill due | what is the due date of my cable bill | when do i need to pay my phone bill | what day is my mortgage payment due | what date do i have to pay my gas bill by | is my bill due soon",
    "freeze_account": "freeze my bank account | put a hold on my account | block my chase account right now | please stop all activity on my account | can you lock my savings account | put a stop on my account | i want my account blocked immediately",
    "interest_rate": "what is the interest rate on my savings account | tell me my interest rate | what interest rate do i have on my loan | how much interest do i get on my account",
    "min_payment": "what is the minimum payment on my credit card | what's the least i can pay on my electric bill | tell me the minimum i owe this month | what is the lowest amount i can pay on my bill | how low can my payment be",
    "order_checks": "i need to order more checks | how do i order checks for my account | can i get a new checkbook | i ran out of checks | send me more checkbooks | where can i order new checks",
    "pay_bill": "pay my electric bill | i need to pay my water bill | help me pay my cable bill from my checking account | i want to pay off my credit card bill | make a payment on my phone bill | can you pay my mortgage | how do i pay my rent bill",
    "pin_change": "change my pin number | i forgot my pin | how do i change my pin for my account | i need a new pin | i can't remember my pin | set the pin on my account to 1234",
    "report_fraud": "i want to report fraud on my account | there is a fraudulent charge on my card | i see a transaction i did not make | there is suspicious activity on my account | someone made an unauthorized purchase | i don't recognize a charge on my statement",
    "routing": "what is my routing number | where do i find the routing number for my bank | tell me the routing number for chase | i need my routing number",
    "spending_history": "how much did i spend on groceries last month | how much have i spent on gas recently | what did i spend on food this week | what have i spent at starbucks lately | show my spending on clothes | have i been spending a lot on restaurants | how much did car repairs cost me this year",
    "transactions": "show me my recent transactions | what was my last purchase | list my transactions for the last week | what did i buy yesterday | show me my transactions on groceries | what are the latest charges on my card | pull up my most recent purchases",
    "transfer": "transfer $100 from savings to checking | move money from my checking to my savings account | send 50 dollars to another account | i want to transfer money between accounts | put $200 into my checking from my savings | wire money from one bank to another",
    # credit_cards
    "application_status": "what is the status of my credit card application | has my card application been approved | did my application for a visa card go through yet | is my credit card application processed | when will i hear about my card application | was my application received",
    "apr": "what is the apr on my credit card | what's my apr | tell me my card's apr | what is the annual percentage rate on my visa",
    "card_declined": "why was my card declined | my card got declined at the store | why did my card get rejected yesterday | i tried to buy something and my card was not accepted | my card was denied",
    "credit_limit": "what is my credit limit | what's the limit on my visa card | how high is my credit limit | what is my spending limit | how much can i spend on my credit card | what is the most i can charge on my card",
    "credit_limit_change": "increase my credit limit | can i raise the limit on my visa | i want a higher credit limit | how do i request a credit limit increase | i'd like my credit limit raised to 2000 | change the limit on my credit card | up my credit line",
    "credit_score": "what is my credit score | tell me my credit rating | how do i check my credit score | where can i see my credit score | how is my credit",
    "damaged_card": "my card is damaged | my card broke in half | my card got melted | my dog chewed up my credit card | my card is scratched and does not work | i need to report a damaged card | my card snapped | i bent my card",
    "expiration_date": "when does my card expire | what is the expiration date on my credit card | what month does my card expire | tell me my card's expiry date | how long until my card expires",
    "improve_credit_score": "how do i improve my credit score | what can i do to raise my credit rating | how can i get a better credit score | would late payments hurt my credit score | does opening a new account lower my credit | how to build my credit | tips to boost my credit",
    "international_fees": "are there international transaction fees on my card | will i be charged if i use my card in mexico | does my visa have foreign fees | is there a fee for using my card abroad | what are the surcharges when i use my card in france | does my bank charge extra in japan",
    "new_card": "i want to apply for a credit card | how do i get a new credit card | sign me up for a visa card | help me apply for an american express card | how do i open a new credit card | i need a new credit card | can i apply for a mastercard",
    "redeem_rewards": "how do i redeem my credit card points | how can i cash in my rewards | what can i use my reward points on | i want to redeem my rewards | can i use my points for a gift card | how do i use my amex rewards",
    "replacement_card_duration": "how long will it take to get a replacement card | when will my new card arrive | how long until my new card comes in the mail | how soon will i get my new card | when will you send me a replacement card | i lost my card how long for a new one to get here",
    "report_lost_card": "i lost my card | my credit card was stolen | report my card as lost | i need to report a stolen card | i can't find my visa card and want to report it lost | someone stole my credit card | my wallet with my card is missing",
    "rewards_balance": "how many reward points do i have | what is my rewards balance | how many points do i have on my visa card | check my rewards points on my amex | what rewards have i earned on my discover card | how do i check my rewards card",
    # kitchen_and_dining
    "accept_reservations": "does the restaurant take reservations | does red lobster accept reservations | do they take reservations at olive garden | can you make reservations at applebee's | do you know if outback does reservations | is it possible to get a reservation at ihop",
    "calories": "how many calories are in an apple | what is the calorie count of a cheeseburger | calories in a cookie | what's the calorie content of pizza | does ice cream have a lot of calories",
    "cancel_reservation": "cancel my reservation | i need to cancel my dinner reservation | i don't need my reservation anymore | please cancel my table at the restaurant | tell the restaurant i can't make it | take my name off the reservation",
    "confirm_reservation": "confirm my reservation at red robin | can you check that i have a reservation at olive garden for 8 pm | do i still have my reservation | i want to verify my reservation under smith | is my dinner reservation still set | make sure my reservation is correct",
    "cook_time": "how long do i cook a steak | how long does it take to bake a potato | what is the cooking time for chicken | how many minutes should i boil eggs | how long should the pizza be in the oven | when will the roast be done | how long does a turkey take",
    "food_last": "how long does chicken last in the fridge | how long before milk goes bad | can i still eat pizza that was in the fridge since monday | is the rice i made last week still good | how long can i keep eggs in the refrigerator | how long are leftovers good for | are these bananas still safe to eat",
    "how_busy": "how busy is olive garden at 7 pm | how long is the wait at chili's | will the restaurant be crowded at noon | what's the wait time for a table at ihop | is applebee's busy right now | how long until we get seated",
    "ingredient_substitution": "can i substitute milk for cream | can i use butter instead of oil | what can i use in place of eggs | is honey a good substitute for sugar | can i swap chicken for pork | what is a replacement for sour cream | can i replace salt with baking soda",
    "ingredients_list": "what are the ingredients in lasagna | what ingredients do i need to make pizza | what is in a burrito | what do i need to make pancakes | what goes into a chicken pot pie | list the ingredients for brownies | what is spaghetti made of",
    "meal_suggestion": "what should i make for dinner | give me a meal suggestion | suggest an italian meal | i need ideas for lunch | what should i eat tonight | recommend a thai dish to cook | what's a good mexican meal | any dinner ideas",
    "nutrition_info": "what is the nutrition information for pizza | how healthy are french fries | give me the nutrition facts for cheerios | is spaghetti healthy | what are the nutritional values of an avocado | how much protein is in an egg | is it good for you",
    "recipe": "find me a recipe for lasagna | how do i make chicken soup | how do you cook a steak | give me a recipe for brownies | what's the best way to make spaghetti | i want to learn how to make sushi | look up a beef stew recipe",
    "restaurant_reservation": "make a reservation for 4 at olive garden at 7 pm | book a table for two at red lobster | reserve a table for 6 under the name smith | i need a dinner reservation for tonight | get me a table at the steakhouse | schedule a reservation for 3 at 8",
    "restaurant_reviews": "what are the reviews for olive garden | does ihop have good reviews | how are the ratings of taco bell | is red robin any good | look up reviews of chipotle | what do people think of the food at applebee's",
    "restaurant_suggestion": "where can i get good sushi | recommend a restaurant nearby | what are the best italian restaurants in chicago | find me a good place to eat | where should i go for dinner | are there any good thai restaurants around here | i'm hungry where can i eat",
    # travel
    "book_flight": "book a flight from dallas to houston | find me a round trip flight to new york | i need a plane ticket to miami | show me flights from boston to seattle on march 7 | buy a flight to denver on delta | i want to fly to chicago next week",
    "book_hotel": "book a hotel room in chicago | find me a hotel in new york from march 2 to march 5 | i need a place to stay in boston | reserve a room for 2 people in las vegas | get me a hotel near the airport | show me hotels with good reviews in miami",
    "car_rental": "i need to rent a car | book me a rental car in nashville | find a car rental in seattle | can i rent a car in boston from march 2 to march 4 | reserve a rental car at the airport",
    "carry_on": "what are the carry on rules for delta | how many carry ons can i take on united | what is the carry-on policy | are there carry on restrictions | can i bring a bag on the plane as carry on",
    "exchange_rate": "what is the exchange rate between dollars and euros | how many pesos can i get for 100 dollars | how much is 10 pounds in dollars | what's 50 dollars in yen | convert dollars to rubles | what is the dollar worth in canada",
    "flight_status": "what is the status of my flight | when does my flight land | is my flight on time | what time does my flight board | when will flight dl123 arrive | when does boarding start | is my plane delayed",
    "international_visa": "do i need a visa to go to china | do i need an international visa to travel to spain | is a visa required to visit brazil | how do i get a travel visa | do americans need a visa for india",
    "lost_luggage": "i lost my luggage | the airline lost my bags | how do i find my lost luggage | my suitcase did not arrive | where is my luggage | my luggage is missing i was on flight ab123",
    "plug_type": "what kind of plugs do they use in london | do i need a socket converter in france | what type of outlet is used in japan | do i need a plug adapter for italy | can i use my charger in the outlets of spain | are the plugs different there",
    "timezone": "what timezone is chicago in | which time zone is hawaii | tell me the timezone of boston | is austin in the central timezone | what's the time zone for tokyo",
    "translate": "how do you say hello in spanish | translate thank you into french | what is the word for dog in italian | how would i say goodbye if i were german | how do they say i love you in japan | what do they call a cookie in england",
    "travel_alert": "are there any travel alerts for mexico | is it safe to travel to egypt | are there travel warnings for kenya | should i worry about safety in brazil | is russia a safe place to visit | how dangerous is it there",
    "travel_notification": "tell my bank i will be traveling to france | let my bank know i'm going to spain | i need to notify the bank that i am traveling abroad | i will be in london from may 1 to may 9 please let my bank know | inform chase about my trip",
    "travel_suggestion": "what are some fun things to do in chicago | where should i travel | what tourist attractions are in paris | what is there to do in denver | recommend a place to visit | give me a travel suggestion | what should i see in tokyo | good vacation spots",
    "vaccines": "do i need shots before traveling to africa | what vaccines do i need for brazil | which vaccinations are required for india | should i get any shots before my trip | do i need to be vaccinated to go there",
    # utility
    "alarm": "set an alarm for 6 am | wake me up at seven | i need an alarm for tomorrow morning | create an alarm for 5 pm | turn on my alarm | make the alarm go off at 9",
    "calculator": "what is 5 plus 7 | what's the square root of 81 | how much is 20 percent of 300 | divide 100 by 4 | what is 12 times 9 | help me with some math | what is an 18 percent tip on 50 | add 3 and 8",
    "date": "what is today's date | what day is it | what's the date tomorrow | what day of the week is it | which date is 10 days from now | tell me the date",
    "definition": "what does ubiquitous mean | define entropy | what is the definition of zesty | what's the meaning of this word | tell me what the word obsolete means | look up serendipity in the dictionary",
    "find_phone": "find my phone | i lost my phone | where is my cell phone | help me locate my phone | i can't find my phone | i misplaced my iphone",
    "flip_coin": "flip a coin | heads or tails | toss a coin for me | flip a coin i call tails | do a coin toss",
    "make_call": "call mom | make a phone call to jim | dial sarah's number | i need to call my brother | please phone the office | get bob on the phone",
    "measurement_conversion": "how many cups are in a gallon | convert 10 inches to centimeters | how many grams are in an ounce | what is 5 kilometers in miles | how many tablespoons make a cup | how many feet in a meter | what's 10 kg in pounds",
    "roll_dice": "roll a dice | roll a six sided die | roll two dice | roll the dice and tell me the number | can you roll a 20 sided die",
    "share_location": "share my location with mom | send my gps coordinates to bob | let my wife know where i am | tell john my location | give my whereabouts to dad",
    "spelling": "how do you spell receive | what is the spelling of potato | spell the word necessary | how many es are in receiving | can you spell hamburger",
    "text": "send a text to mom | text john and tell him i'm late | send a text message | can you text my wife that i will be home soon | message bob and say hello | i need to send a text",
    "time": "what time is it | what's the current time | what time is it in tokyo | tell me the time right now | what time is it in the central timezone | what is the time in london",
    "timer": "set a timer for 10 minutes | start a 5 minute timer | timer for two minutes | count down from 30 seconds | let me know when 20 minutes are up | set the timer",
    "weather": "what's the weather like today | is it going to rain tomorrow | what is the forecast for this week | what's the temperature outside | will it snow | how cold is it in chicago",
    # work
    "direct_deposit": "how do i set up direct deposit | i want my paycheck deposited into my chase account | set up direct deposit for my paycheck | can i get direct deposit | what do i need for direct deposit",
    "income": "what is my salary | how much do i make a year | what's my income | how much money am i earning at my job | tell me how much i get paid | what do i earn",
    "insurance": "what insurance do i have | what are my insurance benefits | which health plan am i on | does my insurance cover dental | tell me about my health benefits | what is the name of my insurance plan",
    "insurance_change": "i want to change my insurance | how do i get new insurance | switch my insurance plan | i need a different health insurance policy | i want to sign up for new health coverage | how can i update my insurance",
    "meeting_schedule": "what meetings do i have today | do i have any meetings with john | when is my meeting with sarah | what is on my meeting schedule | do i have meetings between 2 and 5 | am i scheduled to meet with anyone today",
    "next_holiday": "when is the next holiday | what is the next holiday | when is my next day off | how many days until the next holiday | when do we have a day off",
    "payday": "when do i get paid | when is payday | when is my next paycheck | what day will i be paid | when was my last paycheck | when does my paycheck come",
    "pto_balance": "how many vacation days do i have left | how much pto do i have | what is my pto balance | how many days off do i have remaining | do i have any vacation time left | how much paid time off have i earned",
    "pto_request": "i want to request vacation time | put in a pto request for march 1 to march 5 | how do i request time off | i'd like to take a vacation day on friday | submit a vacation request | schedule my time off for june | may i take pto on monday",
    "pto_request_status": "was my vacation approved | has my pto request been approved | what is the status of my time off request | did my boss okay my vacation | did they accept my day off request | any news on my vacation request",
    "pto_used": "how many vacation days have i used | how much pto have i taken so far | how many days off have i taken this year | how much of my vacation time is used up | what is the total time off i took",
    "rollover_401k": "how do i rollover my 401k | transfer my 401k to my new job | i need help rolling over my 401k | move my retirement fund to a new employer",
    "schedule_meeting": "schedule a meeting with bob at noon | set up a meeting for tomorrow | i need to meet with sarah at 3 pm | book a meeting room | are there meeting rooms available between 2 and 4 | add a meeting with tom to my calendar",
    "taxes": "how much do i owe in taxes | what are my state taxes | how much will i pay in federal taxes | what is taken out of my income for tax | tell me about my taxes this year",
    "w2": "where is my w2 | how do i get my w-2 form | i need my w2 to do my taxes | where can i find my tax form | when will i get my w2",
}  # fmt: skip

COMMON = {
    *["a", "an", "the", "to", "of", "is", "are", "am", "be", "do", "does", "did", "can", "could", "would", "will"],
    *["you", "me", "my", "i", "i'm", "i'd", "please", "it", "if", "that", "this", "and", "know", "tell"],
}


def by_words(text):
    """Words and pairs of words; the commonest words only in pairs."""
    found = re.findall(r"[a-z0-9$%'&-]+", text.lower())
    return {word for word in found if word not in COMMON} | {f"{a} {b}" for a, b in pairwise(found)}


def by_letters(text):
    """Runs of four characters within words, with the ends of words marked."""
    spaced = " " + " ".join(re.findall(r"[a-z0-9$%]+", text.lower())) + " "
    return {spaced[start : start + 4] for start in range(len(spaced) - 3)}


class Nearest:
    """The intent of the seed phrase that is most like a text, and how far ahead of other intents it is."""

    def __init__(self, features):
        self.features = features
        phrases = [(intent, phrase) for intent, line in SEEDS.items() for phrase in line.split(" | ")]
        intents_of = defaultdict(set)
        for intent, phrase in phrases:
            for feature in features(phrase):
                intents_of[feature].add(intent)
        self.weight = {feature: math.log(1 + len(SEEDS) / len(used)) ** 2 for feature, used in intents_of.items()}
        self.unseen = max(self.weight.values()) / 4
        self.seeds = defaultdict(list)
        self.norms = []
        self.intents = []
        for number, (intent, phrase) in enumerate(phrases):
            self.intents.append(intent)
            self.norms.append(self.norm(features(phrase)))
            for feature in features(phrase):
                if len(intents_of[feature]) <= 12:  # the others say little and cost most of the time
                    self.seeds[feature].append(number)

    def norm(self, features):
        return math.sqrt(sum(self.weight.get(feature, self.unseen) for feature in features)) or 1.0

    def __call__(self, text):
        """Intents with their likeness (a cosine), best first."""
        features = self.features(text)
        alike = defaultdict(float)
        for feature in features:
            for number in self.seeds.get(feature, ()):
                alike[number] += self.weight[feature]
        norm = self.norm(features)
        best = defaultdict(float)
        for number, dot in alike.items():
            intent = self.intents[number]
            best[intent] = max(best[intent], dot / (norm * self.norms[number]))
        return sorted(best.items(), key=lambda pair: -pair[1])


def nearest_seed(features, name, at_least, ahead):
    """A source that says the nearest seed's intent if it is near, and nearer than any other intent's."""

    @assay.source(name=name, labels=list(SEEDS), resources={"nearest": Nearest(features)})
    def source(row, nearest):
        ranked = nearest(row.text)
        if not ranked or ranked[0][1] < at_least:
            return None
        second = ranked[1][1] if len(ranked) > 1 else 0.0
        return ranked[0][0] if ranked[0][1] - second >= ahead else None

    return source


seed_by_words = nearest_seed(by_words, "nearest seed by words", at_least=0.30, ahead=0.03)
seed_by_letters = nearest_seed(by_letters, "nearest seed by letters", at_least=0.30, ahead=0.03)
