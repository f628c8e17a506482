"""What configures the hosts: pure edits of settings files, the file edge with its backups, and what was added."""
