"""COLLECT: judgments asked for and kept on the web; `store/` loses nothing and lets no one in.

The names by which a server is started are imported when they are first used.
"""

from typing import TYPE_CHECKING

from evenhand.public_names import lazy_getattr

if TYPE_CHECKING:
    from evenhand.web.app import make_app, make_server, open_port, serve
    from evenhand.web.site import Limits, Site
    from evenhand.web.store.log import NotStored
    from evenhand.web.store.store import Store

__all__ = ["Limits", "NotStored", "Site", "Store", "make_app", "make_server", "open_port", "serve"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "Limits": "evenhand.web.site",
        "NotStored": "evenhand.web.store.log",
        "Site": "evenhand.web.site",
        "Store": "evenhand.web.store.store",
        "make_app": "evenhand.web.app",
        "make_server": "evenhand.web.app",
        "open_port": "evenhand.web.app",
        "serve": "evenhand.web.app",
    },
)
