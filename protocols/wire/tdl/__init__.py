"""TDL/1, the link of the reference shoe and the reference reader: frames, messages, the host's side of a session."""
