#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a runner of CI would execute, as a script for bash.

usage: ci_steps.py github|gitlab FILE

The actions of GitHub (uses:) need its service and are left out, and so is the job
that takes a night.
"""
import shlex
import sys

import yaml

GITHUB_PATH = '''while read -r dir; do PATH=$dir:$PATH; done < "$GITHUB_PATH"'''


def by_day(jobs):
    return (job for name, job in jobs.items() if name != "soak")


def github(doc):
    for job in by_day(doc["jobs"]):
        for step in job["steps"]:
            if "run" in step:
                yield f"echo {step['name']!r}"
                yield f"bash -eo pipefail -c {shlex.quote(step['run'])} || exit"
                yield GITHUB_PATH


def gitlab(doc):
    for job in by_day(doc):
        for key, value in job.get("variables", {}).items():
            yield f"export {key}={value}"
        for part in ("before_script", "script"):
            yield from (f"{line} || exit" for line in job[part])
        yield from job["after_script"]


def main():
    how, path = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        doc = yaml.safe_load(f)
    print("\n".join({"github": github, "gitlab": gitlab}[how](doc)))


main()
