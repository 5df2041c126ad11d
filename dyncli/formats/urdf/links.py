"""Links of a URDF: inertials, and the primitives attached to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dyncli.description import GeometryDescription, InertialDescription, LinkDescription
from dyncli.formats import xml
from dyncli.formats.findings import Findings, checked_numbers
from dyncli.formats.inertial import find_unphysical
from dyncli.formats.urdf.elements import lenient_origin, only_child, read_origin, required_name, warn_unknown
from dyncli.spatial import Symmetric3

if TYPE_CHECKING:
    from dyncli.formats.xml import Element

_MOMENTS = ("ixx", "iyy", "izz")
_PRODUCTS = ("ixy", "ixz", "iyz")
_ZERO_TENSOR: Symmetric3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_WITHOUT_PART = {"visual", "collision", "contact", "collision_checking", "self_collision_checking", "self_filter"}
_SIZES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}


def read_link(findings: Findings, element: Element) -> LinkDescription | None:
    """One link; None after a fatal finding on its name."""
    name = required_name(findings, element)
    warn_unknown(findings, element, attributes={"name", "type"}, tags={"inertial", *_WITHOUT_PART})
    inertial = only_child(findings, element, "inertial")
    described = None if inertial is None else _read_inertial(findings, inertial)
    geometries = tuple(
        geometry
        for child in element
        if child.tag in ("visual", "collision")
        for geometry in _read_geometry(findings, child)
    )
    if name is None:
        return None
    return LinkDescription(name, described, geometries, line=xml.line_of(element), path=findings.path)


def _read_inertial(findings: Findings, element: Element) -> InertialDescription | None:
    """Mass, centre of mass and tensor as the file gives them, physical or not; None where it gives no mass."""
    warn_unknown(findings, element, attributes=(), tags={"origin", "mass", "inertia"})
    placement = read_origin(findings, element)
    mass = _read_mass(findings, element)
    tensor = _read_tensor(findings, element)
    if mass is None:
        findings.warning("inertial-without-mass", element, "gives no mass and is ignored: the link is massless")
        return None
    if tensor is None:
        findings.warning("inertial-without-tensor", element, f"gives no tensor: {mass:g} kg are taken as a point mass")
        tensor = _ZERO_TENSOR
    find_unphysical(findings, element, mass, tensor)
    return InertialDescription(mass, placement, tensor, xml.line_of(element))


def _read_mass(findings: Findings, inertial: Element) -> float | None:
    element = only_child(findings, inertial, "mass")
    if element is None:
        return None
    warn_unknown(findings, element, attributes={"value"})
    return findings.number(element, "value", 0.0) if "value" in element.attrib else None


def _read_tensor(findings: Findings, inertial: Element) -> Symmetric3 | None:
    """xx, yy, zz, xy, xz, yz; None where there is none. Products may be left out, with a warning, moments not."""
    element = only_child(findings, inertial, "inertia")
    if element is None:
        return None
    warn_unknown(findings, element, attributes={*_MOMENTS, *_PRODUCTS})
    missing = [name for name in (*_MOMENTS, *_PRODUCTS) if element.get(name) is None]
    if len(missing) == len(_MOMENTS) + len(_PRODUCTS):
        return None
    if missing_moments := [name for name in missing if name in _MOMENTS]:
        findings.fatal("incomplete-tensor", element, f"gives no {', '.join(missing_moments)}")
    elif missing:
        findings.warning("incomplete-tensor", element, f"gives no {', '.join(missing)}: taken as 0")
    xx, yy, zz = (findings.number(element, name, 0.0) for name in _MOMENTS)
    xy, xz, yz = (findings.number(element, name, 0.0) for name in _PRODUCTS)
    return (xx, yy, zz, xy, xz, yz)


def _read_geometry(findings: Findings, element: Element) -> list[GeometryDescription]:
    """The primitive of a visual or collision; nothing in it can stop the model from loading."""
    wrong, placement = lenient_origin(element)
    shape = next((child for holder in element.iterchildren("geometry") for child in holder), None)
    if not wrong and shape is None:
        wrong = "has no geometry"
    if wrong or shape is None:
        findings.warning("broken-geometry", element, f"{wrong}; it is left out, the dynamics do not need it")
        return []
    kind, line = xml.tag_of(shape), xml.line_of(element)
    role = str(element.tag)
    if kind == "mesh":
        wrong, _ = checked_numbers(shape.get("scale", "1 1 1"), (1, 3))
        if not wrong:
            return [GeometryDescription("mesh", (), placement, role, shape.get("filename", ""), line)]
        wrong = f"scale: {wrong}"
    elif kind in _SIZES:
        wrong, size = _read_size(shape, kind)
        if not wrong:
            return [GeometryDescription(kind, size, placement, role, line=line)]
    else:
        wrong = f"<{xml.shorten(kind)}> is no shape of URDF"
    findings.warning("broken-geometry", element, f"{wrong}; it is left out, the dynamics do not need it")
    return []


def _read_size(shape: Element, kind: str) -> tuple[str, tuple[float, ...]]:
    """What is wrong with the size (empty if nothing is), and half lengths, radius, or radius and half length, in m."""
    values: list[float] = []
    for attribute in _SIZES[kind]:
        text = shape.get(attribute)
        if text is None:
            return f"<{kind}> has no {attribute}", ()
        wrong, numbers = checked_numbers(text, 3 if attribute == "size" else 1)
        if wrong:
            return f"<{kind}> {attribute}: {wrong}", ()
        values += numbers if attribute == "radius" else [0.5 * length for length in numbers]
    return "", tuple(values)
