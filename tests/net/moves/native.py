"""native.py ROOT: merge headers and bindings of native/."""
import re,sys,pathlib
N=pathlib.Path(sys.argv[1])/'native'
PLAN={
 'bindings.hpp':('How arrays pass between Python and the core, compared and never converted, and who adds the functions of a file.','door budget_batch_door checks_door coordinate_door corrective_door face_steps_door frank_wolfe_door grouped_door loss_path_door observed_door rows_interior_door shard_rows_door softmax_door square_path_door'),
 'data_bindings.hpp':('Designs and losses as Python passes them, losses that are Python functions, arrays that are handed back, interrupts.','data_door loop_door asked_loss'),
 'blas_bindings.hpp':(None,'blas_door'),
 'rounds_bindings.hpp':(None,'rounds_door'),
 'loops.hpp':('The loop over rounds of any kind, and the gap at which it ends.','aim round_loop'),
 'cpu_dispatch.hpp':(None,'level'),
 'rows.hpp':('Rows and columns of dense and sparse data, and passes of a worker over the rows of a shard.','sparse_columns rows shard_rows'),
 'stochastic.hpp':('Stochastic Frank-Wolfe and Jones steps between two evaluations of the gap: slopes, atoms, steps.','slopes atoms atom_choices stochastic'),
 'designs.hpp':('Data by column: dense, sparse, or combined into given points.','points designs'),
 'losses.hpp':('Value, residual and curvature of each loss, smooth or smoothed, with and without an intercept.','exponential logistic losses softened'),
 'simplex_steps.hpp':('Pairwise and Newton steps over the simplex, swaps over the l1 ball, scores of columns.','scores pairwise face_newton l1_swaps'),
 'budget_qp.hpp':('The small quadratic problem over a budget.','swap_scan active_sets budget_qp'),
 'box_qp.hpp':('Quadratics over a box: projected steps, and an interior point method.','box_interior box_qp'),
 'grouped_qp.hpp':('Weights under caps on groups: vertices, projections, quadratics.','grouped_filling grouped_qp'),
 'polyhedral_qp.hpp':('Quadratics over bounds and rows: guesses of the face, and an interior point method.','rows_interior rows_faces'),
 'regions.hpp':('Boxes, balls, bounded simplices and caps on groups in coordinates, and the sections that rounds solve on.','regions grouped_region quadratic_sections'),
 'working_columns.hpp':('The columns that a round works on, copied or in place, with equal rows merged, and their Hessian.','equal_rows working_columns gathered_columns'),
 'quadratic_form.hpp':('Quadratics as rounds see them: given forms, Gram matrices of tall data, and what a design can do.','forms tall kinds'),
 'corrective.hpp':('The rounds of Corrective over budgets: which columns a round works on, and their weights.','corrective_numbers intercept corrective corrective_columns corrective_weights'),
 'subspace.hpp':('The directions that a round in coordinates solves for, and their Hessian.','curved_columns frames'),
 'coordinate_rounds.hpp':('The rounds of Corrective in coordinates, for losses and for quadratics.','coordinate_rounds quadratic_rounds'),
 'square_data.hpp':('Data, factors and points of a path of least squares.','square_stage square_factor square_data'),
 'penalised_descent.hpp':('Penalised coordinate descent on sparse data, and paths of least squares by it.','priced_descent descent_path sparse_trail'),
 'loss_path.hpp':('Paths of smooth losses over budgets of many radii.','loss_stage loss_path loss_descent sparse_loss_path'),
 'frank_wolfe.hpp':('Frank-Wolfe steps, and the line search of a step.','line_search frank_wolfe'),
 'passes.hpp':('Passes over arrays: checks before a solve, observed entries of a product of factors.','checks observed'),
 'buffer_pool.hpp':(None,'scratch'),
}
CPP={
 'passes_bindings.cpp':('Bindings of passes over data: checks, observed entries, softmax, rows of shards.','checks_door observed_door softmax_door shard_rows_door'),
 'qp_bindings.cpp':('Bindings of quadratic problems: budgets, rows, faces, caps on groups.','budget_batch_door rows_interior_door face_steps_door grouped_door'),
 'corrective_bindings.cpp':('Bindings of the corrective rounds over budgets, for losses and for quadratics.','corrective_door form_door'),
 'path_bindings.cpp':('Bindings of paths over many radii.','square_path_door loss_path_door'),
 'coordinate_bindings.cpp':(None,'coordinate_door'),
 'frank_wolfe_bindings.cpp':(None,'frank_wolfe_door'),
}
where={}
for t,(d,ps) in PLAN.items():
    for p in ps.split(): where[p+'.hpp']=t
