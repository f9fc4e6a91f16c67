"""`runout spot`: the commands that look into solved spots."""

import typer

from runout.cli.spot_report import report_spot
from runout.cli.spot_show import show_spot

app = typer.Typer(no_args_is_help=True, help="Look into solved spots.")
app.command(
    "show",
    epilog="Example: runout spot show runs/river --node x --hand KK ; "
    'runout spot show runs/river --player ip --range "22+,A2s+" --show eqr ; '
    "runout spot show runs/flop --node b59:c:8h --class sets,-flush-draws --by class ; "
    "runout spot show runs/flop --node b59:c:8h --compare b59:c:2c",
)(show_spot)
app.command(
    "report",
    epilog="Example: runout spot report runs/flop --node x:b59:c ; "
    "runout spot report runs/flop --node x:b59:c:8h:x --sort ev-ip --csv -o turns.csv",
)(report_spot)
