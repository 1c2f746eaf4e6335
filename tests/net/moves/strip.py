"""strip.py ROOT: take @override, Keeps* bases and keeps() out of src."""
import ast, sys, pathlib, re
ROOT = pathlib.Path(sys.argv[1]); SRC = ROOT / "src" / "greedyhull"
OV = "greedyhull.types.override"
for p in sorted(SRC.rglob("*.py")):
    text = p.read_text()
    if OV not in text or p.name == "override.py": continue
    tree = ast.parse(text); names = {}
    cut = []  # (first, last) 1-based inclusive
    edits = []
    for n in ast.walk(tree):
        if isinstance(n, ast.ImportFrom) and n.module == OV:
            for a in n.names: names[a.asname or a.name] = a.name
            cut.append((n.lineno, n.end_lineno))
    lines = text.split("\n")
    for n in ast.walk(tree):
        for d in getattr(n, "decorator_list", []):
            if isinstance(d, ast.Name) and names.get(d.id) == "override": cut.append((d.lineno, d.lineno))
        if isinstance(n, ast.ClassDef):
            keep = [b for b in n.bases if not any(isinstance(x, ast.Name) and x.id in names and names[x.id].startswith("Keeps") for x in ast.walk(b))]
            if len(keep) != len(n.bases):
                first = n.lineno
                last = n.body[0].lineno - 1
                # header spans from class line to the colon that ends it
                end = max([b.end_lineno for b in n.bases] + [k.value.end_lineno for k in n.keywords])
                # find line with trailing ':' from end on
                e = end
                while not re.search(r":\s*(#.*)?$", lines[e - 1]): e += 1
                args = [ast.get_source_segment(text, b) for b in keep] + [f"{k.arg}={ast.get_source_segment(text, k.value)}" for k in n.keywords]
                tail = re.search(r"#.*$", lines[e - 1])
                indent = re.match(r"\s*", lines[first - 1]).group()
                params = ""
                new = f"{indent}class {n.name}" + (f"({', '.join(args)})" if args else "") + ":" + (f"  {tail.group()}" if tail else "")
                edits.append((first, e, new))
            body = []
            for b in n.body:
                if isinstance(b, ast.If) and ast.unparse(b.test) == "TYPE_CHECKING":
                    inner = [c for c in b.body if not (isinstance(c, ast.Expr) and isinstance(c.value, ast.Call) and isinstance(c.value.func, ast.Name) and names.get(c.value.func.id) == "keeps")]
                    if not inner: cut.append((b.lineno, b.end_lineno))
                    elif len(inner) != len(b.body):
                        for c in b.body:
                            if c not in inner: cut.append((c.lineno, c.end_lineno))
                    if inner: body.append(b)
                else: body.append(b)
            if not body: edits.append((n.body[0].lineno, n.body[0].lineno, "@@PASS@@"))
    out = {i: l for i, l in enumerate(lines, 1)}
    for a, b in cut:
        for i in range(a, b + 1): out[i] = None
    for a, b, new in edits:
        for i in range(a, b + 1): out[i] = None
        out[a] = new
    text = "\n".join(l for i, l in sorted(out.items()) if l is not None)
    text = re.sub(r"(\n[ ]+[^\n]*:\n)\n+([ ]+def |[ ]+@)", lambda m: m.group(0), text)
    text = re.sub(r"\n\n\n+([ ]+\S)", r"\n\n\1", text)
    p.write_text(text)
(SRC / "types" / "override.py").unlink()
