"""The program: all commands in one, and what becomes of errors and signals."""

from __future__ import annotations

import signal
import sys
import warnings
from typing import Annotated, Any

import typer

import assay
from assay.cli import crowd, demo, end_model, exchange, labeling, results, studio, votes
from assay.cli.options import Debug
from assay.cli.output import complain, keep_for_json, note
from assay.cli.session import session
from assay.errors import AssayError, CheckWarning, FaultWarning

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Turn many noisy label sources into one consistent training set, without gold labels.",
    epilog="Example: [bold]assay demo[/]",
)
# In this order they are listed by --help.
for part in (votes, labeling, end_model, exchange, results, crowd, studio, demo):
    app.registered_commands += part.commands.registered_commands


def _print_version(value: bool) -> None:
    if value:
        print(f"assay {assay.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
    debug: Debug = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; a user's mistake gives one readable message and exit code 2."""
    session.debug = "--debug" in sys.argv
    signal.signal(signal.SIGTERM, _terminated)
    # What a check warns of, and who failed, is printed, in the words of assay.toml.
    warnings.simplefilter("ignore", CheckWarning)
    warnings.simplefilter("ignore", FaultWarning)
    warnings.showwarning = _tell
    if "--json" in sys.argv:
        keep_for_json()
    try:
        app()
    except SystemExit as ended:
        if _was_interrupted(ended):
            complain(f"interrupted; {_kept()}")
        raise
    except AssayError as error:
        if session.debug:
            raise
        from assay.project import in_toml

        complain(in_toml(str(error)))
        sys.exit(2)
    except KeyboardInterrupt:
        complain(f"interrupted; {_kept()}")
        sys.exit(130)
    except Exception as error:
        if session.debug:
            raise
        complain(f"{type(error).__name__}: {error}\nThis is a bug in Assay. Run again with --debug for the traceback.")
        sys.exit(1)


def _tell(message: Warning | str, category: type[Warning], *where: Any, **how: Any) -> None:
    """A warning as people read it: without the line of Assay's own code that it comes from."""
    if category is UserWarning:
        note(str(message))
    else:
        sys.stderr.write(warnings.formatwarning(message, category, where[0], where[1]))


def _terminated(number: int, frame: Any) -> None:
    """End as after Ctrl-C, so that nothing half-written is left behind."""
    complain(f"terminated; {_kept()}")
    sys.exit(128 + number)


def _was_interrupted(ended: BaseException) -> bool:
    """Whether it was Ctrl-C, of which typer only leaves an exit code, that ended the program."""
    cause: BaseException | None = ended
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


def _kept() -> str:
    """What was written before the program was stopped."""
    from assay._core.atomic_files import finished

    kept = ", ".join(dict.fromkeys(str(path) for path in finished))
    return f"{f'kept: {kept}' if kept else 'nothing was written'}; nothing half-written is left behind"
