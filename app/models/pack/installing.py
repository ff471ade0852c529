"""Makes a model folder of a pack: everything is checked, and until then nothing has its place."""

import os
import shutil
from contextlib import ExitStack
from io import FileIO
from pathlib import Path

from app.atomic import sync_folder
from app.errors import PackDamaged
from app.models import naming, onnx_folder
from app.models.installed import InstalledModels
from app.models.pack import layout, reading
from app.models.pack.copying import Copier
from app.models.pack.reading import OpenPack, PackFacts
from app.models.pack.trust import Trust
from app.models.room import check_room
from app.models.task import Task
from inference import digests, manifest
from inference.digests import FileDigest


def install(file: Path, workspace_folder: Path, *, trust: Trust, task: Task) -> PackFacts:
    """Fill the new folder `workspace_folder`, manifest included; on any error it is gone again.

    The hash of the model's original file, by which the catalog's models are known, is taken over
    from signers that are trusted alone: anybody can write it into a pack.

    Args:
        file: A pack.
        workspace_folder: Is not there yet; its name becomes the model's id.
        trust: What is known of signers.
        task: Reports the stages `space`, `joining` and `checking`.

    Raises:
        PolicyError: The machine's policy does not allow this pack.
        PackDamaged: It is no pack, or not what it says.
        PackTooNew: Its layout is of a later version.
        ModelUnsupported: It holds or names what Snug does not run.
        ModelMissing: Files that a model needs are not in it.
        ModelDamaged: A file of it cannot be what its name says.
        NoSpace: There is too little room for it.
        Cancelled: The task was stopped.
        OSError: It cannot be read, or the folder not be written.
    """
    with reading.opened(file) as pack, ExitStack() as undo:
        trust.policy.check_signer(pack.signer, pack=file.name)
        task.report("space", 0, 0)
        check_room(workspace_folder, pack.header.total_bytes)
        workspace_folder.mkdir(parents=True)
        undo.callback(shutil.rmtree, workspace_folder, ignore_errors=True)
        found = _copy(pack, workspace_folder, file.name, task)
        task.report("checking", 0, 0)
        _add_licence(pack, workspace_folder)
        onnx_folder.check(workspace_folder)
        facts = _manifest_facts(pack, is_trusted=trust.vouches_for(pack.signer))
        manifest.write(workspace_folder, facts=facts, files=found)
        sync_folder(workspace_folder)
        task.check()
        undo.pop_all()
        return pack.facts()


def free_id(facts: PackFacts, installed: InstalledModels, trust: Trust) -> str:
    """Return what to call a pack's model here: as it was called, or with a number.

    The ids of the catalog's models are for signers that are trusted.
    """
    present = {model.id for model in installed.all()} | installed.set_aside_ids()
    if trust.vouches_for(facts.signer) and facts.id not in present:
        return facts.id
    return naming.unique(facts.id, installed.taken_ids())


def present_id(facts: PackFacts, installed: InstalledModels) -> str | None:
    """Return the id of an installed model with the very files of a pack."""
    packed = {file.name: file.sha256 for file in facts.files}
    for model in installed.all():
        files = manifest.read(model.folder).files
        own = {name: digest.sha256 for name, digest in files.items() if name in packed}
        if own == packed and files.keys() - packed.keys() <= {layout.LICENCE_FILE}:
            return model.id
    return None


def _copy(pack: OpenPack, folder: Path, name: str, task: Task) -> dict[str, FileDigest]:
    total = pack.header.total_bytes

    def tell(done_bytes: int) -> None:
        task.check()
        task.report("joining", done_bytes, total)

    found: dict[str, FileDigest] = {}
    with Copier(tell) as copier:
        for packed in pack.header.files:
            with FileIO(folder / packed.name, "xb") as target:
                sha256 = copier.copy(pack.stream, target, packed.bytes)
                os.fsync(target.fileno())
            if sha256 is None:
                raise PackDamaged(file=name, reason="it is cut short, or too long")
            if sha256 != packed.sha256:
                raise PackDamaged(file=name, reason=f"{packed.name} is damaged")
            found[packed.name] = FileDigest(sha256, packed.bytes)
    task.report("joining", total, total)
    return found


def _add_licence(pack: OpenPack, folder: Path) -> None:
    """Put the licence's text beside the model, unless the model brings a file of that name."""
    present = {packed.name.casefold() for packed in pack.header.files}
    if pack.header.licence_text and layout.LICENCE_FILE.casefold() not in present:
        digests.write_file(folder / layout.LICENCE_FILE, pack.header.licence_text.encode())


def _manifest_facts(pack: OpenPack, *, is_trusted: bool) -> dict[str, str | int]:
    header = pack.header
    return {
        "name": header.name or header.id,
        "architecture": header.architecture,
        "parameters": header.parameters,
        "quantization": header.quantization,
        "context_tokens": header.context_tokens,
        "source_sha256": header.source_sha256 if is_trusted else "",
        "licence": header.licence,
        "origin": header.origin,
    }
