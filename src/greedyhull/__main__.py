"""``python -m greedyhull`` does what ``greedyhull`` does."""

from greedyhull.cli import main

if __name__ == "__main__":
    main()
