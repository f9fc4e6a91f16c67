"""Commands of earlier versions, and the arguments of `show` that say the same."""

#: Options that were called otherwise.
_OPTIONS = {"--position": "-p"}
#: The short name of --flop is gone.
_SHORT = {"-f": "--flop"}


def modern_arguments(arguments):
    """Returns what to type now for the arguments of a command line of commit 86d1cbc."""
    names = _OPTIONS if arguments[0] in ("export", "flops") else _OPTIONS | _SHORT
    words = [names.get(word, word) for word in arguments]
    match words:
        case ["spot", "show", *rest]:
            node = [] if {"-n", "--node"} & set(rest) else ["--node", ""]
            return ["export" if "--depth" in rest else "show", *rest, *node]
        case ["spot", "report", *rest]:
            return ["show", *rest, "--by", "card"]
        case ["trace-hand", path, hand, *rest]:
            return ["show", path, "--trace", hand, *rest]
        case ["ranges", *rest]:
            return ["show", *rest, "--ranges"]
        case ["abstraction", "inspect", *rest]:
            return ["show", *rest]
        case ["inspect", *rest]:
            return ["show", *rest, "--check"]
    return words


def modern_document(arguments, document):
    """Returns a document that a run is shown by now, as `spot show` wrote it."""
    is_of_spot = arguments[:2] == ["spot", "show"] and "nodes" in document
    if not is_of_spot:
        return document
    head = {key: document[key] for key in ("format", "version", "quality")}
    return {**head, **dict(zip(("node", "compared"), document["nodes"], strict=False))}
