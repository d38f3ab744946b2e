"""From the store back into a session: blocks of memory, or nothing.

blocks: the blocks of memory that go into a session: at its start, with a prompt, after a resume.
closeness: how close notes are to a prompt in meaning, from an embedding model; the vectors of
    notes are kept between runs.
context: what a conversation is told at one moment: the block, from the store, and what to note of
    it.
embedding: the optional embedding model: what a text means as a vector, computed on this machine
    (extra `semantic`).
events: searches the raw record: what was said and done, before any dream made something of it.
excerpt: the part of a long note that a prompt is about.
fork: which conversation a forked one continues: its text is in the fork, so what was given there
    counts as given here.
handoff: what the last sessions here left, from whatever harness, before any dream: made from
    their events by rule.
idf: how rare a term is among the notes that may be seen: a word in every tenth note decides
    nothing.
injected: what each conversation has been given, so that nothing is given twice: kept here at
    once, in the store soon after.
note_terms: a memory as the terms it is judged by, so that both sides of the judgement go through
    the same cuts.
notes: a memory as recall shows it, read from a store that anybody may have edited.
query: a prompt as a Lucene query: the permitted scopes required, one telling word in any field
    suffices.
question: what a person says beside what they paste, and what an output complains of: a question
    by itself.
render: how one memory reads in a block: what it says, where it comes from and how long it holds,
    cleaned of all else.
sanitise: makes a memory's text safe to stand in a prompt: data that cannot pass itself off as the
    frame around it.
scopes: whose memories may be seen: a person's own, their workspace's, and this repository's.
score: how well a memory fits a prompt, judged by what it covers and not by a raw index score.
search: from a prompt to the memories that fit it, or to none: the index finds, the judgement
    decides.
sessions: finds earlier sessions on the same subject: what was said there, and how lately.
start_cache: keeps a folder's start block on disk for every harness: whoever starts there next
    needs no worker for it.
stem: one form for all forms of a word: Porter's algorithm for English, as Lucene's `english`
    analyzer has it.
tokenise: a text's telling terms: lower case, identifiers taken apart, stems, no words that tell
    nothing.
vectors: the vectors of notes, kept between runs in one file: a note's key to its parts' vectors,
    as bytes.
vocabulary: what is known of words before any store is asked: which tell nothing, which are short
    for others.
"""
