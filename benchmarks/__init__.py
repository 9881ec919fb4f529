"""Evenhand beside what a user would pick instead, measured side by side in one run.

``python -m benchmarks`` from the root of the repository; docs/benchmarks.md says what it does.
"""
