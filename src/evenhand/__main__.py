"""`python -m evenhand`, the same as the command `evenhand`."""

from evenhand.cli.main import main

if __name__ == "__main__":
    main(prog_name="evenhand")
