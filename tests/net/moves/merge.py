"""merge.py ROOT MAPPING: merge modules of ROOT/src/greedyhull as MAPPING says and rewrite all importers.

MAPPING is a Python file with PLAN: dict target -> (docstring or None, [parts]) in paths relative to src/greedyhull,
RENAMES: {(part, name): newname} overrides.
"""
from __future__ import annotations
import ast, re, sys, runpy, collections, keyword, pathlib, builtins

ROOT = pathlib.Path(sys.argv[1]); SRC = ROOT / "src" / "greedyhull"
conf = runpy.run_path(sys.argv[2]); PLAN = conf["PLAN"]; OVER = conf.get("RENAMES", {})
DRY = "--dry" in sys.argv

def modname(rel: str) -> str:
    rel = rel[:-3]
    if rel.endswith("/__init__"): rel = rel[:-9]
    if rel == "__init__": return "greedyhull"
    return "greedyhull." + rel.replace("/", ".")

ALL = {str(p.relative_to(SRC)): p.read_text() for p in SRC.rglob("*.py")}
MOD = {modname(rel): rel for rel in ALL}
target_of: dict[str, str] = {}
for t, (_, parts) in PLAN.items():
    for p in parts:
        assert p in ALL, f"no such file {p} (target {t})"
        assert p not in target_of, f"{p} twice"
        target_of[p] = t
for t in PLAN:
    if t in ALL and t not in target_of: sys.exit(f"target {t} exists and is not among its parts")
newmod = {modname(p): modname(t) for p, t in target_of.items()}

def nm(m): return newmod.get(m, m)
_bound = {}
def ismod(pkg, name):
    """Whether `from pkg import name` binds a module: the package's own names come first."""
    if f"{pkg}.{name}" not in MOD or pkg not in MOD: return False
    if pkg not in _bound:
        b = set()
        for n in ast.parse(ALL[MOD[pkg]]).body:
            if isinstance(n, ast.ImportFrom): b |= {a.asname or a.name for a in n.names}
            elif isinstance(n, (ast.FunctionDef, ast.ClassDef)): b.add(n.name)
        _bound[pkg] = b
    return name not in _bound[pkg]

