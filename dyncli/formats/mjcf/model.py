"""One MJCF read so far that its content can be interpreted: settings, options, default classes, assets.

Models named in `asset` are read too, each with settings and defaults of its own.
"""

from __future__ import annotations

from pathlib import Path

from dyncli.errors import ModelError
from dyncli.formats import xml
from dyncli.formats.mjcf.defaults import Defaults
from dyncli.formats.mjcf.element import Element, Report, from_lxml
from dyncli.formats.mjcf.include import expand_includes, identity, resolve_path
from dyncli.formats.mjcf.schema import check
from dyncli.formats.mjcf.settings import Options, Settings, read_options, read_settings
from dyncli.structs import field, struct

MAX_NESTED_MODELS = 32


@struct(frozen=False, eq=False)
class Model:
    """A parsed model; `assets` are elements by kind (`mesh`, `hfield`...) and name, `models` those it can attach."""

    root: Element
    settings: Settings
    options: Options
    defaults: Defaults
    assets: dict[str, dict[str, Element]] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that the file gives the model; empty without one."""
        return self.root.text.get("model", "")


def read_model(root: Element, restrict: Path | None, report: Report, within: tuple[Path, ...] = ()) -> Model:
    """Read a model from the root element of its main file, and the models that it names.

    `within`: the files of the models that are being read around this one. Raises `ModelError` where the schema is
    broken, since nothing sensible can be said about the rest then.
    """
    expand_includes(root, restrict, report)
    check(root, report)
    report.raise_if_fatal()
    model = Model(root, read_settings(root, report), read_options(root), Defaults(root, report))
    for section in root.named("asset"):
        for asset in section.children:
            if asset.tag == "model":
                _read_nested(model, asset, restrict, report, (*within, identity(Path(root.path))))
            else:
                _add_asset(model, asset, report)
    return model


def _add_asset(model: Model, asset: Element, report: Report) -> None:
    """Take in an asset under its name: without one that of its file, folders and suffix left out."""
    name = asset.name or Path(str(asset.values.get("file", "")).replace("\\", "/")).stem
    of_kind = model.assets.setdefault(asset.tag, {})
    if name in of_kind:
        report.fatal("duplicate-name", asset, f"there are two assets {asset.tag!r} of the name {name!r}")
    elif name:
        of_kind[name] = asset


def _read_nested(model: Model, asset: Element, restrict: Path | None, report: Report, within: tuple[Path, ...]) -> None:
    path = resolve_path(str(asset.values["file"]), model.settings.main, Path(asset.path))
    if identity(path) in within or len(within) > MAX_NESTED_MODELS:
        report.fatal("model-asset", asset, f"the model {str(path)!r} would be read inside itself")
        return
    try:
        root = from_lxml(xml.parse(xml.read_file(path, restrict=restrict), path), str(path))
    except ModelError as error:
        for finding in error.findings:
            report.fatal("model-asset", asset, f"{finding.place}: {finding.message}", finding.hint)
        return
    if root.tag != "mujoco":
        report.fatal("model-asset", asset, f"{str(path)!r} is no MJCF: its root element is <{xml.shorten(root.tag)}>")
        return
    nested = read_model(root, restrict, report, within)
    name = asset.name or nested.name
    if name in model.models:
        report.fatal("duplicate-name", asset, f"there are two models of the name {name!r}")
    model.models[name] = nested
