"""How a command tells the shell that it failed."""

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130
