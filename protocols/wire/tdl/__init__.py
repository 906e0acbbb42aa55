"""TDL/1, the link of the reference shoe and the reference reader: frames, messages, and the host's side of a session."""
