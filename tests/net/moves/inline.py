"""inline.py ROOT: inline numeric module constants that are used once; their comment moves to the use."""
import ast,sys,pathlib,collections,re,io,tokenize
ROOT=pathlib.Path(sys.argv[1]); SRC=ROOT/'src/greedyhull'
def mod(p):
    r=str(p.relative_to(SRC))[:-3].replace('/','.'); return 'greedyhull.'+(r[:-9] if r.endswith('.__init__') else r)
files={p:p.read_text() for p in SRC.rglob('*.py')}
outside={p:p.read_text() for d in('tests','benchmarks','docs','examples') for p in (ROOT/d).rglob('*.py')}
MODS={mod(p) for p in files}
held=set()
for p,t in {**files,**outside}.items():
    tree=ast.parse(t); alias={}
    for n in ast.walk(tree):
        if isinstance(n,ast.ImportFrom) and n.module:
            for a in n.names:
                held.add((n.module,a.name))
                if f"{n.module}.{a.name}" in MODS: alias[a.asname or a.name]=f"{n.module}.{a.name}"
        if isinstance(n,ast.Import):
            for a in n.names:
                if a.asname: alias[a.asname]=a.name
    for n in ast.walk(tree):
        if isinstance(n,ast.Attribute):
            s=ast.unparse(n.value)
            if s in alias: held.add((alias[s],n.attr))
            elif s in MODS: held.add((s,n.attr))
        if isinstance(n,ast.Call) and len(n.args)>=2 and isinstance(n.args[1],ast.Constant) and isinstance(n.args[1].value,str):
            s=ast.unparse(n.args[0]); held.add((alias.get(s,s),n.args[1].value))
            if s not in alias and n.args[1].value.isupper(): held.add(('*',n.args[1].value))
        if isinstance(n,ast.Constant) and isinstance(n.value,str):
            m=re.fullmatch(r'(greedyhull[\w.]*)\.([A-Z_0-9]+)',n.value)
            if m: held.add((m.group(1),m.group(2)))
planted=(ROOT/'tests/mutants/planted.py'); planted_text=planted.read_text() if planted.exists() else ''
done=0; kept=collections.Counter()
for p,t in files.items():
    if '/fuzz/' in str(p): continue
    changed=True
    while changed:
        changed=False
        tree=ast.parse(t); lines=t.split('\n')
        for n in tree.body:
            if not isinstance(n,(ast.Assign,ast.AnnAssign)) or (isinstance(n,ast.Assign) and len(n.targets)!=1) or n.value is None: continue
            x=n.targets[0] if isinstance(n,ast.Assign) else n.target
            if not isinstance(x,ast.Name) or not x.id.lstrip('_').isupper() or n.lineno!=n.end_lineno: continue
            try: v=eval(compile(ast.Expression(n.value),'c','eval'),{})
            except Exception: continue
            if not isinstance(v,(int,float)) or isinstance(v,bool): continue
            name=x.id
            if (mod(p),name) in held or ('*',name) in held: kept['held']+=1; continue
            words=len(re.findall(r'(?<![\w.])'+name+r'(?!\w)',t))
            loads=[m for m in ast.walk(tree) if isinstance(m,ast.Name) and m.id==name and isinstance(m.ctx,ast.Load)]
            if len(loads)!=1 or words!=2: kept['uses %d'%min(len(loads),3)]+=1; continue
            use=loads[0]
            text=ast.get_source_segment(t,n.value)
            # parenthesise expressions and negatives
            if not isinstance(n.value,ast.Constant): text=f'({text})'
            m=re.search(r'#\s*(.*)$',lines[n.lineno-1][n.end_col_offset:]) ; comment=m.group(1).strip() if m else ''
            # comment lines just above that belong to it
            above=[]; k=n.lineno-2
            while k>=0 and lines[k].startswith('#') and (k==n.lineno-2 or lines[k].startswith('#')): above.insert(0,lines[k]); k-=1
            if above: kept['comment above']+=1; continue
            line=lines[use.lineno-1]; col=len(line.encode()[:use.col_offset].decode())
            # inside an f-string positions are wrong in 3.11
            if line[col:col+len(name)]!=name: kept['fstring']+=1; continue
            if isinstance(n.value,ast.Constant) and line[col+len(name):col+len(name)+1]=='.': text=f'({text})'
            new=line[:col]+text+line[col+len(name):]
            insert=None
            if comment:
                if '#' not in new and len(new)+len(comment)+4<=127 and not new.rstrip().endswith('\\'): new=new+'  # '+comment
                else:
                    stmt=None
                    for s in ast.walk(tree):
                        if isinstance(s,ast.stmt) and s.lineno<=use.lineno<=s.end_lineno and (stmt is None or s.lineno>=stmt.lineno): stmt=s
                    first=min([stmt.lineno]+[d.lineno for d in getattr(stmt,'decorator_list',[])])
                    if lines[first-1].lstrip().startswith('elif') or True:
                        indent=re.match(r'\s*',lines[first-1]).group(); insert=(first-1,f'{indent}# {comment}')
                    if len(insert[1])>127: kept['long']+=1; continue
            if len(new)>127: kept['long line']+=1; continue
            lines[use.lineno-1]=new
            edits=[]
            if insert: lines.insert(insert[0],insert[1])
            d=n.lineno-1+(1 if insert and insert[0]<=n.lineno-1 else 0)
            del lines[d]
            cand='\n'.join(lines)
            try: tr=ast.parse(cand)
            except SyntaxError: kept['syntax']+=1; lines=t.split('\n'); continue
            t=cand; changed=True; done+=1; break
    p.write_text(re.sub(r'\n{4,}','\n\n\n',t))
print('inlined',done,dict(kept))
