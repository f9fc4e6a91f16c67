"""The version of the package, which every file it writes names."""

__version__ = "0.1.0"
