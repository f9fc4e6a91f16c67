"""A campaign against files: kills, full disks, races and rubbish. See docs/storage.md."""
