"""Model packs: one file with a whole model, for networks without a hub."""
