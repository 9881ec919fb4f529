"""The names by which a server is started, and where each lives; the package reads this list."""

from evenhand.web.app import make_app as make_app
from evenhand.web.app import make_server as make_server
from evenhand.web.app import open_port as open_port
from evenhand.web.app import serve as serve
from evenhand.web.downloads import open_table as open_table
from evenhand.web.site import Limits as Limits
from evenhand.web.site import Site as Site
from evenhand.web.store.log import NotStored as NotStored
from evenhand.web.store.store import Store as Store
