"""Benchmarks of casstore: one module per question, real documents, baselines side by side.

Run with ``python -m benchmarks``; see ``README.md`` in this folder.
"""
