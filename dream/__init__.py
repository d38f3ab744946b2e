"""The batch dream: new events become memories.

answer: what the model said, read without trust.
api: Claude through the anthropic SDK: one request, and every way it can fail as one clear line.
apply: everything one answer changes, in one transaction: notes, versions, evidence, the dream
    itself, the watermark.
backend: which way a request goes to Claude: through the API's SDK, or through the `claude`
    program.
batch: message Batches: submitted now at half the price, applied by a later dream when the answers
    are there.
budget: what a dream may spend and has spent: calls, tokens, time, and an estimate of the cost.
check: what code can know about a change before anything is written: a bad one is dropped with a
    reason, the others stay.
chunk: what one request offers, as records: the unit, its sessions, and the events that a change
    may cite.
claude_cli: Claude through the `claude` program, for who has a subscription and no key.
collect: what is new for one person in one repository, cut to what one request can hold.
consolidate: the question to Claude, whichever way it goes: at most one repair, and never more
    than may be spent.
context_notes: which existing notes the model reads: the likely ones in full, the rest as a
    catalogue, both bounded.
decide: from an answer to what will be stored: good changes, dropped ones with their reason, every
    session accounted for.
dream: the program that a timer, a person or `dreamhook dream` runs.
errors: how asking can fail; each message is one line for a person.
evidence: from the refs a model cites to the evidence a note carries.
files: requests to a folder, answers from a folder: for review, for machines without a network,
    for evaluation.
history: `dream log|show|diff|undo`: what dreams did, and taking one back.
lease: one dream at a time: a lease in the store, kept alive while the dream works.
options: the options of `dreamhook dream`, and its commands that only look or take back.
prepare: a request ready to be sent, and what must be remembered to apply its answer later: ids
    only, no text.
provenance: what code can know about whose words a note is made of: text that tells an agent what
    to do needs the user's.
report: what a dream tells the person: progress, what was written and why, what waits, what it
    cost.
request: the one request: fixed instructions first, so that they are cached; then the data,
    fenced; an answer by schema.
review: `dream review`: changes that a dream only proposed, for the person to make or to refuse.
rewrite_check: what a new text of a note would lose, and whether a change is better shown to the
    person first.
run: one dream from start to end: options, store, lease, every repository with something new, and
    what came of it.
session_filter: which sessions a dream is about: not those still at work, and only those a person
    asked for.
transcript: one event as text for the model: what matters in full, what is long by its head and
    tail, the rest not at all.
unit: one person's new events in one repository: chunk by chunk, each collected, asked about,
    checked and stored.
"""
