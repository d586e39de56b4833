"""Services are functions over a session, and what makes an answer is called answer."""

import ast

from tests.conftest import ROOT

SERVER = ROOT / "skywatch"
# Functions that call answer() for something else: lines of files, forms of events, a change with its answer.
OTHERS = {
    "audio/recordings/child.py": {"main"},
    "system/status.py": {"_document", "receivers"},
    "accounts/access/views.py": {"_change"},
    "accounts/audit_log/exports.py": {"lines_of", "_row"},
}


def trees(pattern):
    for path in sorted(SERVER.rglob(pattern)):
        yield path.relative_to(SERVER).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def holds_a_session(node):
    return any(
        isinstance(child, ast.arg | ast.AnnAssign)
        and isinstance(child.annotation, ast.Name)
        and child.annotation.id == "Session"
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        or (isinstance(statement, ast.FunctionDef) and statement.name == "__init__")
        for child in ast.walk(statement)
    )


def makes_an_answer(node):
    calls = (child.func for child in ast.walk(node) if isinstance(child, ast.Call))
    return any(isinstance(function, ast.Name) and function.id == "answer" for function in calls)


def test_no_service_is_a_class_that_holds_a_session():
    classes = [
        f"{place}: {node.name}"
        for place, tree in trees("service.py")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and holds_a_session(node)
    ]
    assert classes == []


def test_what_makes_an_answer_is_called_answer():
    names = [
        f"{place}: {node.name}"
        for place, tree in trees("*.py")
        for node in ast.walk(tree)
        # Views have decorators; their names are those of operations.
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and makes_an_answer(node)
        if not node.name.removesuffix("s").endswith("answer") and node.name not in OTHERS.get(place, ())
    ]
    assert names == []