class Scope(ast.NodeVisitor):
    """Positions of Name nodes that refer to the module's globals, for given names."""
    def __init__(self, tree, names):
        self.names, self.hits, self.stack = set(names), [], []
        self.visit_body(tree)
    def visit_body(self, tree):
        for n in tree.body: self.visit(n)
    def bound(self, node):
        out, glob = set(), set()
        args = node.args
        for a in args.posonlyargs + args.args + args.kwonlyargs: out.add(a.arg)
        for a in (args.vararg, args.kwarg):
            if a: out.add(a.arg)
        body = node.body if isinstance(node.body, list) else [node.body]
        def walk(n):
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): out.add(n.name); return
            if isinstance(n, ast.Lambda): return
            if isinstance(n, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
                for c in ast.walk(n):
                    if isinstance(c, ast.NamedExpr): out.add(c.target.id)
                return
            if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)): out.add(n.id)
            if isinstance(n, ast.ExceptHandler) and n.name: out.add(n.name)
            if isinstance(n, (ast.Import, ast.ImportFrom)):
                for a in n.names: out.add((a.asname or a.name).split(".")[0])
            if isinstance(n, ast.Global): glob.update(n.names)
            if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name: out.add(n.name)
            for c in ast.iter_child_nodes(n): walk(c)
        for n in body: walk(n)
        return out - glob
    def local(self, name):
        for kind, b in reversed(self.stack):
            if name in b and (kind == "f" or (kind == "c" and (kind, b) is self.stack[-1])): return True
        return False
    def visit_Name(self, n):
        if n.id in self.names and not self.local(n.id): self.hits.append((n.lineno, n.col_offset, n.id))
    def visit_Global(self, n):
        pass
    def func(self, n):
        for d in getattr(n, "decorator_list", []): self.visit(d)
        a = n.args
        for d in a.defaults + [d for d in a.kw_defaults if d]: self.visit(d)
        for x in a.posonlyargs + a.args + a.kwonlyargs + [y for y in (a.vararg, a.kwarg) if y]:
            if x.annotation: self.visit(x.annotation)
        if getattr(n, "returns", None): self.visit(n.returns)
        self.stack.append(("f", self.bound(n)))
        for b in (n.body if isinstance(n.body, list) else [n.body]): self.visit(b)
        self.stack.pop()
    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = func
    def visit_ClassDef(self, n):
        for d in n.decorator_list + n.bases + [k.value for k in n.keywords]: self.visit(d)
        b = set()
        for c in n.body:
            for m in ast.walk(c) if not isinstance(c, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else ():
                if isinstance(m, ast.Name) and isinstance(m.ctx, ast.Store): b.add(m.id)
            if isinstance(c, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): b.add(c.name)
        # annotations in a class body refer to globals unless shadowed; a class-level annotated name shadows afterwards
        entry = ("c", b); self.stack.append(entry)
        for c in n.body: self.visit(c)
        self.stack.pop()
    def visit_comp(self, n):
        b = set()
        for g in n.generators:
            for m in ast.walk(g.target):
                if isinstance(m, ast.Name): b.add(m.id)
        self.stack.append(("f", b)); self.generic_visit(n); self.stack.pop()
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comp

def byte_to_char(lines, line, col): return len(lines[line - 1].encode()[:col].decode())

def edits_apply(text, edits):
    """edits: list of (line, charcol, oldlen, new)"""
    lines = text.split("\n")
    for line, col, n, new in sorted(set(edits), reverse=True):
        s = lines[line - 1]; lines[line - 1] = s[:col] + new + s[col + n:]
    return "\n".join(lines)

class Part:
    def __init__(self, rel):
        self.rel, self.text = rel, ALL[rel]; self.mod = modname(rel); self.tree = ast.parse(self.text)
        self.stem = (pathlib.Path(rel).stem if not rel.endswith("__init__.py") else pathlib.Path(rel).parent.name)
        self.pkg = self.mod if rel.endswith("__init__.py") else self.mod.rsplit(".", 1)[0]
        self.doc = ast.get_docstring(self.tree, clean=False)
        self.imports, self.typing, self.defs, self.cut = [], [], {}, []
        for i, n in enumerate(self.tree.body):
            if i == 0 and isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) and isinstance(n.value.value, str): self.cut.append(n); continue
            if isinstance(n, (ast.Import, ast.ImportFrom)): self.imports.append(n); self.cut.append(n); continue
            if isinstance(n, ast.If) and ast.unparse(n.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING") and not n.orelse and all(isinstance(c, (ast.Import, ast.ImportFrom)) for c in n.body):
                self.typing += n.body; self.cut.append(n); continue
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): self.defs[n.name] = n
            else:
                for m in ast.walk(n):
                    if isinstance(m, ast.Name) and isinstance(m.ctx, ast.Store): self.defs.setdefault(m.id, n)

parts = {rel: Part(rel) for rel in target_of}
IMPORTED_BY = collections.defaultdict(set)  # (mod, name) -> files
OUTSIDE = [p for d in ("tests", "benchmarks", "examples", "docs") for p in (ROOT / d).rglob("*.py") if ".venv" not in p.parts] + [q for q in [ROOT / "dev.py"] if q.exists()]
for rel, text in [(r, t) for r, t in ALL.items()] + [(str(p), p.read_text()) for p in OUTSIDE]:
    for n in ast.walk(ast.parse(text)):
        if isinstance(n, ast.ImportFrom) and n.module:
            for a in n.names: IMPORTED_BY[(n.module, a.name)].add(rel)

# --- final names -------------------------------------------------------------------------------------------------
final: dict[tuple[str, str], str] = {}  # (part mod, name) -> new name of a definition
alias_import: dict[tuple[str, str], str] = {}  # (part rel, local name of external import) -> new local name

def source(n, a):  # what an import binds, after mapping
    if isinstance(n, ast.Import): return ("import", a.name, None)
    full = f"{n.module}.{a.name}"
    if ismod(n.module, a.name): return ("from", nm(full), None)
    return ("from", nm(n.module), final.get((n.module, a.name), a.name))

