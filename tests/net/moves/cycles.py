"""cycles.py ROOT: strongly connected components of run-time top-level imports."""
import ast, sys, pathlib
SRC = pathlib.Path(sys.argv[1]) / "src" / "greedyhull"
def modname(p):
    rel = str(p.relative_to(SRC))[:-3]
    if rel == "__init__": return "greedyhull"
    if rel.endswith("/__init__"): rel = rel[:-9]
    return "greedyhull." + rel.replace("/", ".")
M = {modname(p): p for p in SRC.rglob("*.py")}
G = {}
for m, p in M.items():
    deps = {}
    for n in ast.parse(p.read_text()).body:
        if isinstance(n, ast.ImportFrom) and n.module:
            for a in n.names:
                full = f"{n.module}.{a.name}"
                d = full if full in M else n.module
                if d in M and d != m: deps.setdefault(d, set()).add(a.name)
        elif isinstance(n, ast.Import):
            for a in n.names:
                if a.name in M: deps.setdefault(a.name, set()).add("*")
    G[m] = deps
sys.setrecursionlimit(10000)
index, low, stack, on, out, c = {}, {}, [], set(), [], [0]
def go(v):
    index[v] = low[v] = c[0]; c[0] += 1; stack.append(v); on.add(v)
    for w in G[v]:
        if w not in index: go(w); low[v] = min(low[v], low[w])
        elif w in on: low[v] = min(low[v], index[w])
    if low[v] == index[v]:
        comp = []
        while True:
            w = stack.pop(); on.discard(w); comp.append(w)
            if w == v: break
        if len(comp) > 1: out.append(comp)
for v in G:
    if v not in index: go(v)
for comp in out:
    print("CYCLE", len(comp))
    s = set(comp)
    for v in comp:
        for w, names in G[v].items():
            if w in s: print("   ", v[11:], "->", w[11:], sorted(names)[:6])
print(len(out), "cycles")
