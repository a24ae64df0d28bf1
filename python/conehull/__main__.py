"""``python -m conehull`` is the command ``conehull``."""
import os
import sys
from pathlib import Path


def main() -> None:
    """Replaces this process by the command that is part of the package."""
    program = Path(__file__).parent / "_lib" / "conehull"
    if not program.exists():
        sys.exit(f"{program} is missing; this installation of conehull has no command")
    os.execv(program, ["conehull", *sys.argv[1:]])


if __name__ == "__main__":
    main()
