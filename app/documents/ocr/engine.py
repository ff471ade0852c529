"""Text recognition by RapidOCR with the models inside its wheel: the one importer of it.

The models are named by path, so that its own look for them, which ends in a download, never
happens; what it would download with is not even loaded. The classifier of upside-down lines stays
off, because it turns good lines over. Imported in the recognizing process only.
"""

import math
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import inference.quiet  # noqa: F401 - before the runtime is loaded

# isort: split
import cv2
import numpy as np
from numpy.typing import NDArray

from app.documents.ocr.pieces import Piece

Picture = NDArray[np.uint8]
"""Pixels of RGB: uint8[height, width, 3]."""

_DETECTOR, _RECOGNIZER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
# Finding lines costs by area, reading them does not: lines are found in a smaller picture.
FINDING_SIDE_PX = 1280
_READING_SIDE_PX = 3600
# Batches are filled up to their longest line; one by one they take a third less time.
_LINES_AT_ONCE = 1


class EngineMissing(Exception):
    """The library or one of its models is not in this build."""


class Engine:
    """Recognizes text in pictures; one thread. Takes 0.4 GB, and with a large picture 0.9 GB."""

    def __init__(self, threads: int) -> None:
        """Load the models.

        Raises:
            EngineMissing: This build has none.
        """
        folder = _models()
        _leave_out_downloads()
        try:
            from rapidocr import RapidOCR  # noqa: PLC0415 - after what it would load is replaced
        except ImportError as error:
            raise EngineMissing from error
        self._reader: Any = RapidOCR(
            params={
                "Global.use_cls": False,
                "Global.log_level": "critical",
                "Global.text_score": 0.0,
                "Global.max_side_len": _READING_SIDE_PX,
                "Det.model_path": str(folder / _DETECTOR),
                "Det.limit_type": "max",
                "Det.limit_side_len": FINDING_SIDE_PX,
                "Rec.model_path": str(folder / _RECOGNIZER),
                "Rec.rec_batch_num": _LINES_AT_ONCE,
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )
        # The first text that is read loads the models and whatever else is loaded on the way.
        if not self.read(_sample()):
            raise EngineMissing

    def read(self, picture: Picture, finding_side_px: int = FINDING_SIDE_PX) -> list[Piece]:
        """Return the pieces of text in `picture`, in no order that means anything.

        Lines are looked for in a copy whose longer side is at most `finding_side_px`.
        """
        if self._reader.text_det is not None:
            self._reader.text_det.limit_side_len = finding_side_px
        found = self._reader(np.ascontiguousarray(picture[:, :, ::-1]))
        texts, scores, boxes = found.txts, found.scores, found.boxes
        if texts is None or scores is None or boxes is None:
            return []
        return [
            Piece(_corners(box), text, float(score))
            for box, text, score in zip(boxes, texts, scores, strict=True)
            if text.strip() and not math.isnan(score)
        ]


def _models() -> Path:
    spec = find_spec("rapidocr")
    if spec is None or spec.origin is None:
        raise EngineMissing
    folder = Path(spec.origin).parent / "models"
    if not all((folder / name).is_file() for name in (_DETECTOR, _RECOGNIZER)):
        raise EngineMissing
    return folder


def _leave_out_downloads() -> None:
    """Put an empty module in the place of the library that RapidOCR fetches models with."""
    if "requests" not in sys.modules:
        empty = ModuleType("requests")
        empty.Response = empty.RequestException = OSError  # type: ignore[attr-defined]
        sys.modules["requests"] = empty


def _sample() -> Picture:
    """Return a picture with a few words in it."""
    picture = np.full((96, 480, 3), 255, np.uint8)
    cv2.putText(picture, "A few words", (30, 62), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3)
    return picture


def _corners(box: NDArray[np.float32]) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in box)
