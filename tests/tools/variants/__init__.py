"""Changes of examples that keep their meaning, for `rule_variants.py`."""
