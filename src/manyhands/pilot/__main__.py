"""A pilot's process: `python -m manyhands.pilot BIRTH`, where BIRTH is a JSON object."""

from __future__ import annotations

import json
import sys

from manyhands.pilot.birth import Birth
from manyhands.pilot.shell import Shell

if __name__ == "__main__":
    Shell(Birth(**json.loads(sys.argv[1]))).run()
