"""The library: folders whose documents are kept ready for questions."""
