"""The figures that the project promises, measured: `python -m experiments NAME`.

An experiment is a module that runs many simulated worlds and makes tables of what they show;
docs/reference/figures.md is the page where they stand.
"""
