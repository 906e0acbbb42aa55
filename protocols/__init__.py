"""What is said at a table and how: pure code, without I/O, clock, asyncio or logging."""
