"""`--differentiate`: rates of a log of positions, against polynomials and motions known in closed form."""

import json
import math

import numpy as np
import pytest
from trees import random_tree

from dyncli.cli.main import run
from dyncli.errors import StateError, UsageError
from dyncli.states.block import StateBlock
from dyncli.states.differentiate import differentiated, scheme

TREE = random_tree(1, n=3, types=("revolute", "prismatic", "continuous"))


def blocks_of(q: np.ndarray, time: np.ndarray, sizes: list[int], invalid: dict[int, str] | None = None):
    start = 0
    for size in sizes:
        rows = slice(start, start + size)
        bad = {k - start: why for k, why in (invalid or {}).items() if start <= k < start + size}
        yield StateBlock(
            size,
            list(q[:, rows]),
            time=time[rows],
            lines=list(range(start + 2, start + size + 2)),
            first=start,
            invalid=bad,
        )
        start += size


def rates(tree, q, time, how, sizes, invalid=None):
    found = [
        job()
        for job in differentiated(tree, blocks_of(q, time, sizes, invalid), scheme(how), "log.csv", "log.csv:{}".format)
    ]
    qd, qdd = (np.concatenate([np.array(getattr(b, name)) for b in found], axis=1) for name in ("qd", "qdd"))
    bad = [b.first + k for b in found for k in b.invalid]
    return qd, qdd, bad


@pytest.mark.parametrize(("how", "degree"), [("central", 2), ("savgol:5", 3), ("savgol:11", 3)])
@pytest.mark.parametrize("sizes", [[40], [1, 1, 1, 37], [15, 20, 5], [39, 1]])
def test_polynomials_of_the_schemes_degree_are_exact_for_uneven_times(how, degree, sizes):
    rng = np.random.default_rng(0)
    time = np.cumsum(rng.uniform(0.01, 0.03, 40))
    coefficients = rng.normal(size=(3, degree + 1))
    q = np.array([np.polyval(c, time) for c in coefficients])
    qd, qdd, bad = rates(TREE, q, time, how, sizes)
    assert not bad
    assert qd == pytest.approx(np.array([np.polyval(np.polyder(c), time) for c in coefficients]), rel=1e-9, abs=1e-9)
    assert qdd == pytest.approx(
        np.array([np.polyval(np.polyder(c, 2), time) for c in coefficients]), rel=1e-6, abs=1e-6
    )


def test_a_steady_turn_of_a_ball_has_its_angular_velocity():
    tree = random_tree(2, n=1, types=("ball",))
    w, time = np.array([0.3, -0.5, 0.8]), np.linspace(0, 1, 101)
    start = [math.cos(0.4), math.sin(0.4), 0.0, 0.0]
    kind = tree.joints[0].type
    q = np.array([kind.integrate(start, list(w * t)) for t in time]).T
    for how in ("central", "savgol:7"):
        qd, qdd, _ = rates(tree, q, time, how, [60, 41])
        assert qd == pytest.approx(np.repeat(w[:, None], 101, axis=1), rel=1e-9)
        assert np.abs(qdd).max() < 1e-8


def test_rows_near_one_without_a_position_are_invalid():
    q, time = np.zeros((3, 20)), np.arange(20.0)
    assert rates(TREE, q, time, "central", [10, 10], {9: "empty"})[2] == [8, 9, 10]


@pytest.mark.parametrize("bad", ["centrl", "savgol", "savgol:4", "savgol:3", "savgol:x", "central:3"])
def test_unknown_schemes_are_refused(bad):
    with pytest.raises(UsageError):
        scheme(bad)


def test_times_must_increase_and_rows_be_enough():
    q = np.zeros((3, 4))
    with pytest.raises(StateError, match=r"log\.csv:4: .* must increase"):
        rates(TREE, q, np.array([0.0, 1.0, 1.0, 2.0]), "central", [2, 2])
    with pytest.raises(StateError, match="at least 5"):
        rates(TREE, q, np.arange(4.0), "savgol:5", [4])


def test_on_the_command_line(tmp_path, capsys):
    model, log = tmp_path / "r.urdf", tmp_path / "log.csv"
    model.write_text("""<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous">
      <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>""")
    log.write_text("t,j\n" + "".join(f"{0.1 * k!r},{(0.1 * k) ** 2!r}\n" for k in range(10)))
    with pytest.raises(SystemExit):
        run(["rnea", str(model), "--states", str(log), "--differentiate", "central", "-f", "json"])
    results = json.loads(capsys.readouterr().out)["results"]
    assert [result["tau"][0] for result in results] == pytest.approx([4.0] * 10, rel=1e-9)
