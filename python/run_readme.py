"""Runs the Python examples of a Markdown file, each pasted into a fresh interpreter: run_readme.py FILE..."""
import re
import subprocess
import sys
from pathlib import Path


def main(*files) -> int:
    for file in files:
        examples = re.findall(r"^```python\n(.*?)^```", Path(file).read_text(), re.MULTILINE | re.DOTALL)
        if not examples:
            print(f"{file} has no Python example")
            return 1
        for code in examples:
            run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            print(run.stdout, end="")
            if run.returncode:
                print(f"{file}: this does not run:\n{code}\n{run.stderr}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
