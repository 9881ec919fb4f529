"""Layouts, and which column plays which role."""

from pathlib import Path

import pandas as pd
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.source import fold
from evenhand.errors import UnknownColumn, UnknownOption
from evenhand.formats.reading import read
from evenhand.formats.registry import FORMATS, LAYOUTS, choose
from evenhand.formats.roles import SYNONYMS, Header, assign
from read_tables import cells_of, refusal, tally_of

# Which layout a table has.


HEADERS = {
    "wmt_pairs": "srclang,trglang,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID",
    "wmt_rnk": "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank",
    "wmt_da": "HITId,WorkerId,Input.src,Input.trg,Input.item,hit,sys_id,rid,type,sid,score,time",
    "wmt_da_scores": "SYS,SID,RAW.SCR,Z.SCR,N",
    "appraise_pairs": "user,system,segID,type,src,tgt,score,errors,sourceErrors,start,end",
    "appraise": "user,system,segID,type,src,tgt,score",
    "wmt_json": "scores,src_text,tgt_text,doc_id",
    "mqm": "system,doc,doc_id,seg_id,rater,source,target,category,severity",
    "mqm_averages": "system,mqm_avg_score,seg_id",
    "mtme_scores": "SYSTEM,SCORE,pair,name,level",
    "mtme_ratings": "SYSTEM,RATING,RATER,pair,name,level",
    "mtme_json": "source,hypothesis,errors,document_id,segment_id,system_id,rater_id",
    "pearmut": "annotation,actions,item,user_id,item_i",
    "potato": "instance_id,user_id,preference.selection",
    "label_studio": "id,data,annotations",
    "argilla": "id,fields,responses",
    "snow": "!amt_annotation_ids,!amt_worker_ids,orig_id,response,gold",
    "qags": "article,summary_sentences",
    "mt_bench": "question_id,model,judge,user_prompt,judgment,score,turn,tstamp",
    "mt_bench_pairs": "question_id,model_1,model_2,g1_winner,g2_winner,judge,turn,tstamp",
    "arena_hard": "uid,category,judge,model,baseline,games",
    "winners": "judge,item,winner,loser",
    "alpaca_eval": "instruction,output_1,generator_1,output_2,generator_2,annotator,preference",
    "pandalm": "idx,cmp_key,instruction,input,response1,response2,annotator1,annotator2",
    "arena_one_hot": "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie",
    "arena_log": "tstamp,type,models,ip",
    "arena": "question_id,model_a,model_b,winner,judge,turn",
    "dpo": "prompt,chosen,rejected",
    "evalica": "left,right,winner",
    "crowd_kit": "worker,left,right,label",
    "crowd_kit_long": "task,worker,label",
    "mlqe": "index,original,translation,scores,mean,z_scores,z_mean,model_scores",
    "subset2evaluate": "i,src,ref,tgt,doc,domain,scores",
    "rankings": "judge,item,ranking_id,system,rank,score",
    "comparisons": "judge,item,system_a,system_b,preference",
    "probabilities": "judge,item,left,right,probability_left",
    "pair_scores": "judge,item,model_a,model_b,score_a,score_b",
    "wide_votes": "item,model_a,model_b,annotator_1,annotator_2",
    "marked_errors": "System,Segment,Annotator,Error type,Severity,Start,End,Comment",
    "unnamed_rankings": "judge_id,item,system,rank,comment",
    "ratings": "judge,item,system,criterion,score",
    "spans": "judge,item,system,spans",
}
ONLY_ASKED = {"matrix", "wide", "wide_ranks", "labels"}
"""Layouts that no header gives away."""


@pytest.mark.parametrize(("name", "header"), HEADERS.items())
def test_a_layout_is_recognised_by_its_columns(name: str, header: str) -> None:
    recognised = choose(Header(tuple(header.split(","))), None)
    assert name == recognised.name


def test_every_layout_has_a_header_here() -> None:
    assert set(HEADERS) | ONLY_ASKED == set(FORMATS)


@pytest.mark.parametrize("layout", LAYOUTS, ids=FORMATS)
def test_a_layout_refuses_a_table_without_its_columns(layout, save) -> None:
    path = save("t.csv", "a,b,c\n1,2,3\n")
    assert str(path) in refusal(path, UnknownColumn, format=layout.name)


def test_the_documentation_names_every_layout_and_synonym() -> None:
    page = Path(__file__).parents[2] / "docs" / "formats.md"
    rows = [line.split("|") for line in page.read_text(encoding="utf-8").splitlines()]
    told = {row[1].strip().strip("`"): row[2].strip().split(", ") for row in rows if len(row) == 4}
    assert {role: told[role] for role, names in SYNONYMS.items() if names} == {
        role: list(names) for role, names in SYNONYMS.items() if names
    }
    assert tuple(row[1].strip(" `") for row in rows if row[1:] and len(row) == 5)[2:] == FORMATS


# Which column plays which role.


ROLES = ("left", "right", "outcome", "judge", "item")
NEEDED = ROLES[:3]


