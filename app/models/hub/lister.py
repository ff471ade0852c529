"""Asks a hub what a repository holds: one request, its answer checked before anybody acts on it.

The hub's own library makes the request, because it knows the hub's answers. What else it would do
by itself, telemetry and tokens it finds on the disk, is switched off before it is imported, since
it reads its switches once.
"""

import os
import re
import time
from typing import TYPE_CHECKING

import httpx2

from app.errors import AppError, HubAnswerWrong, HubBusy, HubUnreachable, RepositoryUnknown
from app.models.hub import paths
from app.models.hub.frames import LookUp
from app.models.hub.transport import BUSY, Transport, reason_of, refusal, retry_after_s
from app.models.hub.values import RemoteFile, RemoteModel

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo, RepoSibling

# https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
SWITCHES = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_OFFLINE": "0",
    "HF_HUB_VERBOSITY": "critical",
}

_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_UNUSABLE = (ValueError, TypeError, KeyError, AttributeError)
_LICENCE_TAG = "license:"


def look_up(request: LookUp, transport: Transport) -> RemoteModel:
    """Return what the repository holds; blocks.

    Raises:
        DownloadError: The hub cannot be reached, refuses, or its answer cannot be used.
    """
    if not _NAME.fullmatch(request.repository):
        raise RepositoryUnknown(repository=request.repository, host=transport.host)
    os.environ.update(SWITCHES)
    from huggingface_hub import set_client_factory  # noqa: PLC0415 - after its switches
    from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415

    set_client_factory(transport.blocking_client)
    patience = request.way.patience
    failures = 0
    while True:
        asked_s = None
        failure: AppError
        try:
            return _model(_ask(request), request.repository, transport.host)
        except HfHubHTTPError as error:
            if error.response.status_code not in BUSY:
                raise refusal(
                    error.response, request.way, request.repository, request.revision
                ) from error
            failure, asked_s = HubBusy(host=transport.host), retry_after_s(error.response)
        except httpx2.TransportError as error:
            if reason := reason_of(error, transport.host):
                raise reason from error
            failure = HubUnreachable(host=transport.host)
        # The library takes what comes on trust.
        except (httpx2.TooManyRedirects, *_UNUSABLE) as error:
            raise HubAnswerWrong(host=transport.host) from error
        failures += 1
        if failures >= patience.tries:
            raise failure
        time.sleep(patience.wait_s(failures, asked_s))


def _ask(request: LookUp) -> "ModelInfo":
    from huggingface_hub import HfApi  # noqa: PLC0415 - as above

    api = HfApi(
        endpoint=request.way.endpoint,
        # False, because None looks for a token on the disk.
        token=request.way.token or False,
        library_name="snug",
    )
    return api.model_info(
        request.repository,
        revision=request.revision,
        files_metadata=True,
        timeout=request.way.patience.silence_s,
    )


def _model(info: "ModelInfo", repository: str, host: str) -> RemoteModel:
    """Return what matters of the answer, checked; `_UNUSABLE` where it is nothing of the kind."""
    commit = str(info.sha)
    files = tuple(_file(sibling) for sibling in info.siblings or ())
    if not _COMMIT.fullmatch(commit):
        raise HubAnswerWrong(host=host)
    paths.check(file.path for file in files)
    return RemoteModel(repository, commit, _licence(info), bool(info.gated), files)


def _file(sibling: "RepoSibling") -> RemoteFile:
    """Return one file.

    Raises:
        ValueError: Its size or digest is missing or no such thing.
    """
    is_sha256 = sibling.lfs is not None
    digest = sibling.lfs.sha256 if sibling.lfs is not None else sibling.blob_id
    size_bytes: object = sibling.size
    pattern = _SHA256 if is_sha256 else _COMMIT
    if not isinstance(size_bytes, int) or size_bytes < 0 or not pattern.fullmatch(str(digest)):
        raise ValueError("a file without size or digest")
    return RemoteFile(str(sibling.rfilename), size_bytes, str(digest), is_sha256)


def _licence(info: "ModelInfo") -> str:
    for tag in map(str, info.tags or ()):
        if tag.startswith(_LICENCE_TAG):
            return tag.removeprefix(_LICENCE_TAG)
    return ""
