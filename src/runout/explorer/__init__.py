"""The web page over everything solved: found bundles, answers about their nodes, a server."""
