"""The commands of memory: learnings, the past of a file or an error, skills."""
