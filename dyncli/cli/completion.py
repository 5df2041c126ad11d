"""Shell completion of names in a model: frames and joints. Silent where the model cannot be read.

Switched on by click: `eval "$(_DYN_COMPLETE=bash_source dyn)"` (zsh_source, fish_source).
"""

from __future__ import annotations

from collections.abc import Iterable

import click


def frames(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Links, bodies and sites of the model on the command line."""
    return _matching(ctx, incomplete, joints=False)


def joints(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Joints of the model on the command line."""
    return _matching(ctx, incomplete, joints=True)


def _matching(ctx: click.Context, incomplete: str, *, joints: bool) -> list[str]:
    """Names that go on from the last comma of what has been typed."""
    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _names(ctx, joints=joints) if name.startswith(begun)]


def _names(ctx: click.Context, *, joints: bool) -> Iterable[str]:
    from dyncli.errors import DynError
    from dyncli.formats.load import load_description

    # an option that still lacks its value leaves the arguments unparsed
    path = ctx.params.get("model_path") or next(iter(ctx.args), None)
    if not isinstance(path, str) or path == "-":
        return []
    try:
        description = load_description(path)
    except DynError:
        return []
    if joints:
        return [joint.name for joint in description.joints if joint.type != "fixed"]
    links = [link.name for link in description.links if not link.virtual]
    return [*links, *(site.name for site in description.sites)]