def fresh(name, stem, taken):
    word = stem
    if name.isupper() or re.fullmatch(r"_?[A-Z][A-Z0-9_]*", name): cand = f"{'_' if name[0]=='_' else ''}{word.upper()}_{name.lstrip('_')}"
    elif name.lstrip("_")[:1].isupper(): cand = f"{'_' if name[0]=='_' else ''}{''.join(w.capitalize() for w in word.split('_'))}{name.lstrip('_')}"
    else: cand = f"{'_' if name[0]=='_' else ''}{word}_{name.lstrip('_')}"
    while cand in taken: cand += "_"
    return cand

groups = {}
collisions = 0
for t, (doc, plist) in PLAN.items():
    mods = {parts[p].mod for p in plist}
    order, seen = [], set()
    deps = {p: [] for p in plist}
    for p in plist:
        for n in parts[p].imports:
            if isinstance(n, ast.ImportFrom) and n.module:
                if n.module in mods: deps[p].append(MOD[n.module])
                for a in n.names:
                    if f"{n.module}.{a.name}" in mods and ismod(n.module, a.name): deps[p].append(MOD[f"{n.module}.{a.name}"])
    def visit(p, path=()):
        if p in path: print("cycle inside", t, path); return
        if p in seen: return
        for q in deps[p]:
            if q != p: visit(q, path + (p,))
        if p not in seen: seen.add(p); order.append(p)
    for p in plist: visit(p)
    groups[t] = (order, mods)
    owner: dict[str, str] = {}
    # definitions first; who is imported most keeps the name
    cand = collections.defaultdict(list)
    for p in order:
        for name in parts[p].defs:
            if name in ("__all__",) : continue
            cand[name].append(p)
    taken = set(cand) | set(dir(builtins)) | set(keyword.kwlist)
    for p in order:
        for n in parts[p].imports + parts[p].typing:
            for a in n.names: taken.add(a.asname or a.name)
    for name, who in cand.items():
        keep = max(who, key=lambda p: (len(IMPORTED_BY[(parts[p].mod, name)]), -order.index(p)))
        if len({ast.dump(parts[p].defs[name]) for p in who}) == 1: keep = who[0]
        for p in who:
            key = (parts[p].mod, name)
            if (p, name) in OVER: final[key] = OVER[(p, name)]; taken.add(OVER[(p, name)])
            elif p != keep:
                src_same = ast.dump(parts[p].defs[name]) == ast.dump(parts[keep].defs[name])
                if src_same and not isinstance(parts[p].defs[name], ast.ClassDef):
                    final[key] = name; parts[p].__dict__.setdefault("same", set()).add(name); continue
                final[key] = fresh(name, parts[p].stem, taken); taken.add(final[key]); collisions += 1
                print(f"  {t}: {p}:{name} -> {final[key]}  (imported by {len(IMPORTED_BY[key])})")

def rename_map(part):
    """local global-name -> new name inside a part; and module aliases whose attributes are in the group."""
    t = target_of[part.rel]; mods = groups[t][1]
    ren, modalias = {}, {}
    for name in part.defs:
        new = final.get((part.mod, name), name)
        if new != name: ren[name] = new
    for n in part.imports + part.typing:
        if isinstance(n, ast.ImportFrom) and n.module:
            for a in n.names:
                local = a.asname or a.name
                if n.module in mods:
                    new = final.get((n.module, a.name), a.name)
                    if new != local: ren[local] = new
                elif f"{n.module}.{a.name}" in mods and ismod(n.module, a.name): modalias[local] = f"{n.module}.{a.name}"
                elif (part.rel, local) in alias_import: ren[local] = alias_import[(part.rel, local)]
    for n in ast.walk(part.tree):
        if isinstance(n, ast.ImportFrom) and n.module and n not in part.imports and n not in part.typing:
            for a in n.names:
                if f"{n.module}.{a.name}" in mods and ismod(n.module, a.name): modalias[a.asname or a.name] = f"{n.module}.{a.name}"
    return ren, modalias

