"""Writes an installed model into one file; a model that is damaged gives none."""

import os
from contextlib import suppress
from io import FileIO
from pathlib import Path

from app.atomic import sync_folder
from app.models import licences, naming, onnx_folder
from app.models.installed import InstalledModel
from app.models.pack import layout, signing
from app.models.pack.copying import Copier
from app.models.pack.layout import Pack, PackedFile
from app.models.room import check_room
from app.models.task import Task
from inference import manifest
from inference.errors import ModelDamaged, ModelMissing


def export(
    model: InstalledModel,
    file: Path,
    *,
    sign_with: Path | None = None,
    passphrase: str = "",
    task: Task,
) -> None:
    """Write the pack `file`, in whole or not at all; one of its name gives way.

    Args:
        model: Also where it is in use.
        file: Where the pack goes.
        sign_with: The file of a private key; None leaves the pack unsigned.
        passphrase: Of the private key.
        task: Reports the stage `joining`.

    Raises:
        ModelMissing: A file of the model is gone.
        ModelDamaged: A file of the model is not what it was when the model was added.
        ModelUnsupported: It holds or names what could not be added again.
        SigningKeyError: The key cannot be used.
        NoSpace: There is too little room where the pack goes.
        Cancelled: The task was stopped.
        OSError: The pack cannot be written.
    """
    pack = _header(model)
    header = layout.encode(pack)
    signature = b""
    if sign_with is not None:
        signature = signing.load(sign_with, passphrase).sign(header)
    start = layout.encode_prologue(header, signature) + header + signature
    task.report("space", 0, 0)
    check_room(file.parent, len(start) + pack.total_bytes)
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    try:
        with FileIO(partial, "wb") as target:
            target.write(start)
            _write_files(pack, model, target, task)
            os.fsync(target.fileno())
        partial.replace(file)
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()
    sync_folder(file.parent)


def _header(model: InstalledModel) -> Pack:
    onnx_folder.check(model.folder)
    facts = manifest.read(model.folder)
    pack = Pack(
        id=naming.id_from(model.id),
        name=_line(facts.name),
        files=tuple(
            PackedFile(name, digest.bytes, digest.sha256)
            for name, digest in sorted(facts.files.items())
            if not layout.is_snugs_own(name)
        ),
        licence=_line(model.licence),
        licence_text=_licence_text(model),
        architecture=_line(facts.architecture),
        parameters=facts.parameters,
        quantization=_line(facts.quantization),
        context_tokens=facts.context_tokens,
        source_sha256=facts.source_sha256,
        origin=_line(facts.origin),
    )
    layout.check_names(pack, file=model.id)
    return pack


def _licence_text(model: InstalledModel) -> str:
    """Return the text that Snug carries, unless a file of the model has it already."""
    if licences.own_text(model.folder):
        return ""
    return licences.licence_text(model.licence) or ""


def _line(text: str) -> str:
    """Return what a source said of itself as one line that can be shown."""
    return "".join(char for char in text if char.isprintable())[: layout.MAX_TEXT_CHARACTERS]


def _write_files(pack: Pack, model: InstalledModel, target: FileIO, task: Task) -> None:
    def tell(done_bytes: int) -> None:
        task.check()
        task.report("joining", done_bytes, pack.total_bytes)

    with Copier(tell) as copier:
        for packed in pack.files:
            try:
                source = FileIO(model.folder / packed.name, "rb")
            except FileNotFoundError as error:
                raise ModelMissing(model=model.id) from error
            with source:
                if os.fstat(source.fileno()).st_size != packed.bytes:
                    raise ModelDamaged(file=packed.name, reason="wrong size")
                if copier.copy(source, target, packed.bytes) != packed.sha256:
                    raise ModelDamaged(
                        file=packed.name, reason="its SHA-256 is not the one in the manifest"
                    )
    task.report("joining", pack.total_bytes, pack.total_bytes)
