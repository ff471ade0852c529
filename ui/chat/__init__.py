"""The page on which a person talks to the model."""