allh={p.name for p in N.glob('*.hpp')}
missing=[p for p in where if p not in allh]; assert not missing,missing
text={p.name:p.read_text() for p in N.iterdir() if p.suffix in('.hpp','.cpp')}
def inc(n): return where.get(n,n)
def split(t):
    """leading comment, system includes, own includes, body"""
    lines=t.split('\n'); i=0; com=[]
    while lines[i].startswith('//'): com.append(lines[i][2:].strip()); i+=1
    sysi,own,body=[],[],[]
    for l in lines[i:]:
        if re.match(r'#pragma once',l): continue
        m=re.match(r'#include (<[^>]+>)',l)
        if m: sysi.append(m.group(1)); continue
        m=re.match(r'#include "([^"]+)"',l)
        if m: own.append(m.group(1)); continue
        body.append(l)
    return com,sysi,own,'\n'.join(body).strip('\n')
def unwrap(body):
    m=re.match(r'(?s)(.*?)namespace greedyhull \{\n(.*)\n\}  // namespace greedyhull\s*(.*)$',body)
    return m
def order(ps):
    done=[]
    def go(p,path=()):
        if p in done or p in path: return
        for q in split(text[p])[2]:
            if q in ps and not (p=='corrective.hpp'): go(q,path+(p,))
        done.append(p)
    for p in ps: go(p)
    return done
out={}
for t,(doc,pl) in list(PLAN.items())+list(CPP.items()):
    ext='.hpp' if t.endswith('.hpp') else '.cpp'
    ps=[p+ext for p in pl.split()]
    if ext=='.hpp': ps=order(ps)
    sysi,own,parts,pre,post=set(),[],[],[],[]
    com0=None
    if len(ps)==1:
        seen=[]; new=[]
        for l in text[ps[0]].split('\n'):
            m=re.match(r'#include "([^"]+)"',l)
            if m:
                y=inc(m.group(1))
                if y in seen: continue
                seen.append(y); l=f'#include "{y}"'
            new.append(l)
        out[t]='\n'.join(new); continue
    for p in ps:
        com,s,o,body=split(text[p]); sysi|=set(s)
        for x in o:
            y=inc(x)
            if y!=t and y not in own: own.append(y)
        # includes inside the middle of a body are handled by split: they are gathered at the top
        if ext=='.hpp':
            m=unwrap(body)
            assert m,(p,body[:200],body[-200:])
            if m.group(1).strip(): pre.append(m.group(1).strip('\n'))
            if m.group(3).strip(): post.append(m.group(3).strip('\n'))
            seg=m.group(2).strip('\n')
        else: seg=body
        if com0 is None: com0=com
        if doc and len(ps)>1 and not p.endswith('_door.hpp') and ext=='.hpp' and com: seg='\n'.join('// '+c for c in com)+'\n\n'+seg
        parts.append(seg)
    head=['// '+doc] if doc else ['// '+c for c in com0]
    if ext=='.hpp':
        head+=['#pragma once','']
        if sysi: head+=[f'#include {s}' for s in sorted(sysi)]+['']
        if own: head+=[f'#include "{x}"' for x in sorted(own)]+['']
        head+=pre
        if t=='bindings.hpp': parts=[parts[ps.index('door.hpp')]]+['\n'.join(x for i,x in enumerate(parts) if ps[i]!='door.hpp')]
        out[t]='\n'.join(head)+'\nnamespace greedyhull {\n\n'+'\n\n'.join(parts)+'\n\n}  // namespace greedyhull\n'+('\n'+'\n'.join(post)+'\n' if post else '')
        out[t]=re.sub(r'\n{3,}','\n\n',out[t])
    else:
        if sysi: head+=[f'#include {s}' for s in sorted(sysi)]+['']
        head+=[f'#include "{x}"' for x in sorted(own)]+['']
        out[t]='\n'.join(head)+'\n'+'\n\n'.join(parts)+'\n'
for p in list(where)+[x+'.cpp' for _,(d,ps) in CPP.items() for x in ps.split()]: (N/p).unlink(missing_ok=True)
for t,s in out.items(): (N/t).write_text(s)
for p in N.iterdir():
    if p.suffix in('.hpp','.cpp') and p.name not in out:
        s=p.read_text(); seen=[]; new=[]
        for l in s.split('\n'):
            m=re.match(r'#include "([^"]+)"',l)
            if m:
                y=inc(m.group(1))
                if y in seen or y==p.name: continue
                seen.append(y); l=f'#include "{y}"'
            new.append(l)
        p.write_text('\n'.join(new))
c=N/'CMakeLists.txt'; s=c.read_text()
s=re.sub(r'nanobind_add_module\(_core NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS[^)]*\)','nanobind_add_module(_core NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS module.cpp\n  '+' '.join(sorted(CPP))+')',s)
c.write_text(s)
print(len(list(N.glob('*.?pp'))),'files',sum(len(p.read_text().splitlines()) for p in N.glob('*.?pp')),'lines')
