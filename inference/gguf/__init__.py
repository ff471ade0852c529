"""GGUF files become model folders for ONNX Runtime GenAI, without quantising anything again."""
