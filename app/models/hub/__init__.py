"""Models from a hub: listed, chosen and fetched by a process that may reach the hosts named for it."""
