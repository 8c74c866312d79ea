"""What the front door hands out, for type checkers; the table in `__init__.py` says from where."""

from . import errors as errors
from . import guarantees as guarantees
from . import mechanisms as mechanisms
from . import noise as noise
from .base import Affine as Affine
from .base import Unit as Unit
from .base import plan as plan
from .empirical import audit as audit
from .empirical import history as history
from .guarantees import approx as approx
from .guarantees import loss as loss
from .guarantees import pure as pure
from .guarantees import zcdp as zcdp
from .mechanisms import GaussianMechanism as GaussianMechanism
from .mechanisms import GeometricMechanism as GeometricMechanism
from .mechanisms import LaplaceMechanism as LaplaceMechanism
from .mechanisms import batch as batch
from .mechanisms import calibrate as calibrate
from .mechanisms import gaussian as gaussian
from .mechanisms import geometric as geometric
from .mechanisms import laplace as laplace
from .mechanisms import linear as linear
from .mechanisms import linear_sensitivity as linear_sensitivity
from .mechanisms import query as query
from .pages import plot as plot
from .pages import report as report
from .semantics import promise as promise

__version__: str
