import re,sys,pathlib,subprocess
ROOT=pathlib.Path(sys.argv[1]); R=ROOT/'src/greedyhull'
def sub(f,*pairs):
    p=(ROOT/f) if not f.startswith('@') else R/f[1:]; t=p.read_text()
    for a,b in pairs:
        assert a in t,(f,a); t=t.replace(a,b)
    p.write_text(t)
p=R/'remote/model.py'; t=p.read_text()
i=t.index('@overload\ndef over_shards(*, instead'); j=t.index('def over(function')
block=t[i:j]; t=t[:i]+t[j:]
t=t.replace('P = ParamSpec("P")\nR = TypeVar("R")\n','')
p.write_text(t)
q=R/'objectives/ridge.py'; u=q.read_text()
block=block.replace("            return over(function, shards, named, targets, numbers)\n","            from greedyhull.remote.model import over\n\n            return over(function, shards, named, targets, numbers)\n")
u=u.replace('from __future__ import annotations\n','from __future__ import annotations\n\nfrom collections.abc import Callable\nfrom functools import wraps\nfrom typing import ParamSpec, overload\nfrom greedyhull.objectives.designs.stored import DesignBase\nfrom greedyhull.types import Shards\n',1)
u=u.rstrip('\n')+'\n\n\nP = ParamSpec("P")\nR = TypeVar("R")\n\n\n'+block.rstrip('\n')+'\n'
q.write_text(u)
for f in ('objectives/by_name.py','objectives/without_targets.py'):
    sub('@'+f,('from greedyhull.remote.model import over_shards\n','from greedyhull.objectives.ridge import over_shards\n'))
sub('@kernels/group_qp.py',('from scipy.sparse import csr_array, diags_array\n',''),('B: csr_array','B: Any'),('    B = csr_array((','    from scipy.sparse import csr_array\n\n    B = csr_array(('),('    scaled = B @ diags_array(eta)\n','    from scipy.sparse import diags_array\n\n    scaled = B @ diags_array(eta)\n'))
t=(R/'kernels/group_qp.py').read_text()
if 'from typing import Any' not in t: sub('@kernels/group_qp.py',('import numpy as np\n','from typing import Any\n\nimport numpy as np\n'))
for f in ['tests/test_numbers.py','docs/numbers.md','tests/types/test_override.py','tests/typed/kept.py','tests/contracts/delete_one.py']:
    (ROOT/f).unlink(missing_ok=True)
sub('tests/test_layers.py',('    {"atoms"},\n    {"objectives"},\n','    {"atoms", "data"},\n    {"objectives"},\n    {"remote"},\n'),
 ('ALLOWED = {  # arrows that point upwards, each with its reason\n','ALLOWED = {  # arrows that point upwards, each with its reason\n    ("objectives/ridge.py", "remote"): "objectives take shards in place of X and y; loaded when shards are given",\n    ("objectives/smoothing.py", "remote"): "smoothed losses over shards; loaded when shards are given",\n'))
sub('docs/index.md',("- [Numbers](numbers.md): the constants inside `Corrective` and the driver, and the effect of changing them.\n",""))
sub('docs/guide.rst',("   numbers\n",""))
sub('docs/solvers/corrective.md',(" [Numbers](../numbers.md) explains the constants.",""))
sub('native/corrective_numbers.hpp',("; docs/numbers.md says why they are what they are.","."))
sub('benchmarks/numbers.py',(" docs/numbers.md tells what was seen.",""))

t=(R/'data/arrow.py').read_text()
for a,b in (('    for schema, count in looked:','    for one, count in looked:'),('    for schema, sizes in looked:','    for one, sizes in looked:')):
    i=t.index(a); j=t.index('\n\n\n',i); t=t[:i]+t[i:j].replace(a,b).replace('schema.','one.')+t[j:]
(R/'data/arrow.py').write_text(t)
t=(R/'estimators/linear.py').read_text()
a='    for name, plain in (("alpha", None)'; i=t.index(a); j=t.index('f"{name} needs all rows',i)
t=t[:i]+t[i:j].replace('name, plain in','name, default in').replace('given.get(name, plain)','given.get(name, default)').replace('value is plain','value is default')+t[j:]
(R/'estimators/linear.py').write_text(t)