def late_imports(text, mods_same, selfmod):
    """Rewrite imports inside functions; drop those of the group itself. Returns the text with edits by lines."""
    tree = ast.parse(text); lines = text.split("\n")
    return tree, lines

def render_import(n, indent="", group=None, drop_local=True, aliases=None):
    """The rewritten import statement, or None."""
    if isinstance(n, ast.Import):
        out = []
        for a in n.names:
            if a.name in newmod and newmod[a.name] != a.name:
                out.append(f"import {newmod[a.name]}" + (f" as {a.asname}" if a.asname else ""))
            else: out.append(f"import {a.name}" + (f" as {a.asname}" if a.asname else ""))
        return [indent + o for o in out]
    if n.level: raise SystemExit("relative import")
    out, plain = [], []
    for a in n.names:
        full = f"{n.module}.{a.name}"; local = a.asname or a.name
        if ismod(n.module, a.name):
            # importing a module
            if group is not None and full in group: continue
            new = nm(full); pkg, _, leaf = new.rpartition(".")
            out.append(f"{indent}from {pkg} import {leaf}" + (f" as {local}" if leaf != local else ""))
            continue
        if group is not None and n.module in group: continue
        new = final.get((n.module, a.name), a.name)
        loc = (aliases or {}).get(local, local)
        keep_as = a.asname is not None and a.asname == a.name and new == a.name  # explicit re-export
        plain.append(new + (f" as {loc}" if loc != new or keep_as else ""))
    if plain: out.insert(0, f"{indent}from {nm(n.module) if n.module else ''} import {', '.join(plain)}")
    return out

def replace_nodes(text, nodes, make):
    """Replace whole-line statements by what make(node) returns: a list of lines."""
    lines = text.split("\n")
    for n in sorted(nodes, key=lambda n: -n.lineno):
        first, last = n.lineno - 1, n.end_lineno
        indent = re.match(r"\s*", lines[first]).group()
        tail = ""
        m = re.search(r"#\s*(noqa|type:).*$", lines[last - 1])
        if m: tail = "  " + m.group()
        new = make(n, indent)
        if new and tail: new[-1] += tail
        lines[first:last] = new
    return "\n".join(lines)

def fix_attributes(text, modalias_to_renames):
    """module alias attribute renames: alias.NAME -> alias.NEW, and setattr(alias, "NAME")."""
    tree = ast.parse(text); lines = text.split("\n"); edits = []
    for n in ast.walk(tree):
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in modalias_to_renames:
            new = modalias_to_renames[n.value.id].get(n.attr)
            if new and new != n.attr:
                col = byte_to_char(lines, n.end_lineno, n.end_col_offset) - len(n.attr)
                edits.append((n.end_lineno, col, len(n.attr), new))
        if isinstance(n, ast.Call) and len(n.args) >= 2 and isinstance(n.args[0], ast.Name) and n.args[0].id in modalias_to_renames and isinstance(n.args[1], ast.Constant) and isinstance(n.args[1].value, str):
            new = modalias_to_renames[n.args[0].id].get(n.args[1].value)
            if new and new != n.args[1].value:
                c = n.args[1]; col = byte_to_char(lines, c.lineno, c.col_offset)
                edits.append((c.lineno, col + 1, len(c.value), new))
    return edits_apply(text, edits)

by_mod_renames = collections.defaultdict(dict)
for (m, name), new in final.items():
    if new != name: by_mod_renames[m][name] = new

def rewrite_other(text, selfgroup=None, top_too=True):
    tree = ast.parse(text)
    nodes, aliases = [], {}
    for n in ast.walk(tree):
        if isinstance(n, (ast.Import, ast.ImportFrom)):
            touched = False
            if isinstance(n, ast.ImportFrom) and n.module and not n.level:
                for a in n.names:
                    full = f"{n.module}.{a.name}"
                    if ismod(n.module, a.name):
                        aliases[a.asname or a.name] = by_mod_renames.get(full, {})
                        if full in newmod and newmod[full] != full or (selfgroup and full in selfgroup): touched = True
                if n.module in newmod and (newmod[n.module] != n.module or any((n.module, a.name) in final for a in n.names)): touched = True
                if selfgroup and n.module in selfgroup: touched = True
            elif isinstance(n, ast.Import):
                for a in n.names:
                    if a.name in newmod and newmod[a.name] != a.name: touched = True
                    if a.asname and a.name in MOD: aliases[a.asname] = by_mod_renames.get(a.name, {})
            if touched: nodes.append(n)
    text = fix_attributes(text, {k: v for k, v in aliases.items() if v})
    def make(n, indent):
        r = render_import(n, indent, selfgroup)
        return r
    return replace_nodes(text, nodes, make)

