"""Runs the questions that are named, or all, and shows and writes what they answer."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.baselines import casstore_store
from benchmarks.report import Answer, markdown
from benchmarks.workload import Options

QUESTIONS = ("save", "size", "worst", "restore", "cold", "scale", "hook")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("question", nargs="*", help=f"one or more of: {', '.join(QUESTIONS)}")
    parser.add_argument("--quick", action="store_true", help="a smoke run: figures mean nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there")
    parser.add_argument(
        "--dir", type=Path, help="measure on the disk of this folder (default: the temporary one)"
    )
    options = parser.parse_args(arguments)
    unknown = set(options.question) - set(QUESTIONS)
    if unknown:
        parser.error(f"unknown question: {', '.join(sorted(unknown))}")
    facts: dict[str, Any] = {**machine.facts()}
    answers: dict[str, tuple[str, Answer]] = {}
    with tempfile.TemporaryDirectory(dir=options.dir, ignore_cleanup_errors=True) as folder:
        facts["journal mode"] = casstore_store.journal_mode(Path(folder))
        texts = [_head(facts, options.quick)]
        print(texts[0], flush=True)
        for question in options.question or QUESTIONS:
            module = import_module(f"benchmarks.{question}")
            own = Path(folder) / question
            own.mkdir()
            before = machine.load()
            answer = module.run(Options(own, options.quick))
            answer = answer.with_note(f"load average {before} before, {machine.load()} after")
            asks = (module.__doc__ or "").split("\n\n")[0]
            answers[question] = (asks, answer)
            texts.append(markdown(question, asks, answer))
            print(texts[-1], flush=True)
    if options.json:
        results = {
            "machine": facts,
            "quick": options.quick,
            "answers": {name: {"asks": asks, **a.as_dict()} for name, (asks, a) in answers.items()},
        }
        options.json.write_text(
            json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    if options.markdown:
        options.markdown.write_text("\n".join(texts), encoding="utf-8")
    return 0


def _head(facts: dict[str, Any], quick: bool) -> str:
    lines = ["# Benchmark results\n\n"]
    if quick:
        lines.append("A quick run, to see that everything works: its figures mean nothing.\n\n")
    lines += [f"- {name}: {value}\n" for name, value in facts.items()]
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
