"""How models, their speed, their quality and their downloads are said in words."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject

from app.messages import readable_bytes
from app.models import licences
from ui.chat.wording import decimal, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.models.add_job import AddView
    from app.models.fit import Fit
    from app.models.hub.values import Variant
    from app.models.hub_catalog import Quality

_MINUTE_S = 60
_HOUR_S = 3600
_FAST_TOKENS_PER_S = 20.0
_STEADY_TOKENS_PER_S = 8.0
_SLOW_TOKENS_PER_S = 3.0
_LANGUAGES_SHOWN = 3
_BILLION = 1e9


class ModelWords(QObject):
    """Sentences about models, in the window's language."""

    def quality(self, parameters: int) -> str:
        """Say what can be expected of a model of this size."""
        steps = (
            (0.7, self.tr("Simple answers")),
            (2.0, self.tr("Fair answers")),
            (5.0, self.tr("Good answers")),
            (10.0, self.tr("Very good answers")),
        )
        billions = parameters / _BILLION
        return next((text for most, text in steps if billions < most), self.tr("Best answers"))

    def named_quality(self, quality: "Quality") -> str:
        """Say what the catalog says of a model's answers."""
        texts = {
            "simple": self.tr("Simple answers"),
            "good": self.tr("Good answers"),
            "very good": self.tr("Very good answers"),
        }
        return texts[quality]

    def parameters(self, parameters: int) -> str:
        """Say how large a model is, as its makers do."""
        if parameters >= _BILLION:
            return self.tr("{} billion weights").format(decimal(parameters / _BILLION))
        return self.tr("{} million weights").format(number(round(parameters / 1e6)))

    def speed(self, fit: "Fit") -> str:
        """Say how fast it will write here; empty where that is not known."""
        tokens_per_s = fit.tokens_per_s
        if not tokens_per_s:
            return ""
        text = self.tr("very slow here (about {} tokens/s)")
        if tokens_per_s >= _FAST_TOKENS_PER_S:
            text = self.tr("fast here (about {} tokens/s)")
        elif tokens_per_s >= _STEADY_TOKENS_PER_S:
            text = self.tr("steady here (about {} tokens/s)")
        elif tokens_per_s >= _SLOW_TOKENS_PER_S:
            text = self.tr("slow here (about {} tokens/s)")
        return text.format(number(max(1, round(tokens_per_s))))

    def fit(self, fit: "Fit") -> str:
        """Say how well a model runs on this computer."""
        if fit.verdict == "fits":
            return self.tr("Runs well on this computer")
        if fit.limit == "disk":
            short = self.tr("Too little room on the disk: {needed} needed, {free} free")
            needed_bytes, free_bytes = fit.disk_needed_bytes, fit.machine.disk_free_bytes
        elif fit.verdict == "tight":
            short = self.tr("Runs when other programs are closed: {needed} needed, {free} free")
            needed_bytes, free_bytes = fit.memory_needed_bytes, fit.machine.memory_free_bytes
        else:
            short = self.tr("Too large for this computer: {needed} of memory needed of {free}")
            needed_bytes, free_bytes = fit.memory_needed_bytes, fit.machine.memory_total_bytes
        return short.format(needed=readable_bytes(needed_bytes), free=readable_bytes(free_bytes))

    def languages(self, codes: "Sequence[str]") -> str:
        """Name the first languages, and say how many more there are."""
        names = [QLocale.languageToString(QLocale(code).language()) for code in codes]
        said = ", ".join(names[:_LANGUAGES_SHOWN])
        more = len(names) - _LANGUAGES_SHOWN
        return self.tr("{} and {} more").format(said, number(more)) if more > 0 else said

    def all_languages(self, codes: "Sequence[str]") -> str:
        """Name every language."""
        return ", ".join(QLocale.languageToString(QLocale(code).language()) for code in codes)

    def licence(self, name: str) -> str:
        """Return the name of a licence, where it is a well-known one; else what the source says."""
        known = licences.licence(name)
        return known.name if known else name

    def context(self, tokens: int) -> str:
        """Say how much text a model can keep in view."""
        return self.tr("{} tokens of context").format(number(tokens)) if tokens else ""

    def step(self, view: "AddView") -> str:
        """Say what is done for a model that is being added, and how far that is."""
        texts = {
            "space": self.tr("Checking the space…"),
            "listing": self.tr("Asking the hub…"),
            "fetching": self.tr("Fetching"),
            "joining": self.tr("Putting it together"),
            "checking": self.tr("Checking every byte"),
            "converting": self.tr("Preparing it for this computer"),
            "paused": self.tr("Paused"),
            "cancelled": self.tr("Cancelled"),
            "done": self.tr("Ready"),
        }
        text = texts.get(view.stage, "")
        if view.total_bytes <= 0:
            return text
        parts = [
            self.tr("{step}: {done} of {total}").format(
                step=text,
                done=readable_bytes(view.done_bytes),
                total=readable_bytes(view.total_bytes),
            )
        ]
        if view.stage == "fetching" and view.bytes_per_s > 0:
            parts.append(self.tr("{}/s").format(readable_bytes(round(view.bytes_per_s))))
        if view.stage == "fetching" and view.seconds_left is not None:
            parts.append(self.tr("about {} left").format(self.duration(view.seconds_left)))
        return " · ".join(parts)

    def duration(self, seconds: float) -> str:
        """Say how long something takes, roughly."""
        if seconds < _MINUTE_S:
            return self.tr("{} s").format(number(max(1, round(seconds))))
        if seconds < _HOUR_S:
            return self.tr("{} min").format(number(round(seconds / _MINUTE_S)))
        hours, minutes = divmod(round(seconds / _MINUTE_S), _MINUTE_S)
        return self.tr("{} h {} min").format(number(hours), number(minutes))

    def device(self, variant: "Variant") -> str:
        """Say what a variant is made for."""
        names = {
            "cpu": self.tr("For the processor (CPU)"),
            "gpu": self.tr("For the graphics card (GPU)"),
            "npu": self.tr("For the AI chip (NPU)"),
        }
        if variant.kind == "gguf":
            return self.tr("GGUF file, prepared for this computer after the download")
        return names.get(variant.device, self.tr("Made for no device in particular"))

    def came_from(self, origin: str, is_catalog: bool) -> str:
        """Say where an installed model came from; `origin` as in its manifest."""
        if is_catalog:
            return self.tr("Snug's own list")
        kind, _, name = origin.partition(":")
        texts = {
            "hub": self.tr("The hub: {}"),
            "pack": self.tr("A model pack: {}"),
            "file": self.tr("The file {}"),
            "folder": self.tr("The folder {}"),
        }
        return texts.get(kind, self.tr("A file or folder on this computer")).format(name)
