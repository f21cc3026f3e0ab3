"""Changes of Python programs that keep their meaning."""
