import re,sys,pathlib
p=pathlib.Path(sys.argv[1])/"src/greedyhull/__init__.py"; t=p.read_text()
m=re.search(r'(_LATER[^{]*\{[^{]*\{)(.*?)(\n\}\.items\(\))',t,re.S)
d={}
for k,v in re.findall(r'"([\w.]+)": ((?:"[^"]*"\s*)+),',m.group(2)):
    d.setdefault(k,[]).extend(" ".join(re.findall(r'"([^"]*)"',v)).split())
out=[]
for k in sorted(d):
    line=f'    "{k}": "{" ".join(sorted(d[k]))}",'
    if len(line)>125:
        w=sorted(d[k]); h=len(w)//2
        line=f'    "{k}": "{" ".join(w[:h])} "\n        "{" ".join(w[h:])}",'
    out.append(line)
t=t[:m.start(2)]+"\n"+"\n".join(out)+t[m.end(2):]
p.write_text(t)
