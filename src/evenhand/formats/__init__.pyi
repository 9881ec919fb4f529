"""The names that other rooms use, and where each lives; the package reads this list."""

from evenhand.formats.covariates import name_persons as name_persons
from evenhand.formats.covariates import read_persons as read_persons
from evenhand.formats.exports import EXPORTS as EXPORTS
from evenhand.formats.exports import say_left_out as say_left_out
from evenhand.formats.inspection import Inspection as Inspection
from evenhand.formats.inspection import inspect as inspect
from evenhand.formats.reading import read as read
from evenhand.formats.registry import FORMATS as FORMATS
from evenhand.formats.writing import FILE_KINDS as FILE_KINDS
from evenhand.formats.writing import KINDS as KINDS
from evenhand.formats.writing import write as write
