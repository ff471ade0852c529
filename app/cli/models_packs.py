"""`snug models export`, `key` and `default`."""

import argparse
import getpass
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from app.cli.models_service import home_of
from app.cli.output import Output
from app.errors import SigningKeyLocked
from app.messages import describe_code, readable_bytes
from app.models.installed import InstalledModels, TaskName
from app.models.pack import exporting, reading, signing
from app.models.pack.trust import Trust, TrustedKey, TrustedKeys
from app.models.room import write_failed
from app.models.task import Task
from app.paths import Paths
from app.settings import Settings

Run = Callable[[argparse.Namespace, Paths, Output], int]


def register(action: Callable[[str, Run, str], argparse.ArgumentParser]) -> None:
    """Add the verbs below `snug models`."""
    pack = action("export", export, "write a model into one file, for a network without a hub")
    pack.add_argument("id", metavar="ID")
    pack.add_argument("file", type=Path, metavar="FILE")
    pack.add_argument(
        "--sign", type=Path, metavar="KEY", help="a private key; see `snug models key new`"
    )
    default = action("default", set_default, "which model a task uses when nobody names one")
    default.add_argument("task", nargs="?", choices=get_args(TaskName))
    default.add_argument("id", nargs="?", metavar="ID", help="the model to use from now on")
    default.add_argument(
        "--clear", action="store_true", help="forget what was set, and use the best one"
    )
    _register_keys(action("key", list_keys, "keys that sign model packs"))


