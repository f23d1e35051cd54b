"""Fetching over HTTPS, politely: one client for every source that reads from the network.

It is no source itself. Import `client` from here only where something is fetched: it loads httpx.
"""