@pytest.mark.parametrize("role", SYNONYMS)
def test_every_synonym_is_understood_in_any_spelling(role: str) -> None:
    for name in SYNONYMS[role]:
        for spelling in (name, name.upper(), name.replace("_", " ").title(), name.replace("_", "")):
            assert Header((spelling, "other")).candidates(role) == [spelling]


def test_no_name_is_a_synonym_of_two_roles() -> None:
    names = [fold(name) for role, others in SYNONYMS.items() for name in (role, *others)]
    assert sorted(names) == sorted(set(names))


def test_two_synonyms_for_one_role_are_refused_until_one_is_named() -> None:
    columns = ("left", "right", "outcome", "annotator", "worker")
    with pytest.raises(UnknownOption, match=r"annotator, worker .*--column judge=annotator"):
        assign(Header(columns), ROLES, NEEDED)
    assert assign(Header(columns, {"judge": "worker"}), ROLES, NEEDED)["judge"] == "worker"


def test_the_exact_name_of_a_role_wins_over_a_synonym() -> None:
    header = Header(("left", "right", "outcome", "annotator", "judge"))
    assert assign(header, ROLES, NEEDED)["judge"] == "judge"


def test_a_mapping_decides_sides_and_the_kind_of_table(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    crossed = tally_of(path, columns={"left": "right", "right": "left"})
    assert cells_of(crossed) == {("B", "A"): (1, 0, 0)}
    path = save("t.csv", "a,b,c,d\n1,x,1,u\n1,y,2,v\n")
    data = read(path, columns={"ranking": "a", "system": "b", "rank": "c"})
    assert isinstance(data, Rankings)
    compared = tally_of(
        save("u.csv", "a,b,c\nx,y,left\n"), columns={"left": "a", "right": "b", "outcome": "c"}
    )
    assert cells_of(compared) == {("x", "y"): (1, 0, 0)}
    path = save("t.csv", "left,right,winner,place\nA,B,left,1\n")
    assert "no role 'rank'" in refusal(path, format="evalica", columns={"rank": "place"})
    assert "no column for" in refusal(path, UnknownColumn, columns={"rank": "place"})
    path = save("t.csv", "worker,left,right,label\nw,A,B,left\n")
    assert read(path).source.format == "crowd_kit"
    assert read(path, format="comparisons").source.format == "comparisons"
    assert read(path, format="Crowd-Kit").source.format == "crowd_kit"


def test_misspelt_and_missing_columns_are_suggested(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    words = refusal(path, UnknownColumn, columns={"outcome": "winer"})
    assert "column 'winer' (asked for as outcome) not found" in words
    assert "Did you mean 'winner'?" in words
    path = save("t.csv", "left,right,winer\nA,B,left\n")
    words = refusal(path, UnknownColumn)
    assert "no column for outcome" in words
    assert "Is it 'winer'? Say which it is: --column outcome=winer, in Python columns=" in words
    frame = pd.DataFrame({"rater": ["j", "k"], "system": ["x", "y"], "human": [3, 5]})
    with pytest.raises(UnknownColumn) as caught:
        read(frame)
    assert "Is it 'human'? Say which it is: evenhand.read(..., columns={" in str(caught.value)
    assert read(frame, columns={"score": "human"}).rows().score.tolist() == [3, 5]
    ranked = save("r.csv", "ranking,system,place\nr,A,1\n")
    assert "looks like rankings, but has no column for rank" in refusal(ranked, UnknownColumn)
    rated = save("s.csv", "judge,system,points_given\nj,A,1\n")
    assert "looks like ratings, but has no column for score" in refusal(rated, UnknownColumn)


def test_a_column_that_has_the_name_of_a_role_it_does_not_play_is_renamed(save) -> None:
    path = save("t.csv", "left,right,winner,judge,annotator\nA,B,left,j,k\n")
    data = read(path, columns={"judge": "annotator"})
    assert isinstance(data, Comparisons)
    assert data.covariates == ["original_judge"]
    assert data.tally(("judge",)).factor("judge").labels == ("k",)
    assert data.source.notes[1] == "column 'judge' is kept as 'original_judge'"


@pytest.mark.parametrize(
    ("columns", "item"),
    [
        (["Document"], "Document"),
        (["Prompt"], "Prompt"),
        (["Question"], "Question"),
        (["Input"], "Input"),
        (["Source"], "Source"),
        (["Segment No"], "Segment No"),
        (["source", "prompt"], "prompt"),
        # a column of the role's own names comes first, and parts of documents are not guessed at
        (["Document", "sentence id"], "sentence id"),
        (["Prompt", "item"], "item"),
        (["document", "sentence"], None),
    ],
)
def test_what_was_judged_is_the_item_where_nothing_else_is(columns, item):
    beside = {name: ["one", "two"] for name in columns}
    table = pd.DataFrame(beside | {"judge": ["a", "b"], "system": ["x", "y"], "score": [1, 2]})
    assert read(table).source.columns.get("item") == item