STRINGS = sorted((m for m in newmod if newmod[m] != m), key=len, reverse=True)
PATHS = {p: t for p, t in target_of.items() if p != t}
def fix_strings(text):
    if STRINGS:
        rx = re.compile(r"(?<![\w.])(" + "|".join(map(re.escape, STRINGS)) + r")(?![\w]|\.py)(\.[A-Za-z_]\w*)?")
        def rep(m):
            mod, attr = m.group(1), m.group(2) or ""
            if attr and mod + attr in MOD: return nm(mod + attr)
            name = attr[1:]
            return newmod[mod] + ("." + final.get((mod, name), name) if attr else "")
        text = rx.sub(rep, text)
        rx = re.compile(r"(?<![\w/.-])((?:src/greedyhull/)?)(" + "|".join(map(re.escape, sorted(PATHS, key=len, reverse=True))) + r")(?![\w])")
        text = re.sub(r'"([a-z_0-9]+(?:\.[a-z_0-9]+)+)"', lambda m: '"' + newmod["greedyhull." + m.group(1)][11:] + '"' if "greedyhull." + m.group(1) in newmod else m.group(0), text)
        text = rx.sub(lambda m: m.group(1) + PATHS[m.group(2)] if (m.group(1) or "/" in m.group(2)) else m.group(0), text)
    return text

