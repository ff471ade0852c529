"""Silences the native runtimes: import this before any module that loads one.

Both onnxruntime and onnxruntime-genai carry an uploader that is on by default and that no function
of theirs turns off once they are imported: the import alone writes a device id to the disk. Only
this variable, set before, stops files and calls.
"""

import os

ENVIRONMENT = {"ORT_DISABLE_TELEMETRY": "1"}

os.environ.update(ENVIRONMENT)
