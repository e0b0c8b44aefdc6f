"""Domains by their words. Several short lists each, so that the lists can confirm each other."""

import assay

DOMAINS = {
    "banking": {
        "account": ["account", "accounts", "checking", "savings", "checkings"],
        "bill": ["bill", "bills", "mortgage", "payment"],
        "bank": ["bank", "routing", "interest", "pin", "checks", "checkbook", "checkbooks"],
        "money moved": [
            "transfer", "spend", "spent", "transaction", "transactions", "purchases", "balance", "fraud",
            "fraudulent", "freeze",
        ],
    },
    "credit_cards": {
        "card": ["card", "cards", "card's", "credit card"],
        "brand": ["amex", "mastercard", "american express", "discover card", "visa card", "my visa"],
        "credit": ["credit", "apr", "credit limit", "credit score", "limit"],
        "rewards": [
            "rewards", "reward", "points", "redeem", "declined", "expire", "expires", "expiration", "fees",
            "application", "replacement",
        ],
    },
    "kitchen_and_dining": {
        "food": [
            "chicken", "pizza", "rice", "eggs", "milk", "beef", "pork", "turkey", "bread", "pasta", "cheese",
            "salmon", "soup", "burger", "steak", "spaghetti", "lasagna", "salad", "sandwich", "pie", "tacos",
            "sushi", "shrimp", "cookies", "potato", "potatoes", "cream", "sugar", "butter", "salt", "sauce", "food",
            "brownies", "apple", "pancakes", "fries", "chili", "banana", "cake", "bacon", "cheeseburger", "fish",
            "meat", "noodles", "tuna",
        ],
        "cooking": [
            "cook", "bake", "recipe", "recipes", "ingredients", "ingredient", "calories", "calorie", "nutrition",
            "nutritional", "healthy", "fridge", "freezer", "substitute", "oven", "cooking",
        ],
        "eating out": [
            "restaurant", "restaurants", "reservation", "reservations", "table", "busy", "reviews", "seated",
            "crowded", "olive garden", "red robin", "applebees", "applebee's", "ihop", "chili's", "outback",
            "red lobster",
        ],
        "meals": ["meal", "dinner", "lunch", "breakfast", "eat", "dish", "meals", "hungry", "serving"],
    },
    "travel": {
        "way": [
            "flight", "flights", "airlines", "hotel", "luggage", "rental car", "car rental", "rent a car", "plane",
            "airport", "airline", "carry-on", "carry on", "carry ons", "rent", "bags", "boarding",
        ],
        "abroad": [
            "travel", "traveling", "travelling", "trip", "visit", "international visa", "abroad", "vaccines",
            "shots", "vaccinations", "plug", "plugs", "socket", "converter", "timezone", "tourist",
        ],
        "countries": [
            "mexico", "france", "spain", "china", "japan", "russia", "germany", "italy", "brazil", "kenya",
            "london", "paris", "england", "uk", "canada", "tokyo", "africa", "europe", "ireland", "india",
            "australia", "thailand", "denmark", "rome", "barcelona", "hong kong", "korea", "egypt", "spanish",
            "french", "german", "japanese", "asia",
        ],
        "other money and tongues": [
            "exchange rate", "euros", "yen", "pesos", "rubles", "translate", "exchange", "do you say",
            "how do they say", "currency",
        ],
    },
    "utility": {
        "play": ["coin", "dice", "die", "heads", "tails", "roll", "flip"],
        "phone": ["phone", "call", "text", "message", "dial", "cellphone", "iphone", "my location", "gps"],
        "clock": [
            "alarm", "timer", "what time", "current time", "today's date", "date", "minutes", "wake", "the time",
        ],
        "reckoning": [
            "plus", "minus", "times", "divided", "square root", "inches", "centimeters", "ounces", "cups", "grams",
            "convert", "percent", "tablespoons", "meters", "feet",
        ],
        "words and weather": [
            "spell", "spelling", "define", "definition", "mean", "meaning", "weather", "rain", "temperature",
            "forecast", "snow", "the word",
        ],
    },
    "work": {
        "time off": ["pto", "vacation", "day off", "days off", "time off", "holiday", "vacation days", "holidays"],
        "pay": ["paycheck", "paid", "payday", "salary", "income", "direct deposit", "earn", "job", "work"],
        "paper": ["taxes", "tax", "w2", "w-2", "401k", "insurance", "health plan", "health benefits", "rollover"],
        "meetings": ["meeting", "meetings", "meet with", "meeting room", "meeting rooms", "calendar"],
    },
}  # fmt: skip

domains = [
    assay.keywords(found, domain, on="text", task="domain", name=f"{domain} by {kind}")
    for domain, lists in DOMAINS.items()
    for kind, found in lists.items()
]
