#!/usr/bin/env python3
"""The shop's tools: `find` a product by the words of a customer, or tell the `price` of some.
The arguments come as JSON on standard input, the result goes to standard output. With --rounded
prices are those of the quick table, which knows them to ten cents only."""
import decimal
import json
import sys

PRICES = {"bowl": "9.55", "candle": "3.20", "cup": "6.75", "jug": "22.00", "kettle": "45.00", "mug": "8.95",
          "napkin": "1.15", "plate": "12.00", "spoon": "2.45", "teapot": "34.00", "tray": "18.00", "vase": "27.00"}


def find(arguments):
    words = arguments["words"].lower().split()
    found = [name for name in PRICES if any(word in (name, name + "s") for word in words)]
    return found[0] if found else "no such product"


def price(arguments, rounded):
    one = decimal.Decimal(PRICES[arguments["product"]])
    if rounded:
        one = one.quantize(decimal.Decimal("0.1"), rounding=decimal.ROUND_HALF_UP)
    return f"{one * arguments['quantity']:.2f}"


asked = json.load(sys.stdin)
print(find(asked) if sys.argv[1] == "find" else price(asked, "--rounded" in sys.argv))
