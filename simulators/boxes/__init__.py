"""What games have in common that are dealt to boxes: acts, misdeals, the gate that each act passes, the log."""