# --- build the merged modules --------------------------------------------------------------------------------------
out_files = {}
for t, (doc, plist) in PLAN.items():
    order, mods = groups[t]
    # external imports and collisions of their local names
    bound = {}
    for p in order:
        for name in parts[p].defs: bound[final.get((parts[p].mod, name), name)] = ("def", p)
    for p in order:
        part = parts[p]
        for n in part.imports + part.typing:
            if isinstance(n, ast.ImportFrom) and n.module == "__future__": continue
            for a in n.names:
                local = (a.asname or a.name) if isinstance(n, ast.ImportFrom) else (a.asname or a.name.split(".")[0])
                if isinstance(n, ast.ImportFrom) and (n.module in mods or (f"{n.module}.{a.name}" in mods and ismod(n.module, a.name))): continue
                src = source(n, a) if isinstance(n, ast.ImportFrom) else ("import", nm(a.name) if a.asname else a.name.split(".")[0], None)
                if local in bound and bound[local] != src:
                    new = fresh(local, part.stem + ("_" if False else ""), set(bound)); alias_import[(p, local)] = new; bound[new] = src
                    print(f"  {t}: import {local} in {p} ({src}) collides with {bound[local]} -> {new}")
                else: bound[local] = src
    future = False; runtime, typing_, bodies = [], [], []
    for p in order:
        part = parts[p]
        ren, modalias = rename_map(part)
        text = part.text
        # rename globals
        lines = text.split("\n"); edits = []
        hits = Scope(part.tree, ren).hits
        for line, col, name in hits: edits.append((line, byte_to_char(lines, line, col), len(name), ren[name]))
        for name, node in part.defs.items():
            if name in ren and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                for d in [x for x in part.tree.body if getattr(x, "name", None) == name]:
                    kw = lines[d.lineno - 1]; col = kw.index(name, len(kw) - len(kw.lstrip())); col = re.search(r"\b" + re.escape(name) + r"\b", kw).start()
                    edits.append((d.lineno, col, len(name), ren[name]))
        for n in ast.walk(part.tree):
            if isinstance(n, ast.Global) and any(x in ren for x in n.names):
                for x in n.names:
                    if x in ren: edits.append((n.lineno, re.search(r"\b" + x + r"\b", lines[n.lineno - 1]).start(), len(x), ren[x]))
            # module.attr of the group -> attr
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in modalias:
                m = modalias[n.value.id]; new = final.get((m, n.attr), n.attr)
                c0 = byte_to_char(lines, n.lineno, n.col_offset); c1 = byte_to_char(lines, n.end_lineno, n.end_col_offset)
                edits.append((n.lineno, c0, c1 - c0, new))
        text2 = edits_apply(text, edits)
        # cut header statements and rewrite late imports; positions are by line, which edits keep
        late = []
        top = set(map(id, part.cut)) | {id(c) for c in part.typing}
        for n in ast.walk(part.tree):
            if isinstance(n, (ast.Import, ast.ImportFrom)) and id(n) not in top and n not in part.imports: late.append(n)
        same = [part.defs[x] for x in getattr(part, "same", ())]
        def make(n, indent, part=part, mods=mods):
            if n in part.cut or n in same: return []
            if isinstance(n, ast.ImportFrom) and n.module in mods:
                # a late import of the group: the names are global now; aliases need an assignment
                outl = []
                for a in n.names:
                    new = final.get((n.module, a.name), a.name); local = a.asname or a.name
                    if new != local: outl.append(f"{indent}{local} = {new}")
                return outl or ["@@DROPPED@@"]
            r = render_import(n, indent, mods)
            return r
        text3 = replace_nodes(text2, part.cut + late + same, make)
        # drop markers; keep bodies non-empty
        text3 = "\n".join(l for l in text3.split("\n") if l != "@@DROPPED@@")
        bodies.append((p, part.doc, text3.strip("\n")))
        for n in part.imports:
            if isinstance(n, ast.ImportFrom) and n.module == "__future__": future = True; continue
            al = {l: alias_import[(p, l)] for (q, l) in alias_import if q == p}
            runtime += render_import(n, "", mods, aliases=al)
        for n in part.typing:
            al = {l: alias_import[(p, l)] for (q, l) in alias_import if q == p}
            typing_ += render_import(n, "    ", mods, aliases=al)
    head = []
    docs = doc if doc else (parts[plist[0]].doc or "")
    head.append('"""' + docs.strip() + ('\n' if "\n" in docs.strip() else "") + '"""')
    if future: head += ["", "from __future__ import annotations"]
    head += [""] + list(dict.fromkeys(runtime))
    if typing_:
        if not any("TYPE_CHECKING" in r for r in runtime): head.append("from typing import TYPE_CHECKING")
        head += ["", "if TYPE_CHECKING:"] + list(dict.fromkeys(typing_))
    body = []
    for p, d, b in bodies:
        if not b.strip(): continue
        body.append(b)
    out_files[t] = "\n".join(head) + "\n\n\n" + "\n\n\n".join(body) + "\n"

# --- the others ------------------------------------------------------------------------------------------------------
changed = {}
for rel, text in ALL.items():
    if rel in target_of: continue
    new = fix_strings(rewrite_other(text))
    if new != text: changed[SRC / rel] = new
for p in OUTSIDE:
    text = p.read_text(); new = fix_strings(rewrite_other(text))
    if new != text: changed[p] = new
for p in [q for d in ("docs", "tests", "benchmarks", "examples", ".github") for q in (ROOT / d).rglob("*") if q.suffix in (".md", ".rst", ".txt", ".toml", ".yml") and "gallery" not in q.parts] + [ROOT / "pyproject.toml", ROOT / "CONTRIBUTING.md", ROOT / "README.md"]:
    if p.exists():
        text = p.read_text(); new = fix_strings(text)
        if new != text: changed[p] = new
print(f"{collisions} definitions renamed, {len(changed)} files rewritten, {len(target_of)} parts -> {len(PLAN)} modules")
if not DRY:
    for t in out_files: out_files[t] = fix_strings(out_files[t])
    for rel in target_of: (SRC / rel).unlink()
    for t, text in out_files.items():
        (SRC / t).parent.mkdir(parents=True, exist_ok=True); (SRC / t).write_text(text)
    for p, text in changed.items(): p.write_text(text)
