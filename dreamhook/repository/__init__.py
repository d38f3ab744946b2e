"""Which repository a folder is, and what the person consented to there.

checkouts: which repository a checkout may count as: the person's own list of (place, claim) →
    repository.
exclusion: what the person wants no record of: paths in config.toml, blocked and paused checkouts.
git_config: git's config files, as far as a repository's address needs them.
git_root: the first commit of a repository, from git's files and without git: what a repository
    without a remote is known by.
identity: which repository a folder belongs to, found by reading git's own files: no process is
    started.
pause: pause and resume, and what is switched off now: one description for every command that
    tells a person.
"""
