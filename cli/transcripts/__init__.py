"""A session's transcript for readers: on a terminal, as Markdown, as a page, as JSON."""
