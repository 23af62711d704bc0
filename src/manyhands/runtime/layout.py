"""Where things lie in a campaign's folder."""

JOURNAL = "journal.sqlite"
BRIEF = "brief.json"
STORE = "objects"  # the results that count, and those on their way
KEPT = "kept"  # objects that nothing needs any more, where they were asked to be kept
PILOTS = "pilots"  # what is theirs
FORMS = "forms.json"  # what the first result of all looked like
FAILURES = "failures.jsonl"  # what went wrong in the application
