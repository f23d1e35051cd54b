"""The version of the package, in a module that every other can import."""

__version__ = "1.0.0"
