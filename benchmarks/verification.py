"""Write the tables of docs/verification.md: `dyn verify` on the sample arm and tree, all libraries.

    python benchmarks/verification.py

What stands between the markers of the page is replaced by what the command says now.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "verification.md"
MODELS = {"arm_6r": "6R arm", "tree_12": "12-joint tree"}
BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"


def verified(model: str) -> dict[str, Any]:
    """The result of the command on a sample model."""
    path = ROOT / "sample_models" / f"{model}.urdf"
    arguments = [sys.executable, "-m", "dyncli", "verify", str(path), "--samples", "20", "-q", "-f", "json"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=ROOT)
    result: dict[str, Any] = json.loads(done.stdout)["results"][0]
    return result


def agreement(title: str, libraries: dict[str, Any]) -> list[str]:
    """A row a quantity, a column a library."""
    columns = {name: found for name, found in libraries.items() if "quantities" in found}
    names = list(dict.fromkeys(quantity for found in columns.values() for quantity in found["quantities"]))
    titles = [f"{name} {found['version']}" for name, found in columns.items()]
    lines = [
        f"| {title} | {' | '.join(titles)} |",
        f"|---|{'---|' * len(columns)}",
    ]
    for name in names:
        cells = [found["quantities"].get(name) for found in columns.values()]
        shown = ("" if cell is None else f"{cell:g}" if name == "zeros of M" else f"{cell:.1e}" for cell in cells)
        lines.append(f"| {name} | {' | '.join(shown)} |")
    left_out = [f"{name}: {found['unavailable']}" for name, found in libraries.items() if "unavailable" in found]
    return [*lines, "", *left_out]


def identities(results: dict[str, dict[str, Any]]) -> list[str]:
    """A row a check, a column a model."""
    lines = [f"| identity | {' | '.join(MODELS.values())} | bound on the arm |", f"|---|{'---|' * (len(results) + 1)}"]
    for checks in zip(*(result["checks"] for result in results.values()), strict=True):
        errors = " | ".join(f"{check['error']:.1e}" for check in checks)
        lines.append(f"| {checks[0]['name']} | {errors} | {checks[0]['tolerance']:.1e} |")
    return lines


def main() -> None:
    """Put the tables into the page."""
    results = {model: verified(model) for model in MODELS}
    lines = [*identities(results), ""]
    for model, title in MODELS.items():
        lines += [*agreement(title, results[model]["libraries"]), ""]
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + "\n" + "\n".join(lines).rstrip() + "\n\n" + END + after)


if __name__ == "__main__":
    main()
