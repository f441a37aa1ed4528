"""What a parcel costs, by its weight in grams and its country."""
import json
import sys

# Up to so many grams: inside the country, in the union, elsewhere; in cents.
PRICES = {250: (285, 495, 750), 500: (340, 610, 990), 1000: (455, 845, 1480), 2000: (595, 1190, 2265)}
UNION = {"Austria", "Belgium", "France", "Italy", "Poland", "Spain"}


def postage(grams, country):
    zone = 0 if country == "Germany" else 1 if country in UNION else 2
    for limit, prices in PRICES.items():
        if grams <= limit:
            return f"{prices[zone] / 100:.2f}"
    raise ValueError("a parcel weighs 2000 grams at most")


if __name__ == "__main__":
    print(postage(**json.load(sys.stdin)))
