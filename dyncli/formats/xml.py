"""Safe reading of XML from files nobody vouches for, and of the numbers in it.

Never a document type, an entity, a network access, a parser that guesses, or a walk by recursion: chains of more
than a thousand links nest as deep in MJCF. What real files get wrong and every robot library forgives is mended
before parsing again: an XML version 0.0, a declaration after a blank line, a namespace prefix nobody declared.
"""

from __future__ import annotations

import math
import os
import re
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from dyncli.errors import Finding, ModelError

if TYPE_CHECKING:
    from lxml.etree import _Element

    Element = _Element

MAX_BYTES = 64 * 2**20
MAX_ELEMENTS = 1_000_000
MAX_DEPTH = 2048
"""What libxml2 itself allows with `huge_tree`; it counts while parsing, so no second walk is needed."""
MAX_UNDECLARED_PREFIXES = 64

_STANDARD_INPUT = "-"
_OPEN_DESCRIPTOR = re.compile(r"/dev/stdin|/(?:dev|proc/self)/fd/[0-9]+")
"""What a shell's <(command) is to us."""
_NUMBER_CHARACTERS = re.compile(r"[0-9+\-.eE \t\r\n]*")
_DECLARATION = re.compile(rb"\s*<\?xml\s([^>]*)\?>")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_PROLOG = rb"(?>[^<]+|<\?.*?\?>|<!--.*?-->)*+"
_ROOT_TAG = re.compile(_PROLOG + rb"<[^\s/>?!]+", re.DOTALL)
_DOCUMENT_TYPE = re.compile(_PROLOG + rb"<!DOCTYPE", re.DOTALL)
_UNDECLARED = re.compile(r"Namespace prefix (\S+) (?:on|for) ")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_STARTS = (b"\xff\xfe", b"\xfe\xff")
_OTHER_KINDS = (
    (b"version https://git-lfs", "a Git LFS pointer", "`git lfs pull` brings the file itself"),
    (b"<!doctype html", "an HTML page", "download the raw file instead of the page that shows it"),
    (b"<html", "an HTML page", "download the raw file instead of the page that shows it"),
    (b"pk\x03\x04", "a zip archive", "unpack it first"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
)


def read_input(path: str | os.PathLike[str], *, restrict: Path | None = None) -> bytes:
    """The bytes of what a user named: `-` for standard input, a descriptor that is open already, or a file.

    For names that a file gives, use `read_file`. Raises `ModelError` as that does.
    """
    name = os.fspath(path)
    if name != _STANDARD_INPUT and not _OPEN_DESCRIPTOR.fullmatch(name):
        return read_file(path, restrict=restrict)
    if sys.stdin is None:
        raise _refusal(path, "unreadable", "cannot be read: standard input is closed")
    try:
        if name == _STANDARD_INPUT:
            return _read_stream(sys.stdin.buffer, path, MAX_BYTES)
        with Path(path).open("rb") as stream:
            return _read_stream(stream, path, MAX_BYTES)
    except OSError as error:
        raise _unreadable(path, error) from error


def read_file(path: str | os.PathLike[str], *, restrict: Path | None = None, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most `limit` bytes.

    With `restrict` nothing outside that folder is read, symbolic links followed first. Raises `ModelError` that
    names the file and why: missing, a folder, unreadable, too large, outside.
    """
    try:
        actual = Path(path).resolve(strict=True)
        if restrict is not None and not actual.is_relative_to(restrict.resolve()):
            raise _refusal(path, "outside", f"lies outside {restrict}, which --restrict allows alone")
        with open(actual, "rb", opener=_open_at_once) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise _refusal(path, "unreadable", "is not a regular file")
            return _read_stream(stream, path, limit)
    except (OSError, ValueError, RuntimeError) as error:  # the last from links that lead back to themselves
        raise _unreadable(path, error) from error


def is_there(path: Path) -> bool:
    """Whether there is something of that path; there is nothing of a path that the system does not take."""
    try:
        return path.exists()
    except OSError:
        return False


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting: a named pipe that nobody writes to would hang otherwise."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _read_stream(stream: BinaryIO, path: str | os.PathLike[str], limit: int) -> bytes:
    data = stream.read(limit + 1)
    if len(data) > limit:
        message = f"is larger than the limit of {limit} bytes ({limit / 2**20:g} MiB)"
        raise _refusal(path, "too-large", message)
    return data


def _unreadable(path: str | os.PathLike[str], error: Exception) -> ModelError:
    if isinstance(error, FileNotFoundError):
        return _refusal(path, "missing-file", "no such file")
    if isinstance(error, IsADirectoryError):
        return _refusal(path, "unreadable", "is a folder, not a file")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return _refusal(path, "unreadable", f"cannot be read: {reason}")


def parse(data: bytes, path: str | os.PathLike[str]) -> Element:
    """The root element; comments and processing instructions are left out, a default namespace is dropped.

    Raises `ModelError` with one finding, file and line: not XML, not well formed, a document type, nested deeper or
    larger than the limits of this module.
    """
    _check_kind(data, path)
    # every element costs a '<' in all encodings robot files come in
    if data.count(b"<") - data.count(b"</") > MAX_ELEMENTS:
        raise _refusal(path, "too-large", f"holds more than the limit of {MAX_ELEMENTS} elements")
    _check_document_type(data, path)
    root = _parse_mended(data, path)
    if root.getroottree().docinfo.internalDTD is not None:
        raise _document_type(path)
    if b"xmlns=" in data or data.startswith(_UTF16_STARTS):
        _drop_default_namespace(root)
    return root


def line_of(element: Element) -> int | None:
    """Line of an element's start tag in its file, from 1."""
    return cast("int | None", element.sourceline)


def tag_of(element: Element) -> str:
    """The tag as the file writes it: `joint`, `drake:rotor_inertia`."""
    tag = str(element.tag)
    if not tag.startswith("{"):
        return tag
    local = tag.rpartition("}")[2]
    return f"{element.prefix}:{local}" if element.prefix else local


def describe(element: Element) -> str:
    """`<joint name="hip">`, or `<mass> in <link name="arm">` for an element without a name of its own."""
    own = f"<{tag_of(element)}>"
    around: Element | None = element
    while around is not None:
        name = around.get("name")
        if name is not None:
            named = f'<{tag_of(around)} name="{shorten(name)}">'
            return named if around is element else f"{own} in {named}"
        around = around.getparent()
    return own


def attributes(element: Element) -> dict[str, str]:
    """Attributes by name, those of a namespace as `{uri}name`."""
    return {str(name): str(text) for name, text in element.attrib.items()}


def shorten(text: str, width: int = 60) -> str:
    """Text of an untrusted file made fit for one line: blanks joined, the unprintable escaped, the end cut off."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(text.split()))
    return line if len(line) <= width else f"{line[: width - 3]}..."


def parse_floats(text: str) -> list[float]:
    """Finite doubles as XML Schema spells them (`+0.1`, `.5`, `1.`, `9E-06`), any white space between.

    Raises `ValueError` that quotes the first bad word: nan, inf, hexadecimal, underscores, commas, `-1.57.`, or a
    number beyond the range of a double.
    """
    if _NUMBER_CHARACTERS.fullmatch(text):
        try:
            values = [float(word) for word in text.split()]
        except ValueError:
            values = [math.nan]
        if all(map(math.isfinite, values)):
            return values
    complaints = filter(None, map(_complaint, text.split()))
    raise ValueError(next(complaints, f"{shorten(text)!r} is no list of numbers"))


def _complaint(word: str) -> str:
    """Why a word is no number; empty where it is one."""
    try:
        value = float(word) if _NUMBER_CHARACTERS.fullmatch(word) else math.nan
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return ""
    if math.isinf(value):
        return f"{shorten(word)!r} is beyond the range of a double"
    hint = ": a point begins the decimals, blanks part the numbers" if "," in word else ""
    return f"{shorten(word)!r} is no number{hint}"


def _refusal(
    path: str | os.PathLike[str], code: str, message: str, *, hint: str = "", line: int | None = None
) -> ModelError:
    return ModelError([Finding(code, "error", "", message, hint, os.fspath(path), line, fatal=True)])


def _check_kind(data: bytes, path: str | os.PathLike[str]) -> None:
    start = data.removeprefix(_BYTE_ORDER_MARK).lstrip()[:64].lower()
    if not start:
        raise _refusal(path, "not-xml", "is empty")
    for signature, kind, hint in _OTHER_KINDS:
        if start.startswith(signature):
            raise _refusal(path, "not-xml", f"is {kind}, not an XML robot file", hint=hint)


class _MalformedError(Exception):
    """What libxml2 reported on one parse, as (type, line, message)."""

    def __init__(self, reports: list[tuple[int, int, str]]) -> None:
        super().__init__(reports)
        self.reports = [report for report in reports if not _UNDECLARED.match(report[2])] or reports[:1]
        matches = (_UNDECLARED.match(message) for _, _, message in reports)
        self.undeclared_prefixes = {match[1] for match in matches if match}


def _check_document_type(data: bytes, path: str | os.PathLike[str]) -> None:
    """Refuse before the parser sees it: some of its settings open external parts although told not to."""
    text = data.decode("utf-16", errors="replace").encode() if data.startswith(_UTF16_STARTS) else data
    found = _DOCUMENT_TYPE.match(text)
    if found:
        raise _document_type(path, 1 + found[0].count(b"\n"))


def _document_type(path: str | os.PathLike[str], line: int | None = None) -> ModelError:
    message = "declares a document type (<!DOCTYPE>), which could pull in other files and is never read"
    return _refusal(path, "document-type", message, hint="remove the declaration and its entities", line=line)


def _parse_once(data: bytes, encoding: str | None = None) -> Element:
    from lxml import etree

    try:
        parser = etree.XMLParser(
            encoding=encoding,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            dtd_validation=False,
            recover=False,
            huge_tree=True,
            remove_comments=True,
            remove_pis=True,
        )
    except LookupError:
        raise _MalformedError([(0, 1, f"unknown encoding {encoding}")]) from None
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        # the log of the exception may hold what other parsers met before, that of the parser does not
        log = cast("Iterable[Any]", parser.error_log)
        reports = [(report.type, report.line, report.message) for report in log]
        raise _MalformedError(reports or [(0, error.lineno or 1, str(error.msg))]) from None


def _parse_mended(data: bytes, path: str | os.PathLike[str]) -> Element:
    """Parse as it stands, then without its declaration, then with its undeclared prefixes declared."""
    try:
        return _parse_once(data)
    except _MalformedError:
        mended, encoding = _without_declaration(data)
    declared: set[str] = set()
    while True:
        try:
            return _parse_once(_with_prefixes(mended, declared) if declared else mended, encoding)
        except _MalformedError as failure:
            # libxml2 stops reporting after a hundred errors, so a later round may find more prefixes
            if failure.undeclared_prefixes <= declared or len(declared) > MAX_UNDECLARED_PREFIXES:
                raise _syntax_error(failure, path) from None
            declared |= failure.undeclared_prefixes


def _without_declaration(data: bytes) -> tuple[bytes, str | None]:
    """The document without `<?xml ...?>`, line numbers kept, and the encoding that it declared."""
    encoding = None
    if data.startswith(_UTF16_STARTS):
        try:
            data, encoding = data.decode("utf-16").encode(), "utf-8"
        except UnicodeDecodeError:
            return data, None
    data = data.removeprefix(_BYTE_ORDER_MARK)
    declaration = _DECLARATION.match(data)
    if declaration is None:
        return data, encoding
    declared = _ENCODING.search(declaration[1])
    if encoding is None and declared is not None:
        encoding = declared[1].decode()
    return b"\n" * declaration[0].count(b"\n") + data[declaration.end() :], encoding


def _with_prefixes(data: bytes, prefixes: Iterable[str]) -> bytes:
    """The document with `prefixes` declared on its root element."""
    root = _ROOT_TAG.match(data)
    if root is None:
        return data
    declarations = "".join(f' xmlns:{prefix}="urn:undeclared:{prefix}"' for prefix in sorted(prefixes))
    return data[: root.end()] + declarations.encode() + data[root.end() :]


def _syntax_error(failure: _MalformedError, path: str | os.PathLike[str]) -> ModelError:
    from lxml.etree import ErrorTypes

    kind, line, report = failure.reports[0]
    if kind in (ErrorTypes.ERR_DOCUMENT_EMPTY, ErrorTypes.ERR_DOCUMENT_START):
        return _refusal(path, "not-xml", "is not XML: no element begins here", line=line)
    if kind == ErrorTypes.ERR_DOCUMENT_END:
        return _refusal(path, "not-xml", "text or a second root element follows the end of the first", line=line)
    if "depth" in report:
        return _refusal(path, "too-deep", f"nests elements deeper than the limit of {MAX_DEPTH}", line=line)
    message = f"is not well-formed XML: {shorten(report, 160)}"
    hint = 'declare it: <?xml version="1.0" encoding="..."?>' if "encoding" in report else ""
    return _refusal(path, "not-xml", message, hint=hint, line=line)


def _drop_default_namespace(root: Element) -> None:
    """Robot formats have no namespace, though some files give one to all they hold."""
    for element in root.iter():
        tag = str(element.tag)
        if tag.startswith("{") and not element.prefix:
            element.tag = tag.rpartition("}")[2]
