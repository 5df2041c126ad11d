"""Every code a finding can carry: what it means and what to do about it; shown by `--help`, SARIF and as hints.

Codes are stable: scripts select and ignore them. Those of the readers stand here too, so that a file that does not
load is explained in the same words.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """`summary`: what the code stands for; `advice`: what to do where a finding says nothing more exact."""

    summary: str
    advice: str


CATALOGUE: dict[str, Entry] = {
    # inertia
    "negative-mass": Entry("A mass below zero", "give the mass in kg; a part that was cut out belongs in no link"),
    "inertia-not-positive": Entry(
        "An inertia tensor with a negative principal moment",
        "check the signs of ixy, ixz and iyz and that the tensor is about the centre of mass",
    ),
    "inertia-triangle": Entry(
        "A principal moment greater than the sum of the other two: no body has such a tensor",
        "check the decimal point and the unit (kg m²) of the greatest moment",
    ),
    "inertia-without-mass": Entry("A tensor on a link without mass", "give the link a mass, or leave its inertial out"),
    "inertial-without-mass": Entry("An inertial that gives no mass", "add the mass in kg, or leave the inertial out"),
    "inertial-without-tensor": Entry(
        "An inertial that gives no tensor", "add the tensor about the centre of mass in kg m²"
    ),
    "incomplete-tensor": Entry("A tensor with entries missing", "give all six of ixx ixy ixz iyy iyz izz"),
    "radius-of-gyration": Entry(
        "A radius of gyration far beyond the size of the link",
        "check the unit (kg m², not kg mm²) and the decimal point of the tensor, or the mass",
    ),
    "small-inertia": Entry(
        "A tensor far too small for the mass and size of the link",
        "check the unit (kg m²) and the decimal point of the tensor, or the mass",
    ),
    "point-mass": Entry("A mass with a tensor of zero on a link that moves", "give the tensor of the real part"),
    "tensor-about-origin": Entry(
        "A tensor that looks as if it were about the link's origin",
        "the tensor belongs about the centre of mass: take the mass times the squared distance off it",
    ),
    "placeholder-inertia": Entry(
        "A round number in place of a tensor", "compute the tensors from the parts (CAD, or mass and shape)"
    ),
    # joints
    "axis-not-unit": Entry("An axis whose length is not 1", "give a unit vector: others read the length as a gear"),
    "zero-axis": Entry("An axis without direction", "give a unit vector"),
    "missing-limit": Entry("A revolute or prismatic joint without limits", "add <limit lower upper effort velocity>"),
    "missing-effort": Entry("A limit without effort", "add the greatest force or torque of the drive"),
    "missing-velocity": Entry("A limit without velocity", "add the greatest speed of the drive"),
    "no-range": Entry("Limits that are both zero", "give lower and upper, or make the joint continuous or fixed"),
    "half-range": Entry("One of two limits is missing", "give lower and upper"),
    "limit-reversed": Entry("lower is greater than upper", "swap lower and upper"),
    "limit-of-continuous": Entry(
        "Limits of position on a continuous joint", "make the joint revolute, or remove lower and upper"
    ),
    "empty-range": Entry("Limits that leave no room", "give a range, or make the joint fixed"),
    "limit-in-degrees": Entry("Limits that look like degrees", "give angles in rad"),
    "negative-effort": Entry("An effort limit below zero", "give its magnitude"),
    "negative-velocity": Entry("A velocity limit below zero", "give its magnitude"),
    "negative-damping": Entry("Damping below zero", "give a value of 0 or more"),
    "negative-friction": Entry("Friction below zero", "give a value of 0 or more"),
    "zero-effort": Entry("An effort limit of zero", "give the greatest force or torque of the drive"),
    "zero-velocity": Entry("A velocity limit of zero", "give the greatest speed of the drive"),
    "mimic": Entry("A mimic that ties a joint to nothing", "name a joint that moves, or remove the mimic"),
    "joint-type": Entry("An unknown joint type", "use one of the types of the format"),
    # structure
    "massless-branch": Entry(
        "A joint that moves nothing with mass: the mass matrix is singular",
        "give the links behind it mass and a tensor, or make the joint fixed (--lock)",
    ),
    "massless-link": Entry(
        "A moving link without mass between links that have some",
        "give it the mass of its part: MuJoCo refuses it, and simulators lose precision",
    ),
    "singular-mass-matrix": Entry(
        "Joints that move the same way: the mass matrix is singular",
        "remove one of the joints, or give the links between them mass and a tensor",
    ),
    "coincident-axes": Entry("Two joints about the same axis", "check the origins and axes of the two joints"),
    "mass-budget": Entry("Mass that does not move", "weigh only what moves, or free the base with --root floating"),
    "no-gravity": Entry("A robot, or its base, that feels no gravity", "give --gravity X,Y,Z where it should"),
    "duplicate-link": Entry("Two links of one name", "rename one of them"),
    "duplicate-joint": Entry("Two joints of one name", "rename one of them"),
    "unknown-link": Entry("A joint on a link that does not exist", "name a link of this file"),
    "two-parents": Entry("A link that two joints move", "remove one of the joints: the format describes trees only"),
    "loop": Entry("Links that form a loop", "open the loop: the format describes trees only"),
    "several-roots": Entry("Links that nothing connects", "join them with joints, or remove them"),
    "no-links": Entry("A file without links", "add links"),
    "missing-parent": Entry("A joint without parent", 'add <parent link="..."/>'),
    "missing-child": Entry("A joint without child", 'add <child link="..."/>'),
    "missing-name": Entry("A name is missing", "give it a name"),
    # twins and geometry
    "twins-differ": Entry("A left and a right part that differ", "make the two agree, or rename what is no twin"),
    "mass-center-outside": Entry(
        "A centre of mass far outside the geometry", "check the unit (m) and the frame of the inertial's origin"
    ),
    "broken-geometry": Entry("Geometry that cannot be read", "correct or remove it"),
    # the rest of the file
    "keyframe-length": Entry("A keyframe of the wrong length", "give one number a coordinate"),
    "transmission-joint": Entry("A transmission or controller without its joint", "name a joint of this file"),
    "transmission-ignored": Entry(
        "Rotor inertias of transmissions that are not used", "state armature in an MJCF if they matter"
    ),
    "gazebo-reference": Entry("A gazebo element for nothing", "name a link or joint of this file"),
    "unknown-element": Entry("An element that is not used", "correct its name, or remove it"),
    "unknown-attribute": Entry("An attribute that is not used", "correct its name, or remove it"),
    "repeated-element": Entry("An element that stands more than once", "remove the ones too many"),
    "bad-number": Entry("A number that is none", "write numbers as 1.5 or 2e-3, blanks between them"),
    # what MuJoCo refuses in an MJCF, and so does dyn
    "missing-attribute": Entry("A required attribute is missing", "add it"),
    "attribute-rule": Entry("Attributes that exclude or need each other", "keep those that belong together"),
    "bad-keyword": Entry("A word that the attribute does not know", "use one of the words that are listed"),
    "default-class": Entry("A default class that is unknown or made twice", "name a class of this file"),
    "duplicate-name": Entry("Two elements of one kind and name", "rename one of them"),
    "unknown-name": Entry("A name that nothing in the file has", "name an element of this file"),
    "mixed-copies": Entry("What ties copies to what is not copied, left out", "repeat it by hand, a copy each"),
    "unknown-asset": Entry("A mesh, texture or other asset that is not there", "add the asset, or correct its name"),
    "include": Entry("An include that cannot be followed", "check the path: relative to the main file"),
    "attach": Entry("A model that cannot be attached", "check the names of the model and its body"),
    "model-asset": Entry("A model asset that cannot be read", "check the path of the file"),
    "mesh": Entry("A mesh that gives a body its inertia and cannot be read", "bring the file, or add an <inertial>"),
    "shell-mesh": Entry("shellinertia on a mesh", 'give the mesh inertia="shell"'),
    "fromto": Entry("fromto where it cannot be", "use pos, size and an orientation"),
    "geom-size": Entry("A geom whose size is missing or not positive", "give its half lengths or radius"),
    "moving-plane": Entry("A plane in a body that moves", "put it into a static body"),
    "orientation": Entry("An orientation without direction", "give a quaternion or axes that are not zero"),
    "global-coordinates": Entry("Global coordinates, which MuJoCo dropped", "convert the file with an older MuJoCo"),
    "inertial": Entry("An inertial that is not complete", "give pos, mass and diaginertia or fullinertia"),
    "inertial-of-world": Entry("An inertial of the world", "remove it"),
    "inertial-replicated": Entry("An inertial that has no effect inside replicate", "put it into a body"),
    "massless-body": Entry("A moving body without mass", "give it an <inertial> or a geom with mass"),
    "tiny-inertia": Entry("Moments of inertia that are too small", "check the unit (kg m²)"),
    "axis-zero": Entry("An axis without direction", "give a unit vector"),
    "free-joint": Entry("A free joint below the top level", "move its body to the top level"),
    "ball-then-rotation": Entry("A joint that turns a body after its ball joint", "remove one of the two"),
    "too-many-joints": Entry("More than six degrees of freedom in a body", "remove joints"),
    "joint-of-world": Entry("A joint of the world", "put it into a body"),
    "joint-replicated": Entry("A joint repeated without its body", "put the body into the replicate"),
    "joint-range": Entry("A range that is empty", "give the smaller bound first"),
    "limits": Entry("A range without a word on whether it counts", 'give limited="true", or autolimits'),
    "springdamper": Entry("A springdamper that is not positive", "give a time constant and a damping ratio above 0"),
    "mocap": Entry("A mocap body that moves", "make it a fixed child of the world"),
    "tendon": Entry("A tendon that MuJoCo refuses", "correct its path or its attributes"),
    "actuator": Entry("An actuator that MuJoCo refuses", "correct its target or its attributes"),
    "equality": Entry("An equality constraint that MuJoCo refuses", "name two different things"),
    "coupling-ignored": Entry("What ties joints or bodies and is not used", "mind it where the motion depends on it"),
    "loop-ignored": Entry("Closed loops, which are computed as open", "mind it: the numbers are those of the tree"),
    "flex-ignored": Entry("Deformable bodies, which are not used", "mind it where their mass or stiffness matters"),
    "plugin-ignored": Entry("Plugins of bodies, which are not used", "mind it where the motion depends on them"),
    "friction-ignored": Entry("Frictions of tendons, which are not used", "mind it where the motion depends on them"),
    "tendon-ignored": Entry("Tendons and actuators that are not used", "mind it where the motion depends on them"),
    "fluid-ignored": Entry("Forces of a fluid, which are not used", "mind it where the motion depends on it"),
    "missing-mesh": Entry("A mesh that is not there and not needed", "bring the file if it is to be seen"),
    # files
    "xacro": Entry("A file of xacro that was not expanded", "give --xacro, or expand it: xacro FILE > robot.urdf"),
    "not-xml": Entry("A file that is no well-formed XML", "correct the XML"),
    "too-deep": Entry("Elements nested too deeply", "split the file"),
    "too-large": Entry("A file beyond the limits", "split the file"),
    "document-type": Entry("A document type, which is never read", "remove the declaration and its entities"),
    "missing-file": Entry("A file that is not there", "check the path"),
    "unreadable": Entry("A file that cannot be read", "check its permissions"),
    "outside": Entry("A file outside of the folder that --restrict allows", "move it inside, or allow its folder"),
    "unknown-format": Entry("Neither URDF nor MJCF", "convert it to URDF or MJCF"),
    "model": Entry("A model that cannot be used", "correct the file"),
}
"""By code, grouped by what they are about."""


def advice(code: str) -> str:
    """What to do about a finding that gives no hint of its own."""
    entry = CATALOGUE.get(code)
    return entry.advice if entry else "correct the file"


def summary(code: str) -> str:
    """What a code stands for, in one line."""
    entry = CATALOGUE.get(code)
    return entry.summary if entry else code.replace("-", " ").capitalize()
