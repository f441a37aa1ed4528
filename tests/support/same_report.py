"""Whether two JSON reports of one experiment tell the same, but for times, which differ from run to run:
same_report.py REPORT REPORT ends with 0 if they do."""
import json
import sys


def rest(path):
    report = json.load(open(path))
    late = [m["name"] for m in report["metrics"]].index("latency")
    for arm in report["arms"]:
        arm["metrics"] = [m for m in arm["metrics"] if m["metric"] != "latency"]
        if "judge_cost" in arm:  # a sum, in the order in which judges answered
            arm["judge_cost"] = round(arm["judge_cost"], 9)
    for list_of in ("comparisons", "order_effects"):
        report[list_of] = [row for row in report[list_of] if row["metric"] != "latency"]
    report["warnings"] = [w for w in report.get("warnings", []) if not w.startswith("latency ")]
    for comparison in report["comparisons"]:
        comparison.pop("p_adjusted", None)  # latency is among those that are adjusted for
    for case in report["cases"]:
        for arm in case["arms"]:
            arm["values"][late] = None
    return json.dumps(report)


sys.exit(rest(sys.argv[1]) != rest(sys.argv[2]))
