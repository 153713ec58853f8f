"""Benchmarks: each prints ratios from one run. Nothing here is a test."""
