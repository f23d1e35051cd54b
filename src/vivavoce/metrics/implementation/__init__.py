"""Metrics of implementations: factors, architectures, and claims computed again."""
