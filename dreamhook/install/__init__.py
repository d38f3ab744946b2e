"""Puts the hooks into each harness's settings, and takes them out again.

backups: changes one file of somebody else: seen first, kept first, written whole or not at all.
config_file: the first config.toml and README's list of settings, both from the table in
    `dreamhook/config.py`.
entries: which hook entries are ours, and what a harness's settings hold once they are in or out.
json_hooks: our entries in a harness's JSON settings file.
json_text: puts entries into a JSON text, and takes them out, without touching any other character
    of it.
manifest: what was installed here: installed.json in the configuration folder, the record that
    uninstalling reverses.
messages: what the installer tells a person: before, to decide; after, to find things and to
    switch off.
purge: removes everything that was recorded: the folders that hold data, settings and state.
schedule: has the dream run every few hours, by whichever timer this machine has; without one the
    worker sees to it.
selftest: proves an installation: a made-up session goes through the registered commands and is
    read back from Neo4j.
selftest_report: runs the self-test for each harness and shows what came back.
settings: registers the hooks in a harness's settings file and takes them out: what changes, and
    making it so.
setup: installs: what is to change, consent, store, hooks, timer, proof.
toml_hooks: our entries in a harness's TOML settings file, for those who keep their hooks there.
uninstall: takes out what was put in, item by item: entries, timer, running processes; with
    --purge what was recorded.
"""

from dreamhook.install.settings import installed

__all__ = ["installed"]
