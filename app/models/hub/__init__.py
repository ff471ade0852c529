"""Models from a hub: listed, chosen and fetched by a process that may reach its hosts."""
