"""The native runtimes behind one protocol; nothing outside imports onnxruntime_genai."""
