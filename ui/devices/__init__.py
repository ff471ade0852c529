"""The devices of this computer: what they are, what they can do, and which one shall be used."""
