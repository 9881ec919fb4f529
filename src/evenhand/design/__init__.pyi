"""The names by which campaigns are made, and where each lives; the package reads this list."""

from evenhand.design.assignment import Assignment as Assignment
from evenhand.design.assignment import assign as assign
from evenhand.design.campaign import Campaign as Campaign
from evenhand.design.campaign import Design as Design
from evenhand.design.campaign import Item as Item
from evenhand.design.campaign import Judge as Judge
from evenhand.design.campaign import TextField as TextField
from evenhand.design.campaign import Training as Training
from evenhand.design.campaign import Wording as Wording
from evenhand.design.guarantees import DesignCheck as DesignCheck
from evenhand.design.guarantees import verify_collected as verify_collected
from evenhand.design.guarantees import verify_design as verify_design
from evenhand.design.reading import make_campaign as make_campaign
from evenhand.design.reading import read_campaign as read_campaign
from evenhand.design.simulated_ratings import SIMULATED as SIMULATED
from evenhand.design.simulated_ratings import simulate as simulate
from evenhand.design.tasks import PairTask as PairTask
from evenhand.design.tasks import RankTask as RankTask
from evenhand.design.tasks import RatingTask as RatingTask
from evenhand.design.tasks import SpanTask as SpanTask
from evenhand.design.tasks import Ticket as Ticket
