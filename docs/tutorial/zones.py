"""The same by a rule instead of a table: a price for the zone and one for each 250 grams begun."""
import json
import sys

UNION = {"Austria", "Belgium", "France", "Italy", "Poland", "Spain"}
BASE, STEP = (230, 380, 510), (55, 115, 240)


def postage(grams, country):
    zone = 0 if country == "Germany" else 1 if country in UNION else 2
    return f"{(BASE[zone] + STEP[zone] * -(-grams // 250)) / 100:.2f}"


if __name__ == "__main__":
    print(postage(**json.load(sys.stdin)))
