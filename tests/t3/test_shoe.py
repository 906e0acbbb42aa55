DEVICES: list[str] = []
