#!/bin/sh
# Reads {"personName": "..."} and prints a formal greeting.
name=$(sed -n 's/.*"personName" *: *"\([^"]*\)".*/\1/p')
printf 'Good day, %s. How do you do?\n' "${name:-world}"
