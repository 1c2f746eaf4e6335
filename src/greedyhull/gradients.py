"""The former path of `greedyhull.solvers.gradients`, which older programs import and older pickles name."""

import sys
from importlib import import_module
from warnings import warn

NOW = "greedyhull.solvers.gradients"
import_module(NOW)
for merged, names in (("variance_reduced", "dual saga spider svrg"), ("momentum", "minibatch storm")):
    for name in names.split():  # the files of before
        sys.modules[f"{NOW}.{name}"] = import_module(f"{NOW}.{merged}")
for name in [name for name in sys.modules if name == NOW or name.startswith(f"{NOW}.")]:
    sys.modules[__name__ + name.removeprefix(NOW)] = sys.modules[name]
warn(f"{__name__} is now {NOW}; import it from there.", DeprecationWarning, stacklevel=2)
