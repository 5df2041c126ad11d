"""Who may import whom, read off the source: lower layers never import higher ones, and heavy imports stay lazy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dyncli

PACKAGE = Path(dyncli.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))

LAYERS = [
    {"structs", "errors", "lazy", "pipeline", "scalars", "spatial", "decimals"},
    {"joints", "description", "rotations", "wrapping"},
    {"tree", "formats"},
    {"build", "algorithms"},
    {"robot", "engine"},
    {"result", "readers", "states", "info", "lint", "verify", "compare"},
    {"tasks", "targets", "writers", "plots", "summary"},
    {"run", "parts", "forks", "cluster", "api", "report"},
    {"cli"},
    {"__main__", "__init__"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
BANNED_IN_ALGORITHMS = {"click", "rich", "lxml", "yaml"}


def top(module: str) -> str:
    return module.removesuffix(".py").split("/")[0]


def imported(tree: ast.AST) -> set[str]:
    """Every module imported anywhere in a file, but for those that only the type checker sees."""
    names: set[str] = set()

    def walk(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            return
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update({node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names})
        for child in ast.iter_child_nodes(node):
            walk(child)

    walk(tree)
    return names


@pytest.mark.parametrize("module", MODULES)
def test_lower_layers_do_not_import_higher_ones(module):
    rank = RANK[top(module)]
    for name in imported(ast.parse((PACKAGE / module).read_text())):
        parts = name.split(".")
        if parts[0] == "dyncli" and len(parts) > 1 and parts[1] in RANK:
            assert RANK[parts[1]] <= rank, f"{module} imports {name}"
        if top(module) in ("algorithms", "spatial", "joints", "scalars"):
            assert parts[0] not in BANNED_IN_ALGORITHMS, f"{module} imports {name}"


def test_only_the_command_line_prints_or_exits():
    for module in MODULES:
        if top(module) in ("cli", "__main__"):
            continue
        for node in ast.walk(ast.parse((PACKAGE / module).read_text())):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("print", "sys.exit", "exit", "click.echo"), f"{module}:{node.lineno}"


def loaded_by(code: str) -> set[str]:
    """Top-level packages that a fresh interpreter has loaded after running `code`."""
    script = f"import sys\nsys.argv = ['dyn']\n{code}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_help_imports_click_alone():
    code = "from dyncli.cli.main import run\ntry:\n    run(['--help'])\nexcept SystemExit:\n    pass"
    assert not {"numpy", "lxml", "rich", "yaml"} & loaded_by(code)


def test_one_state_of_floats_needs_no_numpy():
    robot = Path(__file__).parent.parent / "sample_models" / "arm_6r.urdf"
    code = (
        "from dyncli.cli.main import run\ntry:\n"
        f"    run(['mass', {str(robot)!r}, '--q', '0,0.1,0.2,0.3,0.4,0.5', '-f', 'csv'])\nexcept SystemExit:\n    pass"
    )
    loaded = loaded_by(code)
    assert "lxml" in loaded
    assert not {"numpy", "rich", "yaml"} & loaded
