# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests find, and how they tell it.

A test returns its problems, lines of text, or appends them to a list that is its
first argument. No problem, and it has passed.
"""


def expect(problems, what, expected, got):
    if expected != got:
        problems.append(f"{what}: expected {expected}, got {got}")


def expect_in(problems, what, low, high, got):
    if not low <= got <= high:
        problems.append(f"{what}: expected {low} to {high}, got {got}")


def run(tests):
    """Run (name, function that returns problems, argument...) tests.

    Return the exit code of the program.
    """
    failed = 0
    print(f"KTAP version 1\n1..{len(tests)}", flush=True)
    for number, (name, test, *arguments) in enumerate(tests, 1):
        problems = test(*arguments)
        failed += bool(problems)
        print("not ok" if problems else "ok", number, name, flush=True)
        for problem in problems:
            print("# |", problem[:300])
    return 1 if failed else 0


def gather(test, *arguments):
    """The problems that a test appends to its first argument."""
    problems = []
    test(problems, *arguments)
    return problems


def tell(tests):
    """Run (name, function that appends problems, argument...) tests."""
    return run([(name, gather, *rest) for name, *rest in tests])


def tell_documented(tests):
    """Run functions that append problems; their first line names them."""
    return tell([(test.__doc__.splitlines()[0].rstrip("."), test)
                 for test in tests])
