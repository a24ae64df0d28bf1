"""The field bench (run_field.py), and what other measurements of lab/ share with it: generated data, measures, plain methods."""