def _register_keys(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="key_action", metavar="KEY_ACTION", required=True)

    def verb(name: str, run: Run, about: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = verbs.add_parser(name, help=about, description=about)
        added.add_argument(
            "--json",
            action="store_true",
            default=argparse.SUPPRESS,
            help="print one JSON object",
        )
        added.set_defaults(run=run)
        return added

    new = verb("new", new_key, "make a private key that signs packs; asks for a passphrase")
    new.add_argument("file", type=Path, metavar="FILE")
    show = verb("show", show_key, "print the public key and the fingerprint of a key file")
    show.add_argument("file", type=Path, metavar="FILE")
    trust = verb("trust", trust_key, "trust packs that are signed with a key")
    trust.add_argument(
        "key", metavar="FILE|TEXT", help="a public key, ed25519:…, or a file that holds it"
    )
    trust.add_argument("--name", default="", help="whose key it is")
    verb("list", list_keys, "the keys that are trusted")
    forget = verb("forget", forget_key, "trust a key no longer")
    forget.add_argument("key", metavar="KEY", help="its text, its fingerprint or its name")


def export(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Write a pack; what was there stays until it is whole."""

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "joining":
            output.status(f"Writing: {readable_bytes(done)} of {readable_bytes(total)}")

    model = home_of(options.id, places).get(options.id)
    passphrase = _passphrase_of(options.sign) if options.sign else ""
    try:
        exporting.export(
            model,
            options.file,
            sign_with=options.sign,
            passphrase=passphrase,
            task=Task(progress),
        )
        size_bytes = options.file.stat().st_size
    except OSError as error:
        raise write_failed(error) from error
    finally:
        output.clear_status()
    signer = signing.load(options.sign, passphrase).public if options.sign else ""
    if output.as_json:
        body = {"id": model.id, "file": str(options.file), "bytes": size_bytes}
        output.result(body | {"signer": signer or None})
    elif signer:
        fingerprint = signing.fingerprint(signer)
        output.line(f"{options.file} ({readable_bytes(size_bytes)}), signed with {fingerprint}")
    else:
        output.line(f"{options.file} ({readable_bytes(size_bytes)}), not signed")
    return 0


def tell_signer(source: object, places: Paths, output: Output) -> None:
    """Say who vouches for a pack that is about to be added; other sources have no signer.

    Raises:
        PackDamaged: It begins like a pack and is none.
        PolicyUnreadable: This machine's policy cannot be understood.
    """
    match source:
        case [Path() as file] if reading.is_pack(file):
            pass
        case _:
            return
    signer = reading.open_pack(file).signer
    notice = describe_code(*Trust.load(places).notice(signer))
    output.note(f"{notice.message} {notice.action}")


def new_key(options: argparse.Namespace, _places: Paths, output: Output) -> int:
    """Make a private key; a passphrase is asked for at a terminal, and may be empty."""
    try:
        public = signing.new_key(options.file, _new_passphrase())
    except OSError as error:
        raise write_failed(error) from error
    return _show(public, output)


def show_key(options: argparse.Namespace, _places: Paths, output: Output) -> int:
    """Print the public part of a key file."""
    return _show(_public_in(options.file), output)


def trust_key(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Keep a public key."""
    key = signing.parse_public(options.key) or _public_in(Path(options.key))
    try:
        trusted = TrustedKeys(places.pack_keys).trust(key, options.name)
    except OSError as error:
        raise write_failed(error) from error
    if output.as_json:
        output.result(_as_json(trusted))
    else:
        output.line(f"Trusted: {trusted.fingerprint}  {trusted.name}".rstrip())
    return 0


def list_keys(_options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Print the trusted keys."""
    keys = TrustedKeys(places.pack_keys).all()
    if output.as_json:
        output.result({"keys": [_as_json(key) for key in keys]})
        return 0
    if not keys:
        output.note("No key is trusted. Trust one with: snug models key trust FILE")
    for key in keys:
        output.line(f"{key.fingerprint}  {key.name}".rstrip())
    return 0


def forget_key(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Trust a key no longer."""
    try:
        forgotten = TrustedKeys(places.pack_keys).forget(options.key)
    except OSError as error:
        raise write_failed(error) from error
    if output.as_json:
        output.result(_as_json(forgotten))
    else:
        output.line(f"Forgotten: {forgotten.fingerprint}  {forgotten.name}".rstrip())
    return 0


def set_default(options: argparse.Namespace, places: Paths, output: Output) -> int:
    """Print which model each task uses, or set one."""
    installed, settings = InstalledModels(places.models), Settings.load(places.settings)
    asked: tuple[TaskName, ...] = (options.task,) if options.task else get_args(TaskName)
    if options.id or options.clear:
        chosen = "" if options.clear else installed.get(options.id).id
        for task in asked:
            settings = _with_default(settings, task, chosen)
        settings.save(places.settings)
    used = {task: installed.default(settings, task) for task in asked}
    if output.as_json:
        output.result({task: model.id if model else None for task, model in used.items()})
        return 0
    for task, model in used.items():
        output.line(f"{task:<10}{model.id if model else '(no model)'}")
    return 0


def _with_default(settings: Settings, task: TaskName, model_id: str) -> Settings:
    """Return settings with a task's model; the one to chat with has a setting of its own."""
    others = {name: other for name, other in settings.task_models.items() if name != task}
    if task == "chat":
        return replace(settings, model_id=model_id, task_models=others)
    return replace(settings, task_models=others | ({task: model_id} if model_id else {}))


def _show(public: str, output: Output) -> int:
    fingerprint = signing.fingerprint(public)
    if output.as_json:
        output.result({"key": public, "fingerprint": fingerprint})
    else:
        output.line(f"Public key:  {public}")
        output.line(f"Fingerprint: {fingerprint}")
    return 0


def _public_in(file: Path) -> str:
    if signing.is_private(file):
        return signing.load(file, _passphrase_of(file)).public
    return signing.read_public(file)


def _new_passphrase() -> str:
    if not sys.stdin.isatty():
        return ""
    passphrase = getpass.getpass("Passphrase for the new key (empty for none): ")
    if passphrase and getpass.getpass("Once more: ") != passphrase:
        raise SigningKeyLocked(file="this entry", wrong=1)
    return passphrase


def _passphrase_of(file: Path) -> str:
    """Ask for the passphrase of a key that has one, where there is a person to ask."""
    if not signing.is_locked(file) or not sys.stdin.isatty():
        return ""
    return getpass.getpass(f"Passphrase of {file.name}: ")


def _as_json(key: TrustedKey) -> dict[str, Any]:
    return {"key": key.key, "fingerprint": key.fingerprint, "name": key.name}
