"""``@override``: the method is one of the protocol that its class keeps, so that type checkers miss it there once it is gone.

Such a class derives from the protocol for type checkers only. Properties of a protocol would stand in the way of attributes.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import override as override
else:

    def override(method: Any) -> Any:
        """The method as it is."""
        return method
