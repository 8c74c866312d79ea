"""Writes each fenced `sh` block of the README's section "Quick start" to a file of its own; there are exactly two."""

import re
import sys
from pathlib import Path

section = Path("README.md").read_text().split("\n## Quick start\n")[1].split("\n## ")[0]
blocks = re.findall(r"^```sh\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)
if len(blocks) != 2:
    sys.exit(f"the Quick start has {len(blocks)} sh blocks instead of two")
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for number, block in enumerate(blocks, 1):
    (folder / f"{number}.sh").write_text(block)
