"""Arguments of the call of `setup` in setup.py, without running it."""

import ast
import pathlib


def read_setup():
    """Returns the constant keyword arguments of the call, as `{name: value}`.

    Names of constants are resolved.
    """
    tree = ast.parse(pathlib.Path("setup.py").read_text(encoding="utf-8"))
    names, words = {}, {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            _try_evaluate(node.value, names, names, node.targets[0].id)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            for word in node.value.keywords:
                _try_evaluate(word.value, names, words, word.arg)
    return words


def _try_evaluate(node, names, values, name):
    for part in ast.walk(node):
        if isinstance(part, ast.Call | ast.Attribute | ast.Subscript):
            return
        if isinstance(part, ast.Name) and part.id not in names:
            return
    code = compile(ast.Expression(node), "setup.py", "eval")
    values[name] = eval(code, {"__builtins__": {}}, names)  # constants only
