"""Links from items of recordings without ids to released items, and joins by id or by link."""
