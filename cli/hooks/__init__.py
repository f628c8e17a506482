"""The hooks: their edge, the roles of a call, and what each role reads and says."""
